//! Parameter types that JSON cannot carry, told by their spelling.
#![allow(unused_variables, reason = "the bodies are empty")]

use toolstile_sdk::tool;

/// Borrows text.
#[tool]
fn text(text: &str) {}

/// Borrows a list.
#[tool]
fn list(items: &[u8]) {}

/// Borrows a number.
#[tool]
fn number(number: &mut u8) {}

/// Borrows inside.
#[tool]
fn inside(text: Option<&str>) {}

/// Takes whatever implements a trait.
#[tool]
fn sequence(items: impl IntoIterator<Item = String>) {}

/// Takes an object.
#[tool]
fn object(item: Box<dyn Send>) {}

/// Takes a function.
#[tool]
fn function(callback: fn(u8) -> u8) {}

/// Leaves a type out.
#[tool]
fn inferred(items: Vec<_>) {}

fn main() {}
