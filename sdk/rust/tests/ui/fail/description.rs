//! A tool that does not say what it does, or describes what it has not.

use toolstile_sdk::tool;

#[tool]
fn silent(text: String) -> String {
    text
}

/// # Arguments
///
/// * `text` - The text.
#[tool]
fn headings_only(text: String) -> String {
    text
}

/// Echoes.
///
/// # Arguments
///
/// * `text` - The text.
/// * `txt` - The text again.
#[tool]
fn unknown_argument(text: String) -> String {
    text
}

/// Echoes.
///
/// # Arguments
///
/// * text: The text.
#[tool]
fn malformed_argument(text: String) -> String {
    text
}

fn main() {}
