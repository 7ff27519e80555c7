//! What the host puts into requests.

use std::fmt;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::error::HttpError;
use crate::grant::Grant;
use crate::target::Target;

/// A secret. Prints nothing of itself.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretValue(String);

impl SecretValue {
    /// A secret.
    #[must_use]
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }
}

impl fmt::Debug for SecretValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretValue")
    }
}

/// A secret, and where it goes.
#[derive(Clone, Debug)]
pub struct Credential {
    /// The target that it is meant for; methods do not count.
    pub grant: Grant,
    /// The name of the secret, for messages.
    pub secret: String,
    /// The secret; `None` when it is not set, and then its target cannot be asked.
    pub value: Option<SecretValue>,
    /// Where it goes.
    pub place: Place,
}

/// Where in a request a secret goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Into a header field.
    Header {
        /// The name of the field.
        name: String,
        /// What stands before the secret, for example `Bearer ` with its blank.
        prefix: String,
    },
    /// Into the query.
    Query {
        /// The name of the parameter.
        name: String,
    },
}

/// Puts the credentials that are meant for a target into a request to it.
pub(crate) fn put_in(
    credentials: &[Credential],
    target: &mut Target,
    headers: &mut HeaderMap,
) -> Result<(), HttpError> {
    let meant = |credential: &&Credential| credential.grant.covers(target);
    let meant: Vec<&Credential> = credentials.iter().filter(meant).collect();
    for credential in meant {
        let missing = || HttpError::NoSecret(credential.secret.clone());
        let SecretValue(value) = credential.value.as_ref().ok_or_else(missing)?;
        match &credential.place {
            Place::Query { name } => {
                target.url.query_pairs_mut().append_pair(name, value);
            }
            Place::Header { name, prefix } => {
                let unusable = |reason| HttpError::Header { name: name.clone(), reason };
                let field = HeaderName::try_from(name.as_str())
                    .map_err(|_| unusable("it is no name of a header field"))?;
                let mut value = HeaderValue::try_from(format!("{prefix}{value}"))
                    .map_err(|_| unusable("the secret for it cannot stand in a header field"))?;
                value.set_sensitive(true);
                headers.insert(field, value);
            }
        }
    }
    Ok(())
}
