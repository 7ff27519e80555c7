//! A plugin that behaves, to see what the others' misbehaviour does to it.

use toolstile_sdk::{export, tool};

export!(echo);

/// Answers what it was asked.
#[tool(read_only, idempotent)]
fn echo(
    /// The answer.
    text: String,
) -> String {
    text
}
