//! The schemas of the Gemini API: a part of OpenAPI 3.0.

use serde_json::{Map, Value, json};

use super::combine::merge_all_of;
use super::inline::bottom_up;
use super::node::{const_to_enum, one_of_to_any_of, remark, type_names};

/// All keywords that there are.
const KEYWORDS: [&str; 18] = [
    "type",
    "nullable",
    "format",
    "description",
    "enum",
    "items",
    "properties",
    "required",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "anyOf",
    "title",
    "pattern",
    "minLength",
    "maxLength",
    "propertyOrdering",
];

const FORMATS: [&str; 6] = ["int32", "int64", "float", "double", "date-time", "enum"];

/// The parameters; `None` for an object without properties, which is refused.
pub(super) fn parameters(root: Map<String, Value>) -> Option<Value> {
    let prepared = bottom_up(Value::Object(root), &mut prepare);
    let converted = bottom_up(prepared, &mut convert);
    let has_properties = converted.get("properties").is_some();
    has_properties.then_some(converted)
}

/// Fewer ways to say the same; what is `null` is still to be seen.
fn prepare(schema: &mut Map<String, Value>) {
    merge_all_of(schema, 0);
    const_to_enum(schema);
    one_of_to_any_of(schema);
    split_null(schema);
}

fn convert(schema: &mut Map<String, Value>) {
    split_types(schema);
    only_null(schema);
    convert_enum(schema);
    convert_format(schema);
    convert_items(schema);
    convert_properties(schema);
    add_type(schema);
    schema.retain(|keyword, _| KEYWORDS.contains(&keyword.as_str()));
}

/// A list of types is `nullable` and one type, or alternatives.
fn split_types(schema: &mut Map<String, Value>) {
    if !schema.get("type").is_some_and(Value::is_array) {
        return;
    }
    let mut names = type_names(schema);
    schema.remove("type");
    let all = names.len();
    names.retain(|name| name != "null");
    if names.len() < all {
        schema.insert("nullable".to_owned(), Value::Bool(true));
    }
    match names.as_slice() {
        [] => {}
        [only] => {
            schema.insert("type".to_owned(), Value::from(only.as_str()));
        }
        several => {
            let alternatives = several.iter().map(|name| alternative(name, schema)).collect();
            schema.retain(|keyword, _| {
                matches!(keyword.as_str(), "description" | "title" | "nullable")
            });
            schema.insert("anyOf".to_owned(), Value::Array(alternatives));
        }
    }
}

/// One type of several, with the keywords that speak of it.
fn alternative(name: &str, schema: &Map<String, Value>) -> Value {
    let speaks: &[&str] = match name {
        "string" => &["minLength", "maxLength", "pattern", "format"],
        "integer" | "number" => &["minimum", "maximum"],
        "array" => &["items", "minItems", "maxItems"],
        "object" => &["properties", "required"],
        _ => &[],
    };
    let kept = schema.iter().filter(|(keyword, _)| speaks.contains(&keyword.as_str()));
    let mut kept: Map<String, Value> = kept.map(|(k, v)| (k.clone(), v.clone())).collect();
    kept.insert("type".to_owned(), Value::from(name));
    convert(&mut kept);
    Value::Object(kept)
}

/// `null` among the alternatives is `nullable`, and a single alternative is none.
fn split_null(schema: &mut Map<String, Value>) {
    let Some(Value::Array(mut branches)) = schema.remove("anyOf") else { return };
    let all = branches.len();
    branches.retain(|branch| !is_null(branch));
    if branches.len() < all {
        schema.insert("nullable".to_owned(), Value::Bool(true));
    }
    if branches.len() > 1 {
        schema.insert("anyOf".to_owned(), Value::Array(branches));
        return;
    }
    for (keyword, value) in branches.pop().map(super::members).into_iter().flatten() {
        schema.entry(keyword).or_insert(value);
    }
}

/// Whether a schema admits nothing but `null`.
fn is_null(schema: &Value) -> bool {
    schema.get("type") == Some(&json!("null")) || schema.get("enum") == Some(&json!([null]))
}

/// There is no type `null`.
fn only_null(schema: &mut Map<String, Value>) {
    if schema.get("type").is_some_and(|name| name == "null") {
        schema.insert("type".to_owned(), Value::from("string"));
        schema.insert("nullable".to_owned(), Value::Bool(true));
        remark(schema, "always null");
    }
}

fn convert_enum(schema: &mut Map<String, Value>) {
    let Some(Value::Array(mut values)) = schema.remove("enum") else { return };
    let all = values.len();
    values.retain(|value| !value.is_null());
    if values.len() < all {
        schema.insert("nullable".to_owned(), Value::Bool(true));
    }
    if !values.is_empty() && values.iter().all(Value::is_string) {
        schema.insert("type".to_owned(), Value::from("string"));
        schema.insert("enum".to_owned(), Value::Array(values));
        return;
    }
    if let (false, Some(name)) = (schema.contains_key("type"), values.first().map(type_of)) {
        schema.insert("type".to_owned(), Value::from(name));
    }
    let listed: Vec<String> = values.iter().map(Value::to_string).collect();
    if !listed.is_empty() {
        remark(schema, &format!("one of {}", listed.join(", ")));
    }
}

fn convert_format(schema: &mut Map<String, Value>) {
    let Some(Value::String(format)) = schema.get("format").cloned() else { return };
    if !FORMATS.contains(&format.as_str()) {
        schema.remove("format");
        remark(schema, &format!("format: {format}"));
    }
}

fn convert_items(schema: &mut Map<String, Value>) {
    let is_array = schema.get("type").is_some_and(|name| name == "array");
    if is_array && !schema.get("items").is_some_and(Value::is_object) {
        schema.insert("items".to_owned(), json!({"type": "string"}));
    }
}

/// Only objects have properties, not none of them, and only those can be required.
fn convert_properties(schema: &mut Map<String, Value>) {
    let names: Vec<String> = match schema.get("properties") {
        Some(Value::Object(properties)) => properties.keys().cloned().collect(),
        _ => Vec::new(),
    };
    if names.is_empty() {
        schema.remove("properties");
    } else {
        schema.entry("type").or_insert_with(|| Value::from("object"));
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name.as_str().is_some_and(|n| names.iter().any(|k| k == n)));
        if required.is_empty() {
            schema.remove("required");
        }
    }
}

/// Every schema has a type. One that admits anything becomes a text that says so.
fn add_type(schema: &mut Map<String, Value>) {
    if schema.contains_key("type") || schema.contains_key("anyOf") {
        return;
    }
    if schema.contains_key("items") {
        schema.insert("type".to_owned(), Value::from("array"));
        return;
    }
    schema.insert("type".to_owned(), Value::from("string"));
    remark(schema, "any value");
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::String(_) | Value::Null => "string",
    }
}
