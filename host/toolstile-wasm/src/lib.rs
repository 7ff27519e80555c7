//! Tools that are WebAssembly components.
//!
//! This crate loads a component ([`WasmRuntime::load`]), reads what it asks for
//! and what tools it has, and runs each call in a fresh instance under limits. It
//! is the only one that knows wasmtime. What a component may do is decided here
//! ([`Capabilities`]) and at each host interface; which tools may be called is
//! decided by the gates of `toolstile-core`.

mod assess;
mod bindings;
mod cache;
mod capabilities;
mod contract;
mod deadline;
mod definition;
mod directory;
mod error;
mod exports;
mod grants;
mod instance;
mod interfaces;
mod limits;
mod offer;
mod outcome;
mod plugin;
mod pool;
mod prompts;
mod resources;
mod runtime;
mod state;
mod ticker;
mod tool;
mod wording;

pub use capabilities::{Capabilities, Capability};
pub use contract::{CONTRACT_VERSION, Import};
pub use directory::{
    DirectoryEntry, DirectoryError, EntryError, MAX_PLUGIN_FILES, read_directory, read_plugin_file,
};
pub use error::{LoadError, RuntimeError};
pub use grants::Grants;
pub use limits::PluginLimits;
pub use plugin::{Plugin, PluginSource};
pub use pool::Allocator;
pub use prompts::WasmPrompts;
pub use resources::WasmResources;
pub use runtime::{RuntimeConfig, RuntimeReport, WasmRuntime};
pub use tool::WasmTool;
pub use wording::Wording;
