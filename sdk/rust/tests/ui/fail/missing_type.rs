//! A parameter without a type. The compiler says so before `#[tool]` is asked.

use toolstile_sdk::tool;

/// Has no type.
#[tool]
fn untyped(value) {}

fn main() {}
