//! Tool names: parsed once at the edge, valid ever after.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::origin::Namespace;

/// The longest tool name, in characters (all of them ASCII).
pub(crate) const MAX_NAME: usize = 64;

/// The name of a tool: `^[a-zA-Z0-9_-]{1,64}$`, compared case by case.
///
/// The rule is the intersection of what the function-calling interfaces of the
/// large model providers accept. It is a full match: a trailing newline is not
/// part of any name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct ToolName(Arc<str>);

impl ToolName {
    /// Accepts a valid name.
    ///
    /// # Errors
    /// [`NameError`] names the first thing that is wrong and a name that would do.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        match text.chars().find(|c| !is_name_char(*c)) {
            _ if text.is_empty() => Err(NameError::Empty),
            Some(character) => Err(NameError::Character {
                name: text.to_owned(),
                character,
                suggestion: Self::sanitize(text).0,
            }),
            None if text.len() > MAX_NAME => Err(NameError::TooLong(text.len())),
            None => Ok(Self(text.into())),
        }
    }

    /// The nearest valid name: every other character becomes `_`, the rest is cut
    /// to 64 characters, nothing becomes `tool`. For suggestions only: a name that
    /// was changed silently can turn into the very name that it imitates.
    #[must_use]
    pub fn sanitize(text: &str) -> Self {
        let replace = |c| if is_name_char(c) { c } else { '_' };
        let name: String = text.chars().map(replace).take(MAX_NAME).collect();
        Self(if name.is_empty() { "tool".into() } else { name.into() })
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for ToolName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl std::borrow::Borrow<str> for ToolName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ToolName {
    type Error = NameError;
    fn try_from(text: String) -> Result<Self, NameError> {
        Self::parse(&text)
    }
}

impl std::str::FromStr for ToolName {
    type Err = NameError;
    fn from_str(text: &str) -> Result<Self, NameError> {
        Self::parse(text)
    }
}

/// Why a text is not a tool name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// Nothing is not a name.
    #[error("a tool name must not be empty")]
    Empty,
    /// Longer than 64 characters.
    #[error("a tool name has at most {MAX_NAME} characters, this one has {0}")]
    TooLong(usize),
    /// A character outside `[a-zA-Z0-9_-]`.
    #[error(
        "the tool name {name:?} contains {character:?}; names consist of `a-z A-Z 0-9 _ -`, \
         for example `{suggestion}`"
    )]
    Character {
        /// The text as given.
        name: String,
        /// The first character that is not allowed.
        character: char,
        /// A valid name near it.
        suggestion: Arc<str>,
    },
}

/// Why a server's tools cannot be named.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NamingError {
    /// A remote name has characters that no rewriting makes safe.
    #[error(transparent)]
    Name(#[from] NameError),
    /// Two tools of one server would have the same name.
    #[error("the tools {first:?} and {second:?} of `{namespace}` would both be named `{name}`")]
    Duplicate {
        /// The namespace of the server.
        namespace: Namespace,
        /// The remote name that came first.
        first: String,
        /// The remote name that collides with it.
        second: String,
        /// The name both would get.
        name: ToolName,
    },
}

/// Names for the tools of a remote server: `<namespace>_<remote name>`, in order.
///
/// Calls must go through a table from these names to the remote ones; the names
/// are never split. The separators `.`, `/`, `:` and blank of remote names become
/// `_`; any other character outside `[a-zA-Z0-9_-]` is refused, since rewriting it
/// could forge a trusted name. A name over 64 characters is cut and ends in eight
/// hexadecimal digits of the SHA-256 of the whole.
///
/// # Errors
/// A remote name that cannot be rewritten, or two that become equal. A name that
/// another origin already took is found by the registry.
pub fn namespaced<S: AsRef<str>>(
    namespace: &Namespace,
    remote_names: &[S],
) -> Result<Vec<ToolName>, NamingError> {
    let mut names: Vec<ToolName> = Vec::with_capacity(remote_names.len());
    for remote in remote_names {
        let name = namespaced_one(namespace, remote.as_ref())?;
        if let Some(position) = names.iter().position(|n| *n == name) {
            return Err(NamingError::Duplicate {
                namespace: namespace.clone(),
                first: remote_names[position].as_ref().to_owned(),
                second: remote.as_ref().to_owned(),
                name,
            });
        }
        names.push(name);
    }
    Ok(names)
}

fn namespaced_one(namespace: &Namespace, remote: &str) -> Result<ToolName, NameError> {
    if remote.is_empty() {
        return Err(NameError::Empty);
    }
    let rewritten: String =
        remote.chars().map(|c| if matches!(c, '.' | '/' | ':' | ' ') { '_' } else { c }).collect();
    let full = format!("{namespace}_{rewritten}");
    match ToolName::parse(&full) {
        Err(NameError::TooLong(_)) => Ok(ToolName(shortened(&full).into())),
        other => other,
    }
}

/// Cuts an over-long ASCII name so that different names stay different.
fn shortened(full: &str) -> String {
    let digest = Sha256::digest(full.as_bytes());
    let tail: String = digest[..4].iter().map(|b| format!("{b:02x}")).collect();
    format!("{}_{tail}", &full[..MAX_NAME - 9])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_stay_different() {
        let namespace = Namespace::parse("server").unwrap();
        let long = |end: &str| format!("{}{end}", "x".repeat(80));
        let names = namespaced(&namespace, &[long("a"), long("b")]).unwrap();
        assert_ne!(names[0], names[1]);
        assert!(names.iter().all(|n| n.as_str().len() == MAX_NAME));
    }

    #[test]
    fn the_error_suggests_a_name() {
        let error = ToolName::parse("get weather").unwrap_err();
        assert!(error.to_string().contains("`get_weather`"), "{error}");
    }
}
