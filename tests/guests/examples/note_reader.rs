//! A plugin that asks for a capability.

use toolstile_sdk::{Error, export, notes, tool};

export!(read_note);

/// Reads a note.
#[tool(read_only)]
fn read_note(
    /// Which note.
    path: String,
) -> Result<String, Error> {
    notes::read(&path)
}
