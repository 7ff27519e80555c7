//! Types of the author's that lack what a tool needs.
#![allow(unused_variables, reason = "the bodies are empty")]

use toolstile_sdk::tool;

struct Plain;

/// Takes a type without a schema.
#[tool]
fn takes(value: Plain) {}

/// Answers with a type that does not serialise.
#[tool]
fn answers() -> Plain {
    Plain
}

/// Fails with an error that has no text.
#[tool]
fn fails() -> Result<u8, Plain> {
    Err(Plain)
}

fn main() {}
