//! The two functions of the contract, as `export!` calls them.

use toolstile_sdk::__private::{MakeTool, call_tool, list_tools};
use toolstile_sdk::serde_json::{Map, Value};
use toolstile_sdk::{Tool, ToolDefinition, ToolResponse, tool};

/// Doubles.
#[tool(read_only, output_schema = r#"{"type":"integer"}"#, confirm_when = "{}")]
fn double(number: i32) -> i32 {
    number * 2
}

/// A tool whose definition must not be asked for on the way of a call.
#[derive(Default)]
struct Costly;

impl Tool for Costly {
    fn name(&self) -> &str {
        "costly"
    }

    fn definition(&self) -> ToolDefinition {
        panic!("a call built a definition")
    }

    fn call(&self, arguments: Map<String, Value>) -> ToolResponse {
        ToolResponse::success(arguments.len().to_string())
    }
}

const TOOLS: &[MakeTool] = &[|| Box::new(double {}), || Box::new(Costly)];

#[test]
fn tools_are_listed_as_the_contract_wants_them() {
    let listed = list_tools(&TOOLS[..1]);
    let [definition] = listed.as_slice() else { panic!("one tool was exported") };
    assert_eq!(definition.name, "double");
    assert_eq!(definition.description, "Doubles.");
    let schema: Value = definition.input_schema.parse().expect("the schema is JSON");
    assert_eq!(schema["required"][0], "number");
    assert_eq!(definition.output_schema.as_deref(), Some(r#"{"type":"integer"}"#));
    assert_eq!(definition.confirm_when.as_deref(), Some("{}"));
    let traits = format!("{:?}", definition.traits);
    assert_eq!(traits, "Traits(REQUIRES_CONFIRMATION | READ_ONLY)");
}

#[test]
fn a_call_finds_its_tool_without_any_definition() {
    assert_eq!(call_tool(TOOLS, "double", r#"{"number":21}"#).data.as_deref(), Some("42"));
    assert_eq!(call_tool(TOOLS, "costly", r#"{"a":1,"b":2}"#).text, "2");
}

#[test]
fn what_is_no_call_is_an_error_answer() {
    let unknown = call_tool(TOOLS, "triple", "{}");
    assert_eq!(unknown.text, "there is no tool `triple` in this plugin");
    let list = call_tool(TOOLS, "double", "[21]");
    assert!(list.text.starts_with("the arguments are no JSON object: "), "{}", list.text);
}
