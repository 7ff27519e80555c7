//! What a keyword of a schema holds, and small changes that several profiles make.

use serde_json::{Map, Value};

/// What stands behind a keyword.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// A schema.
    Schema,
    /// A list of schemas.
    List,
    /// Schemas by name.
    Named,
    /// Anything but a schema.
    Data,
}

pub(super) fn holds(keyword: &str) -> Holds {
    match keyword {
        "items"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "unevaluatedItems"
        | "propertyNames"
        | "contains"
        | "not"
        | "if"
        | "then"
        | "else" => Holds::Schema,
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => Holds::List,
        "properties" | "patternProperties" | "dependentSchemas" => Holds::Named,
        _ => Holds::Data,
    }
}

/// The schema with `change` made to each schema directly in it.
pub(super) fn map_children(
    schema: Map<String, Value>,
    mut change: impl FnMut(Value) -> Value,
) -> Map<String, Value> {
    let mapped = schema.into_iter().map(|(keyword, value)| {
        let value = match (holds(&keyword), value) {
            (Holds::Schema, value) => change(value),
            (Holds::List, Value::Array(list)) => list.into_iter().map(&mut change).collect(),
            (Holds::Named, Value::Object(named)) => {
                named.into_iter().map(|(name, value)| (name, change(value))).collect()
            }
            (_, value) => value,
        };
        (keyword, value)
    });
    mapped.collect()
}

/// Adds a sentence to the description.
pub(super) fn remark(schema: &mut Map<String, Value>, sentence: &str) {
    let text = match schema.get("description").and_then(Value::as_str) {
        Some(text) if !text.trim().is_empty() => format!("{} ({sentence})", text.trim_end()),
        _ => sentence.to_owned(),
    };
    schema.insert("description".to_owned(), Value::String(text));
}

/// The names in `type`, whether it is one or several.
pub(super) fn type_names(schema: &Map<String, Value>) -> Vec<String> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name.clone()],
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// `const` as an `enum` of one.
pub(super) fn const_to_enum(schema: &mut Map<String, Value>) {
    if let Some(only) = schema.remove("const") {
        schema.insert("enum".to_owned(), Value::Array(vec![only]));
    }
}

/// `oneOf` as `anyOf`, for those who know only the latter.
pub(super) fn one_of_to_any_of(schema: &mut Map<String, Value>) {
    let Some(Value::Array(mut branches)) = schema.remove("oneOf") else { return };
    match schema.get_mut("anyOf") {
        Some(Value::Array(own)) => own.append(&mut branches),
        _ => {
            schema.insert("anyOf".to_owned(), Value::Array(branches));
        }
    }
}
