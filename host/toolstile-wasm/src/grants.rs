//! What the operator gives to one plugin: directories, programs, hosts, settings.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use toolstile_core::Offered;
use toolstile_http::Http;
use toolstile_notes::Notes;
use toolstile_shell::Shell;

use crate::capabilities::{Capabilities, Capability};
use crate::wording::Wording;

/// Everything that the operator gives to a plugin. What the plugin does not ask for
/// is of no use to it.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    /// A directory of notes.
    pub notes: Option<Arc<Notes>>,
    /// Programs.
    pub shell: Option<Arc<Shell>>,
    /// Hosts.
    pub http: Option<Arc<Http>>,
    /// Tools of others that it may show to a model and hide.
    pub exposure: BTreeSet<String>,
    /// What it may ask whoever made a call.
    pub client: Offered,
    /// What the plugin reads by name.
    pub settings: BTreeMap<String, String>,
    /// The operator's wording of the plugin's texts.
    pub wording: Wording,
}

impl Grants {
    /// The capabilities that are granted.
    #[must_use]
    pub fn capabilities(&self) -> BTreeSet<Capability> {
        let all = [
            (Capability::Notes, self.notes.is_some()),
            (Capability::Shell, self.shell.is_some()),
            (Capability::Http, self.http.is_some()),
            (Capability::Client, self.client != Offered::default()),
        ];
        all.into_iter().filter(|(_, granted)| *granted).map(|(capability, _)| capability).collect()
    }

    /// What is left for a plugin that was allowed only this.
    pub(crate) fn within(self, allowed: &Capabilities) -> Self {
        Self {
            notes: self.notes.filter(|_| allowed.allows(Capability::Notes)),
            shell: self.shell.filter(|_| allowed.allows(Capability::Shell)),
            http: self.http.filter(|_| allowed.allows(Capability::Http)),
            client: Some(self.client)
                .filter(|_| allowed.allows(Capability::Client))
                .unwrap_or_default(),
            ..self
        }
    }

    /// What `list-tools` runs with: nothing that reaches out of the call.
    pub(crate) fn harmless(&self) -> Self {
        Self { notes: None, shell: None, http: None, client: Offered::default(), ..self.clone() }
    }
}

/// The refusal of a capability that a plugin was not granted, with the line of the
/// configuration that would grant it.
pub(crate) fn not_granted(capability: Capability, plugin: &str) -> String {
    let needed = match capability {
        Capability::Notes => "a `dir`",
        Capability::Shell => "a `dir` and `programs`",
        Capability::Http => "`allow`",
        _ => return format!("the capability `{capability}` is not granted to `{plugin}`"),
    };
    format!(
        "the capability `{capability}` is not granted to `{plugin}`; the operator grants it by \
         `[plugin.{plugin}.grants.{capability}]` with {needed} in `toolstile.toml`"
    )
}
