//! Which tools may be called: by name and by origin.

use std::collections::BTreeSet;

/// Lists of names and origins. `None` means "not restricted", an empty list means
/// that nothing passes by that list.
///
/// Texts are compared whole and letter by letter: there are no wildcards. A name
/// says little about trust, since any server may use any name: prefer origins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolPermissions {
    /// Names that may be called.
    pub allow: Option<BTreeSet<String>>,
    /// Names that must not be called; wins over everything that allows.
    pub deny: BTreeSet<String>,
    /// Origins whose tools may be called.
    pub allow_origins: Option<BTreeSet<String>>,
    /// Origins whose tools must not be called; wins over everything that allows.
    pub deny_origins: BTreeSet<String>,
}

impl ToolPermissions {
    /// Decides about one tool. `origin` is `None` for a name that no tool has:
    /// such a name is judged by the name lists alone.
    ///
    /// A tool passes when nothing denies it and, where an allow list is set, its
    /// name or its origin is on one.
    ///
    /// # Errors
    /// The first rule that refuses, in the order: name denied, origin denied, not
    /// allowed.
    pub fn check(&self, name: &str, origin: Option<&str>) -> Result<(), PermissionDenial> {
        if self.deny.contains(name) {
            return Err(PermissionDenial::NameDenied);
        }
        if origin.is_some_and(|o| self.deny_origins.contains(o)) {
            return Err(PermissionDenial::OriginDenied);
        }
        if self.allow.is_none() && self.allow_origins.is_none() {
            return Ok(());
        }
        let contains = |list: &Option<BTreeSet<String>>, text: &str| {
            list.as_ref().is_some_and(|list| list.contains(text))
        };
        let by_origin = origin.is_some_and(|o| contains(&self.allow_origins, o));
        match contains(&self.allow, name) || by_origin {
            true => Ok(()),
            false if self.allow_origins.is_some() && origin.is_some() => {
                Err(PermissionDenial::OriginNotAllowed)
            }
            false => Err(PermissionDenial::NameNotAllowed),
        }
    }

    /// Entries that match no tool, for a warning when the lists are loaded: a
    /// misspelt `deny` protects nothing.
    #[must_use]
    pub fn unmatched<'a>(&'a self, tools: &[(&str, &str)]) -> Vec<(&'static str, &'a str)> {
        let names = |text: &str| tools.iter().any(|(name, _)| *name == text);
        let origins = |text: &str| tools.iter().any(|(_, origin)| *origin == text);
        let entries = self.allow.iter().flatten().map(|e| ("allow", e, names(e)));
        let entries = entries.chain(self.deny.iter().map(|e| ("deny", e, names(e))));
        let entries = entries
            .chain(self.allow_origins.iter().flatten().map(|e| ("allow_origins", e, origins(e))));
        let entries =
            entries.chain(self.deny_origins.iter().map(|e| ("deny_origins", e, origins(e))));
        entries
            .filter(|(.., found)| !found)
            .map(|(list, entry, _)| (list, entry.as_str()))
            .collect()
    }
}

/// Which rule refused a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PermissionDenial {
    /// The name is on the `deny` list.
    #[error("its name is on the list `deny`")]
    NameDenied,
    /// The origin is on the `deny_origins` list.
    #[error("its origin is on the list `deny_origins`")]
    OriginDenied,
    /// The name is not on the `allow` list.
    #[error("its name is not on the list `allow`")]
    NameNotAllowed,
    /// Neither the name nor the origin is on an allow list.
    #[error("its origin is not on the list `allow_origins`")]
    OriginNotAllowed,
}

impl PermissionDenial {
    /// A short word for programs.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::NameDenied => "name_denied",
            Self::OriginDenied => "origin_denied",
            Self::NameNotAllowed => "name_not_allowed",
            Self::OriginNotAllowed => "origin_not_allowed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_that_match_nothing_are_named() {
        let permissions = ToolPermissions {
            deny: ["sh*".to_owned(), "shell".to_owned()].into(),
            allow_origins: Some(["builtin".to_owned()].into()),
            ..Default::default()
        };
        assert_eq!(permissions.unmatched(&[("shell", "builtin")]), [("deny", "sh*")]);
    }
}
