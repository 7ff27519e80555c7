//! Note files inside one directory that the operator chose. Paths are relative
//! to it.
//!
//! Every function fails with an [`Error`] that says what the operator's grant
//! forbids or what is missing; in native code with
//! [`Unavailable`](crate::ErrorKind::Unavailable).

use crate::Error;
use crate::bindings::toolstile::plugin::notes;
use crate::error::ask;

/// Reads a whole note.
pub fn read(path: &str) -> Result<String, Error> {
    ask("notes", || notes::read(path))
}

/// Appends to a note. The note and its parent folders are created when absent.
pub fn append(path: &str, content: &str) -> Result<(), Error> {
    ask("notes", || notes::append(path, content))
}

/// Lists the notes under `path`, sorted; an empty path is the whole directory.
pub fn list(path: &str) -> Result<Vec<String>, Error> {
    ask("notes", || notes::list_notes(path))
}
