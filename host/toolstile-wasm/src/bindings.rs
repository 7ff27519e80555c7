//! The host side of the contract, generated from `wit/`. The only `bindgen!` of
//! the project; everything else names its types through here.

#![allow(missing_docs, unreachable_pub, reason = "generated; the contract is documented in wit/")]

wasmtime::component::bindgen!({
    path: "../../wit",
    world: "everything",
    // Every host function may end the call: each interface has a budget. Those that
    // wait for something wait without holding a thread.
    imports: {
        "toolstile:plugin/notes": async | trappable,
        "toolstile:plugin/shell": async | trappable,
        "toolstile:plugin/http": async | trappable,
        "toolstile:plugin/client.ask": async | trappable,
        default: trappable,
    },
    exports: { default: async },
});

pub use exports::toolstile::plugin::{prompts, resources, tool};
pub use toolstile::plugin::{client, exposure, http, log, notes, progress, settings, shell, types};
