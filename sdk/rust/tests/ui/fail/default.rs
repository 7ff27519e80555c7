//! Misuse of `#[arg]`.
#![allow(unused_variables, reason = "the bodies are empty")]

use toolstile_sdk::tool;

/// Has two ways to be absent.
#[tool]
fn on_option(#[arg(default = Some(1))] value: Option<u8>) {}

/// Has a default without a value.
#[tool]
fn no_value(#[arg(default)] value: u8) {}

/// Has two defaults.
#[tool]
fn twice(#[arg(default = 1, default = 2)] value: u8) {}

/// Has an option that does not exist.
#[tool]
fn unknown(#[arg(name = "other")] value: u8) {}

/// Has a format that the host does not know.
#[tool]
fn unknown_format(#[arg(format = "note-path")] path: String) {}

/// Has a format of a number.
#[tool]
fn no_text(#[arg(format = "http-url")] value: Option<u8>) {}

/// Has a format that is not written as text.
#[tool]
fn no_literal(#[arg(format)] path: String) {}

/// Has two formats.
#[tool]
fn two_formats(#[arg(format = "http-url")] #[arg(format = "http-url")] url: String) {}

fn main() {}
