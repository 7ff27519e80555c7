//! What a host interface refuses or fails with.

use std::fmt;

use crate::bindings::toolstile::plugin::types as wit;

pub use wit::ErrorKind;

/// A host interface refused, or failed. Its text is written for the model and
/// names what would be accepted, so a tool may well pass it on: return it as
/// the error of a `Result`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What kind of failure it is; programs branch on this.
    pub kind: ErrorKind,
    /// For the model.
    pub message: String,
}

impl Error {
    /// There is nothing by that name.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::NotFound, message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<wit::Error> for Error {
    fn from(error: wit::Error) -> Self {
        Self { kind: error.kind, message: error.message }
    }
}

impl From<Error> for wit::Error {
    fn from(error: Error) -> Self {
        Self { kind: error.kind, message: error.message }
    }
}

/// Asks the host; where there is none, in native code, the answer is
/// [`ErrorKind::Unavailable`].
pub(crate) fn ask<T>(
    interface: &str,
    question: impl FnOnce() -> Result<T, wit::Error>,
) -> Result<T, Error> {
    if cfg!(target_family = "wasm") {
        return question().map_err(Error::from);
    }
    let message = format!("`{interface}` needs a host, and this is no component");
    Err(Error { kind: ErrorKind::Unavailable, message })
}
