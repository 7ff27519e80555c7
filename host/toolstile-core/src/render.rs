//! The tools as text and as function-calling schemas.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::escape::escape_invisible;
use crate::registry::RegisteredTool;

/// The shape in which a model provider or client wants tool schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaShape {
    /// `{"type":"function","function":{"name","description","parameters"}}`.
    OpenAi,
    /// `{"name","description","input_schema"}`.
    Anthropic,
    /// `{"name","title","description","inputSchema","outputSchema","annotations"}`,
    /// as in `tools/list` of the Model Context Protocol.
    Mcp,
}

/// One line for each tool: `- name: description`.
#[must_use]
pub fn catalog(tools: &[Arc<RegisteredTool>]) -> String {
    if tools.is_empty() {
        return "no tools are available".to_owned();
    }
    tools.iter().map(|tool| catalog_line(tool)).collect::<Vec<_>>().join("\n")
}

/// The catalog with a line for each parameter under its tool:
/// `name (type, required): description`.
#[must_use]
pub fn descriptions(tools: &[Arc<RegisteredTool>]) -> String {
    if tools.is_empty() {
        return catalog(tools);
    }
    let mut text = String::new();
    for tool in tools {
        let _ = writeln!(text, "{}", catalog_line(tool));
        for line in parameter_lines(tool.definition.input_schema.as_value()) {
            let _ = writeln!(text, "    {line}");
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// Function-calling schemas, in the order of the tools.
#[must_use]
pub fn function_schemas(tools: &[Arc<RegisteredTool>], shape: SchemaShape) -> Vec<Value> {
    tools.iter().map(|tool| function_schema(tool, shape)).collect()
}

fn function_schema(tool: &RegisteredTool, shape: SchemaShape) -> Value {
    let definition = &tool.definition;
    let (name, schema) = (&definition.name, definition.input_schema.as_value());
    let description = clean(&definition.description);
    match shape {
        SchemaShape::OpenAi => json!({
            "type": "function",
            "function": {"name": name, "description": description, "parameters": schema},
        }),
        SchemaShape::Anthropic => {
            json!({"name": name, "description": description, "input_schema": schema})
        }
        SchemaShape::Mcp => mcp_schema(tool, &description),
    }
}

fn mcp_schema(tool: &RegisteredTool, description: &str) -> Value {
    let definition = &tool.definition;
    let traits = definition.traits;
    let mut value = json!({
        "name": definition.name,
        "description": description,
        "inputSchema": definition.input_schema.as_value(),
        "annotations": {
            "readOnlyHint": traits.read_only,
            "destructiveHint": traits.destructive,
            "idempotentHint": traits.idempotent,
            "openWorldHint": traits.open_world,
        },
    });
    if let Some(title) = &definition.title {
        value["title"] = clean(title).into();
    }
    if let Some(schema) = &definition.output_schema {
        value["outputSchema"] = schema.as_value().clone();
    }
    value
}

fn clean(text: &str) -> String {
    escape_invisible(text).into_owned()
}

fn catalog_line(tool: &RegisteredTool) -> String {
    format!("- {}: {}", tool.name(), one_line(&tool.definition.description))
}

/// Text without line breaks: one that could begin a line could imitate a tool.
fn one_line(text: &str) -> String {
    clean(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn parameter_lines(schema: &Value) -> Vec<String> {
    let required = |name: &str| {
        let list = schema.get("required").and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(|entry| entry == name))
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    let line = |(name, property): (&String, &Value)| {
        let need = if required(name) { "required" } else { "optional" };
        let default = property.get("default").map(|d| format!(", default {d}")).unwrap_or_default();
        let text = property.get("description").and_then(Value::as_str).unwrap_or_default();
        let line = format!("{name} ({}, {need}{default}): {text}", type_text(property));
        one_line(line.trim_end_matches(": "))
    };
    properties.into_iter().flatten().map(line).collect()
}

fn type_text(property: &Value) -> String {
    match (property.get("type"), property.get("enum")) {
        (_, Some(Value::Array(values))) => {
            values.iter().map(Value::to_string).collect::<Vec<_>>().join("|")
        }
        (Some(Value::String(kind)), _) => kind.clone(),
        (Some(Value::Array(kinds)), _) => {
            kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|")
        }
        _ => "any".to_owned(),
    }
}
