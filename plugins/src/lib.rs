//! The plugins that come with toolstile, as components.
//!
//! Each is a guest crate in a folder beside this one's sources, compiled by the
//! build script and embedded here, so that a program that links this crate
//! needs no file to have them. They are plugins like any other: a host runs
//! them in the same sandbox and through the same gates. The list of them is in
//! `build.rs`.
//!
//! Beside them lie their words in every language there is: the prompt packs.

mod prompt_pack;

pub use prompt_pack::{languages, prompt_pack};

/// One plugin that comes with toolstile.
#[derive(Clone, Copy)]
pub struct BundledPlugin {
    /// Its name, which is also the name of its folder.
    pub name: &'static str,
    /// The component in the binary format.
    pub component: &'static [u8],
}

impl std::fmt::Debug for BundledPlugin {
    /// Gives the component's size in bytes, not the bytes.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BundledPlugin")
            .field("name", &self.name)
            .field("component", &format_args!("{} bytes", self.component.len()))
            .finish()
    }
}

// `const BUNDLED: &[BundledPlugin]`, written by the build script.
include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// All plugins that come with toolstile, sorted by name.
pub fn bundled() -> &'static [BundledPlugin] {
    BUNDLED
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Magic number, version 13 and layer 1 of a component
    /// (<https://github.com/WebAssembly/component-model/blob/main/design/mvp/Binary.md>).
    const COMPONENT_PREAMBLE: &[u8] = b"\0asm\x0d\0\x01\0";

    #[test]
    fn each_plugin_is_a_component() {
        assert!(!bundled().is_empty());
        for plugin in bundled() {
            assert!(plugin.component.starts_with(COMPONENT_PREAMBLE), "{plugin:?}");
        }
    }

    #[test]
    fn plugins_are_sorted_and_named_once() {
        assert!(bundled().is_sorted_by(|a, b| a.name < b.name));
    }
}
