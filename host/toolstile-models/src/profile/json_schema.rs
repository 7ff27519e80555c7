//! The providers that take JSON Schema and mind a few things in it.

use serde_json::{Map, Value, json};

use super::combine::merge_all_of;
use super::inline::bottom_up;
use super::node::{const_to_enum, one_of_to_any_of, remark, type_names};

/// Arrays say what they hold.
pub(super) fn openai(root: Map<String, Value>) -> Value {
    bottom_up(Value::Object(root), &mut with_items)
}

/// The root is all that matters.
pub(super) fn anthropic(root: Map<String, Value>) -> Value {
    Value::Object(root)
}

/// The server knows `anyOf` and `enum` but not their relatives, and templates of models
/// print `type` as it stands.
pub(super) fn ollama(root: Map<String, Value>) -> Value {
    bottom_up(Value::Object(root), &mut |schema| {
        merge_all_of(schema, 0);
        one_of_to_any_of(schema);
        const_to_enum(schema);
        with_items(schema);
        with_single_type(schema);
    })
}

fn with_items(schema: &mut Map<String, Value>) {
    if type_names(schema).iter().any(|name| name == "array") {
        schema.entry("items").or_insert_with(|| json!({}));
    }
}

fn with_single_type(schema: &mut Map<String, Value>) {
    if !schema.get("type").is_some_and(Value::is_array) {
        return;
    }
    let names = type_names(schema);
    let (nulls, others): (Vec<String>, Vec<String>) =
        names.into_iter().partition(|name| name == "null");
    let single = others.first().or(nulls.first()).cloned();
    match single {
        Some(name) => schema.insert("type".to_owned(), Value::String(name)),
        None => schema.remove("type"),
    };
    if others.len() > 1 {
        remark(schema, &others.join(" or "));
    }
}
