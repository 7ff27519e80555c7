//! Which tools the model of a run is shown, from inside a guest.
//!
//! A plugin shows and hides its own tools without a grant: they are permitted anyway,
//! and outside a run there is nobody to show them to. Those of others need one.

use toolstile_core::{LiveTools, RegisteredTool};

use crate::bindings::exposure;
use crate::bindings::types::ErrorKind;
use crate::interfaces::denied::Answer;
use crate::state::PluginState;

/// Names that one call may give at once.
const MAX_NAMES: usize = 1024;

impl exposure::Host for PluginState {
    fn add_tools(&mut self, names: Vec<String>) -> Answer<()> {
        self.spend(names.iter().map(String::len).sum())?;
        Ok(self.change(&names, |live| {
            live.add_names(&names).map_err(|error| (ErrorKind::InvalidArgument, error.to_string()))
        }))
    }

    fn remove_tools(&mut self, names: Vec<String>) -> Answer<()> {
        self.spend(names.iter().map(String::len).sum())?;
        Ok(self.change(&names, |live| {
            live.remove(&names);
            Ok(())
        }))
    }
}

type Failure = (ErrorKind, String);

impl PluginState {
    fn change(
        &self,
        names: &[String],
        change: impl FnOnce(&LiveTools) -> Result<(), Failure>,
    ) -> Result<(), crate::bindings::types::Error> {
        let changed = self.live(names).and_then(change);
        changed.map_err(|(kind, message)| crate::bindings::types::Error { kind, message })
    }

    /// The run's tools, when the plugin may decide about all of these names.
    fn live(&self, names: &[String]) -> Result<&LiveTools, Failure> {
        let unavailable = |error| (ErrorKind::Unavailable, format!("{error}"));
        let live = self.context.tools().map_err(unavailable)?;
        if names.len() > MAX_NAMES {
            return Err((ErrorKind::LimitExceeded, format!("more than {MAX_NAMES} names at once")));
        }
        for name in names {
            // The same answer for all that is not there, so that nothing can be learnt
            // about tools that this run does not get to see.
            let missing = || (ErrorKind::NotFound, format!("there is no tool `{name}`"));
            let tool = live.find(name).map_err(|_| missing())?;
            if !self.may_show(&tool) {
                return Err((ErrorKind::Denied, self.not_its_own(name)));
            }
        }
        Ok(live)
    }

    fn may_show(&self, tool: &RegisteredTool) -> bool {
        let own = tool.content_digest().is_some_and(|digest| *digest == *self.component_sha256);
        own || self.grants.exposure.contains(tool.name().as_str())
    }

    fn not_its_own(&self, name: &str) -> String {
        let plugin = &self.plugin;
        format!(
            "the tool `{name}` is not one of `{plugin}`'s own; the operator grants it by \
             `[plugin.{plugin}.grants.exposure]` with `tools` in `toolstile.toml`"
        )
    }
}
