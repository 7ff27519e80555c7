//! What a call of an import answers when it may not be used.

use crate::bindings::types;
use crate::bindings::types::{Error, ErrorKind};
use crate::capabilities::Capability;
use crate::grants::not_granted;
use crate::state::PluginState;

/// What a host function answers: a trap ends the call, an error is the guest's to
/// handle.
pub(crate) type Answer<T> = wasmtime::Result<Result<T, Error>>;

/// An error for the guest.
pub(crate) fn refuse<T>(kind: ErrorKind, message: impl Into<String>) -> Answer<T> {
    Ok(Err(Error { kind, message: message.into() }))
}

impl PluginState {
    /// The capability is not granted.
    pub(crate) fn denied<T>(&self, capability: Capability) -> Answer<T> {
        refuse(ErrorKind::Denied, not_granted(capability, &self.plugin))
    }
}

impl types::Host for PluginState {}
