//! Reads and appends to note files, and lets clients read them as resources: a toolstile
//! plugin.
//!
//! Where notes may lie and what a path may be is the host's business; here are the
//! limits of one call and the answers. `journal` is what the tool does and `resources`
//! what clients read, under the URIs of `uri`; both ask the host through a trait, so that
//! they run and are tested anywhere. This file is the tool around it.

mod journal;
mod limits;
mod resources;
pub mod texts;
mod uri;

use toolstile_sdk::settings::InvalidSetting;
use toolstile_sdk::{ToolResponse, export, export_resources, schemars, serde, tool};

pub use journal::{Host, Store, append, read};
pub use limits::Limits;
pub use resources::{NoteResources, list_resources, read_resource};

/// What to do with a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(crate = "toolstile_sdk::serde", rename_all = "lowercase")]
#[schemars(crate = "toolstile_sdk::schemars")]
#[expect(missing_docs, reason = "with a description each, the schema is no plain list of words")]
pub enum Action {
    Read,
    Append,
}

// Not `supports_parallel`: two appends of one batch to the same note would be in
// each other's way, and in no order.
/// Reads a note, or appends text to one, in the folder of notes that the operator
/// chose. Use it for what has to be remembered beyond this conversation.
///
/// `append` never changes what a note holds already, and creates the note and its
/// folders where they are missing. A long note is cut when it is read.
#[tool(
    title = "Notes",
    external_content,
    confirm_when = r#"{ "properties": { "action": { "const": "append" } }, "required": ["action"] }"#,
    output_schema = r#"{
        "type": "object",
        "properties": {
            "path": { "type": "string", "description": "The note, relative to the folder of notes." },
            "exists": { "type": "boolean", "description": "After `read`: whether the note is there." },
            "appended_chars": {
                "type": "integer",
                "minimum": 1,
                "description": "After `append`: characters added, with the line break at the end."
            }
        },
        "required": ["path"],
        "oneOf": [{ "required": ["exists"] }, { "required": ["appended_chars"] }]
    }"#
)]
pub fn notes(
    /// `read` to see the note, `append` to add to its end.
    action: Action,
    /// The note, relative to the folder of notes, for example `projects/garden.md`.
    #[arg(format = "notes-path")]
    path: String,
    /// The text to append; a line break at its end is added if it has none. Only for `append`.
    content: Option<String>,
) -> Result<ToolResponse, InvalidSetting> {
    let limits = Limits::from_settings()?;
    Ok(match action {
        Action::Read => read(&Host, &path, limits),
        Action::Append => append(&Host, &path, &content.unwrap_or_default(), limits),
    })
}

export!(notes);
export_resources!(NoteResources);
