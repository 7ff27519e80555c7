//! The attribute on something that is no function.

use toolstile_sdk::tool;

/// A type.
#[tool]
struct Type;

fn main() {}
