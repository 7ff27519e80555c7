//! Options of `#[tool]` that do not exist, are given twice or are no JSON.

use toolstile_sdk::tool;

/// Has a misspelt flag.
#[tool(suports_paralel)]
fn misspelt() {}

/// Has a flag twice.
#[tool(read_only, read_only)]
fn flag_twice() {}

/// Has a name twice.
#[tool(name = "one", name = "two")]
fn name_twice() {}

/// Has a flag with a value.
#[tool(read_only = true)]
fn flag_with_value() {}

/// Has a schema that is no JSON.
#[tool(confirm_when = "{ path: '*' }")]
fn no_json() {}

/// Has a schema that is no object.
#[tool(confirm_when = "true")]
fn no_object() {}

fn main() {}
