//! Functions whose shape the model could not call.
#![allow(unused_variables, reason = "the bodies are empty")]

use toolstile_sdk::tool;

/// Has a receiver.
#[tool]
fn method(&self) {}

/// Is generic.
#[tool]
fn generic<T>(value: T) {}

/// Borrows for a named while.
#[tool]
fn lifetime<'a>(value: Vec<&'a str>) {}

/// Is async.
#[tool]
async fn waits() {}

/// Is unsafe.
#[tool]
unsafe fn dangerous() {}

/// Takes apart its argument.
#[tool]
fn pattern((left, right): (u8, u8)) {}

/// Ignores its argument.
#[tool]
fn nameless(_: u8) {}

/// Takes any number of arguments.
#[tool]
fn variadic(first: u8, rest: ...) {}

fn main() {}
