//! `notes`: files below one directory.

use std::sync::Arc;
use std::time::Instant;

use toolstile_notes::{ErrorKind as NotesErrorKind, Notes, NotesError};

use super::denied::{Answer, refuse};
use crate::bindings::notes::Host;
use crate::bindings::types::ErrorKind;
use crate::capabilities::Capability;
use crate::state::PluginState;

impl Host for PluginState {
    async fn read(&mut self, path: String) -> Answer<String> {
        self.spend(path.len())?;
        self.with_notes(move |notes, _| notes.read(&path)).await
    }

    async fn append(&mut self, path: String, content: String) -> Answer<()> {
        self.spend(path.len() + content.len())?;
        self.with_notes(move |notes, deadline| notes.append(&path, &content, deadline)).await
    }

    async fn list_notes(&mut self, path: String) -> Answer<Vec<String>> {
        self.spend(path.len())?;
        self.with_notes(move |notes, _| notes.list(&path)).await
    }
}

impl PluginState {
    /// Files block; other calls must not wait for them.
    async fn with_notes<T: Send + 'static>(
        &mut self,
        run: impl FnOnce(&Notes, Instant) -> Result<T, NotesError> + Send + 'static,
    ) -> Answer<T> {
        let Some(notes) = self.grants.notes.as_ref().map(Arc::clone) else {
            return self.denied(Capability::Notes);
        };
        let deadline = self.host_deadline;
        let done = tokio::task::spawn_blocking(move || run(&notes, deadline)).await;
        match done {
            Ok(Ok(value)) => Ok(Ok(value)),
            Ok(Err(error)) => refuse(kind(error.kind()), error.to_string()),
            Err(_) => refuse(ErrorKind::Other, "the notes could not be used"),
        }
    }
}

fn kind(kind: NotesErrorKind) -> ErrorKind {
    match kind {
        NotesErrorKind::Denied => ErrorKind::Denied,
        NotesErrorKind::InvalidArgument => ErrorKind::InvalidArgument,
        NotesErrorKind::NotFound => ErrorKind::NotFound,
        NotesErrorKind::LimitExceeded => ErrorKind::LimitExceeded,
        NotesErrorKind::TimedOut => ErrorKind::TimedOut,
        NotesErrorKind::Unavailable => ErrorKind::Unavailable,
        NotesErrorKind::Other => ErrorKind::Other,
    }
}
