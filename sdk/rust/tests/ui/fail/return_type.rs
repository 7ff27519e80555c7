//! Answers that do not outlive the call.

use toolstile_sdk::tool;

/// Answers borrowed text.
#[tool]
fn text() -> &str {
    "text"
}

/// Answers a borrowed list.
#[tool]
fn list() -> &'static [u8] {
    &[]
}

fn main() {}
