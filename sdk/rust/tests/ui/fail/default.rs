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

fn main() {}
