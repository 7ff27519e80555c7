//! A plugin under the strictest lints, with all that a tool may be.
#![deny(warnings, missing_docs, missing_debug_implementations)]
#![forbid(unsafe_code)]

use toolstile_sdk::serde_json::{Map, Value, json};
use toolstile_sdk::{Tool, ToolDefinition, ToolResponse, export, tool};

type Answer<T> = Result<T, String>;

/// Tools in a module of their own.
pub mod module {
    use toolstile_sdk::tool;

    /// Answers nothing.
    #[tool(
        requires_confirmation,
        external_content,
        supports_parallel,
        read_only,
        destructive,
        idempotent,
        open_world
    )]
    pub fn nothing() {}
}

/// Doubles an even number.
#[tool(name = "double-even", title = "Double")]
fn double(mut number: u32) -> Answer<u32> {
    if number % 2 == 1 {
        return Err(format!("{number} is odd"));
    }
    number *= 2;
    Ok(number)
}

/// Has names that Rust or the generated code uses itself.
#[tool]
fn name(r#type: String, arguments: String, name: String, call: String) -> String {
    r#type + &arguments + &name + &call
}

/// Is used by nothing but the export.
#[tool]
fn exported_only() {}

/// A tool with a schema of its own.
#[derive(Debug, Default)]
struct Raw;

impl Tool for Raw {
    fn name(&self) -> &str {
        "raw"
    }

    fn definition(&self) -> ToolDefinition {
        ToolDefinition::new("raw", "Answers how many arguments it got.", json!({ "type": "object" }))
    }

    fn call(&self, arguments: Map<String, Value>) -> ToolResponse {
        ToolResponse::success(arguments.len().to_string())
    }
}

export!(module::nothing, double, name, exported_only, Raw);

fn main() {
    assert_eq!(double(2), Ok(4), "the function is still a function");
    assert_eq!(double::default().name(), "double-even");
    let arguments = json!({ "type": "a", "arguments": "b", "name": "c", "call": "d" });
    let Value::Object(arguments) = arguments else { unreachable!() };
    assert_eq!(name::default().call(arguments).text, "abcd");
}
