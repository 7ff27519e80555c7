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

/// Has a schema of its data that is no JSON.
#[tool(output_schema = "number")]
fn output_no_json() -> f64 {
    0.5
}

/// Has a schema of its data that is no object.
#[tool(output_schema = r#"["number"]"#)]
fn output_no_object() -> f64 {
    0.5
}

/// Has a schema of its data twice.
#[tool(output_schema = "{}", output_schema = "{}")]
fn output_twice() -> f64 {
    0.5
}

/// Has a schema of its data that is not written as text.
#[tool(output_schema = 1)]
fn output_no_text() -> f64 {
    0.5
}

fn main() {}
