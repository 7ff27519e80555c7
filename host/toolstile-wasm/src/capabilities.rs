//! What a component asks for and what it is granted. Pure: no wasmtime, no files.
//!
//! A component's imports are its declaration, the operator's configuration is the
//! grant, and what the component can do is what both name.

use std::collections::BTreeSet;
use std::fmt;

use toolstile_core::CapabilityUse;

/// Something of the host that a component can be allowed to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Capability {
    /// Lines in the operator's log. Always granted.
    Log,
    /// Progress reports. Always granted.
    Progress,
    /// What the operator wrote for the plugin. Always granted.
    Settings,
    /// Note files.
    Notes,
    /// Programs.
    Shell,
    /// HTTP requests.
    Http,
    /// Changing which tools the model of a run sees. Always granted for the plugin's own
    /// tools.
    Exposure,
    /// Questions to whoever made the call.
    Client,
    /// The WASI interfaces that language runtimes expect. Always granted, and
    /// empty: no files, no network, no environment, no input.
    Wasi,
}

impl Capability {
    /// The name in configuration and listings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Progress => "progress",
            Self::Settings => "settings",
            Self::Notes => "notes",
            Self::Shell => "shell",
            Self::Http => "http",
            Self::Exposure => "exposure",
            Self::Client => "client",
            Self::Wasi => "wasi",
        }
    }

    /// Whether every plugin has it without being granted it: it reaches nothing
    /// outside the call and its run.
    #[must_use]
    pub fn is_harmless(self) -> bool {
        matches!(self, Self::Log | Self::Progress | Self::Settings | Self::Exposure | Self::Wasi)
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a component asks for and what it was granted of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    asked: BTreeSet<Capability>,
    granted: BTreeSet<Capability>,
}

impl Capabilities {
    /// The intersection of what a component imports and what the operator grants;
    /// harmless capabilities need no grant.
    #[must_use]
    pub fn intersect(asked: BTreeSet<Capability>, grants: &BTreeSet<Capability>) -> Self {
        let granted = asked.iter().copied().filter(|c| c.is_harmless() || grants.contains(c));
        Self { granted: granted.collect(), asked }
    }

    /// What the component asks for.
    pub fn asked(&self) -> impl Iterator<Item = Capability> + '_ {
        self.asked.iter().copied()
    }

    /// Whether a capability was granted.
    #[must_use]
    pub fn allows(&self, capability: Capability) -> bool {
        self.granted.contains(&capability)
    }

    /// Whether the component holds anything that reaches beyond its call and whoever made
    /// it.
    #[must_use]
    pub fn reaches_out(&self) -> bool {
        let out = |c: &Capability| !c.is_harmless() && *c != Capability::Client;
        self.granted.iter().any(out)
    }

    /// The names of both, for the gates and listings.
    #[must_use]
    pub fn to_use(&self) -> CapabilityUse {
        let names = |set: &BTreeSet<Capability>| set.iter().map(ToString::to_string).collect();
        CapabilityUse { asked: names(&self.asked), granted: names(&self.granted) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_asked_for_and_granted_is_allowed() {
        let asked = [Capability::Log, Capability::Notes].into();
        let grants = [Capability::Shell].into();
        let capabilities = Capabilities::intersect(asked, &grants);
        assert!(capabilities.allows(Capability::Log));
        assert!(!capabilities.allows(Capability::Notes), "asked for, not granted");
        assert!(!capabilities.allows(Capability::Shell), "granted, not asked for");
        assert!(!capabilities.reaches_out());
    }
}
