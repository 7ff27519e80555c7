//! Where a tool came from: the identity that permissions and people can trust,
//! because the loader stamps it and the tool has no say in it.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

/// Words that would make one origin read like another.
const RESERVED: [&str; 6] = ["builtin", "native", "plugin", "mcp", "host", "toolstile"];

/// Where a tool came from.
///
/// Displayed as `builtin`, `native`, `plugin:<file stem>` or `mcp:<namespace>`;
/// permission lists compare that text whole, letter by letter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// A component whose bytes are compiled into the host.
    Builtin,
    /// A Rust function that the embedding program registered.
    Native,
    /// A component from the plugin directory, by its file stem.
    Plugin(PluginId),
    /// A server of the Model Context Protocol, by the operator's name for it.
    Mcp(Namespace),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builtin => f.write_str("builtin"),
            Self::Native => f.write_str("native"),
            Self::Plugin(id) => write!(f, "plugin:{id}"),
            Self::Mcp(namespace) => write!(f, "mcp:{namespace}"),
        }
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Why a text cannot be the identity of a plugin or a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdentityError {
    /// Nothing, or nothing but dashes and underscores.
    #[error("{0:?} has no letter or digit")]
    Empty(String),
    /// A character outside `[a-zA-Z0-9_-]`.
    #[error("{0:?} contains {1:?}; allowed are `a-z A-Z 0-9 _ -`")]
    Character(String, char),
    /// Longer than 64 characters.
    #[error("{0:?} is longer than 64 characters")]
    TooLong(String),
    /// A word that names another kind of origin.
    #[error("`{0}` is reserved; choose another name")]
    Reserved(String),
}

fn check_identity(text: &str) -> Result<Arc<str>, IdentityError> {
    let owned = || text.to_owned();
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if let Some(character) = text.chars().find(|c| !allowed(*c)) {
        return Err(IdentityError::Character(owned(), character));
    }
    if !text.bytes().any(|b| b.is_ascii_alphanumeric()) {
        return Err(IdentityError::Empty(owned()));
    }
    if text.len() > 64 {
        return Err(IdentityError::TooLong(owned()));
    }
    if RESERVED.iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return Err(IdentityError::Reserved(owned()));
    }
    Ok(text.into())
}

macro_rules! identity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Accepts `^[a-zA-Z0-9_-]{1,64}$` with at least one letter or digit,
            /// except the words that name an origin.
            ///
            /// # Errors
            /// Says which rule is broken.
            pub fn parse(text: &str) -> Result<Self, IdentityError> {
                check_identity(text).map(Self)
            }

            /// The identity as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

identity! {
    /// The identity of a plugin: the stem of its file name.
    PluginId
}

identity! {
    /// The operator's name for a server; never the name that the server gives itself.
    Namespace
}
