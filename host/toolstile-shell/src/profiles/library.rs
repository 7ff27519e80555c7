//! The profiles of all programs: those that come with the host, and the operator's.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Profile, ProfileError, file};

/// A policy file by its name.
macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        &[$((concat!("profiles/", $name), include_str!(concat!("../../profiles/", $name)))),*]
    };
}

/// The policy files that come with the host.
pub(crate) const SHIPPED: &[(&str, &str)] = shipped![
    "archives.toml",
    "awk.toml",
    "build.toml",
    "data.toml",
    "files.toml",
    "git.toml",
    "interpreters.toml",
    "network.toml",
    "search.toml",
    "sed.toml",
    "system.toml",
    "text.toml",
    "wrappers.toml",
    "writers.toml",
];

/// A profile, and the file that it stands in.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) profile: Profile,
    pub(crate) file: String,
}

/// All profiles by the name of their program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Library {
    entries: BTreeMap<String, Entry>,
}

/// How well a profile fits the program that asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// It is the program's own.
    Own,
    /// It is that of a program of the same name with another version.
    Related,
}

impl Library {
    /// The shipped profiles with the operator's in place of, or beside, them.
    pub(crate) fn load(extra: &[(String, String)]) -> Result<Self, ProfileError> {
        let shipped = SHIPPED.iter().map(|(name, text)| (*name, *text));
        let extra = extra.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        let mut library = Self::default();
        for (name, text) in shipped.chain(extra) {
            for (program, profile) in file::read(name, text)? {
                library.entries.insert(program, Entry { profile, file: name.to_owned() });
            }
        }
        Ok(library)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(name, entry)| (name.as_str(), entry))
    }

    /// The profile for a program: by its name, by the name of the file that it is, or by
    /// either without a version. What a name hides behind (`py` → `python3`) counts, so
    /// that a link does not turn a wrapper into an unknown program.
    pub(crate) fn find(&self, name: &str, file: Option<&Path>) -> Option<(&Entry, Fit)> {
        let resolved = file.and_then(Path::file_name).and_then(|name| name.to_str());
        let names = [Some(name), resolved];
        let own = names.iter().flatten().find_map(|name| self.entries.get(*name));
        let related =
            || names.iter().flatten().find_map(|name| self.entries.get(unversioned(name)));
        own.map(|entry| (entry, Fit::Own)).or_else(|| related().map(|entry| (entry, Fit::Related)))
    }
}

/// `python3.11` → `python`, `gcc-12` → `gcc`.
fn unversioned(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
}

/// The profiles of one file alone, to look for what it says twice.
pub(super) fn programs_of(name: &str, text: &str) -> Result<Vec<(String, Profile)>, ProfileError> {
    file::read(name, text)
}
