//! Defaults of another type than the parameter.
#![allow(unused_variables, reason = "the bodies are empty")]

use toolstile_sdk::tool;

/// Has a text for a number.
#[tool]
fn text_for_number(#[arg(default = "x")] value: u8) {}

/// Has a number for a text.
#[tool]
fn number_for_text(#[arg(default = 1)] value: String) {}

fn main() {}
