//! Names that a provider accepts, and the way back.

use std::collections::BTreeMap;

use super::SchemaProfile;

/// The longest name that any provider accepts.
const MAX_NAME: usize = 64;

/// The names of a set of tools as a provider is shown them. Names that the provider
/// accepts stay what they are; no two tools share one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameMap {
    profile: Option<SchemaProfile>,
    /// Only what differs.
    shown: BTreeMap<String, String>,
}

impl NameMap {
    /// The names of these tools under a profile.
    pub fn new<'a>(profile: SchemaProfile, tools: impl IntoIterator<Item = &'a str>) -> Self {
        let (kept, strange): (Vec<&str>, Vec<&str>) =
            tools.into_iter().partition(|name| accepts(profile, name));
        let mut shown: BTreeMap<String, String> = BTreeMap::new();
        for name in strange {
            let mut candidate = nearest(profile, name);
            while kept.contains(&candidate.as_str()) || shown.values().any(|v| *v == candidate) {
                candidate = prefixed(&candidate);
            }
            shown.insert(name.to_owned(), candidate);
        }
        Self { profile: Some(profile), shown }
    }

    /// The name that the provider is shown. A name outside the set, of a tool that is
    /// no longer there, becomes one that the provider accepts.
    #[must_use]
    pub fn to_wire(&self, name: &str) -> String {
        match (self.shown.get(name), self.profile) {
            (Some(shown), _) => shown.clone(),
            (None, Some(profile)) => nearest(profile, name),
            (None, None) => name.to_owned(),
        }
    }

    /// The name of the tool that the provider calls so.
    #[must_use]
    pub fn from_wire<'a>(&'a self, name: &'a str) -> &'a str {
        let found = self.shown.iter().find(|(_, shown)| *shown == name);
        found.map_or(name, |(original, _)| original)
    }
}

/// The nearest name that the profile accepts.
pub(super) fn nearest(profile: SchemaProfile, name: &str) -> String {
    if name.is_empty() || accepts(profile, name) { name.to_owned() } else { prefixed(name) }
}

/// Gemini wants a letter or an underscore first; all others take every tool name.
fn accepts(profile: SchemaProfile, name: &str) -> bool {
    profile != SchemaProfile::Gemini
        || name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}

fn prefixed(name: &str) -> String {
    let cut = name.char_indices().nth(MAX_NAME - 1).map_or(name, |(end, _)| &name[..end]);
    format!("_{cut}")
}
