//! Names that the contract does not allow.

use toolstile_sdk::tool;

/// Has a space in its name.
#[tool(name = "word count")]
fn space() {}

/// Has no name.
#[tool(name = "")]
fn empty() {}

/// Has a name of 65 characters.
#[tool]
fn a2345678901234567890123456789012345678901234567890123456789012345() {}

/// Has a name outside ASCII.
#[tool]
fn größe() {}

fn main() {}
