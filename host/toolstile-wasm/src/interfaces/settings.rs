//! `settings`: what the operator wrote for the plugin.

use crate::bindings::settings::Host;
use crate::state::PluginState;

impl Host for PluginState {
    fn get(&mut self, name: String) -> wasmtime::Result<Option<String>> {
        self.spend(name.len())?;
        Ok(self.grants.settings.get(&name).cloned())
    }

    fn text(&mut self, name: String) -> wasmtime::Result<Option<String>> {
        self.spend(name.len())?;
        Ok(self.grants.wording.texts.get(&name).cloned())
    }
}
