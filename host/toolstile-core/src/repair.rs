//! Mending arguments that a model garbled in a way that leaves one reading only.
//!
//! Two mistakes are mended, each only where it makes arguments valid that were not:
//! JSON inside a string where the schema takes no string there, and a number or a
//! boolean in quotation marks. `null` for an optional property needs no mending: it
//! counts as absent ([`ToolSchema::complete`](crate::ToolSchema::complete)).

use serde_json::Value;

use crate::arguments::type_name;
use crate::schema::{ToolSchema, Violation};
use crate::strict_json::{JsonLimits, parse_json};

/// Arguments that are an object inside a string, taken out of it.
pub(crate) fn unwrap_object(text: &str, limits: JsonLimits) -> Option<Value> {
    let Ok(Value::String(inner)) = parse_json(text, limits) else { return None };
    parse_json(&inner, limits).ok().filter(Value::is_object)
}

/// The arguments with every value of a wrong type read as what its text says, and a
/// note for each. `None` where that does not make them valid.
pub(crate) fn repair(
    schema: &ToolSchema,
    arguments: &Value,
    violations: &[Violation],
    limits: JsonLimits,
) -> Option<(Value, Vec<String>)> {
    let mut repaired = arguments.clone();
    let mut notes = Vec::new();
    for Violation { path, keyword, .. } in violations {
        let place = repaired.pointer_mut(path)?;
        // Whatever else is wrong cannot be right after a change of type.
        let text = place.as_str().filter(|_| keyword == "type")?;
        // A string in place of a string is no change of type.
        let read = parse_json(text, limits).ok().filter(|value| !value.is_string())?;
        notes.push(format!("`{path}` was {} as text", type_name(&read)));
        *place = read;
    }
    schema.is_valid(&repaired).then_some((repaired, notes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn repaired(schema: Value, arguments: Value) -> Option<Value> {
        let schema = ToolSchema::compile(schema).unwrap();
        let violations = schema.validate(&arguments).unwrap_err();
        repair(&schema, &arguments, &violations, JsonLimits::ARGUMENTS).map(|(value, _)| value)
    }

    #[test]
    fn text_becomes_what_the_schema_wants_where_nothing_else_fits() {
        let schema = json!({"type": "object", "properties": {
            "n": {"type": "integer"}, "b": {"type": "boolean"},
            "list": {"type": "array", "items": {"type": "integer"}}}});
        let given = json!({"n": "5", "b": "true", "list": "[1, 2]"});
        let expected = json!({"n": 5, "b": true, "list": [1, 2]});
        assert_eq!(repaired(schema.clone(), given), Some(expected));
        for hopeless in [json!({"n": "five"}), json!({"n": "5.5"}), json!({"n": "\"5\""})] {
            assert_eq!(repaired(schema.clone(), hopeless.clone()), None, "{hopeless}");
        }
    }

    #[test]
    fn one_value_that_cannot_be_mended_leaves_all_as_they_are() {
        let schema = json!({"type": "object", "properties": {
            "n": {"type": "integer"}, "m": {"type": "integer", "maximum": 3}}});
        assert_eq!(repaired(schema.clone(), json!({"n": "5", "m": "4"})), None);
        assert_eq!(repaired(schema, json!({"n": "5", "m": 4})), None);
    }

    #[test]
    fn two_readings_are_one_too_many() {
        let schema = json!({"type": "object", "properties": {
            "x": {"anyOf": [{"type": "integer"}, {"type": "boolean"}]}}});
        assert_eq!(repaired(schema, json!({"x": "5"})), None);
    }

    #[test]
    fn an_object_inside_a_string_is_taken_out() {
        let limits = JsonLimits::ARGUMENTS;
        assert_eq!(unwrap_object(r#""{\"a\": 1}""#, limits), Some(json!({"a": 1})));
        for other in [r#""x""#, "{}", "[]", r#""{\"a\": 1""#, r#""[1]""#] {
            assert_eq!(unwrap_object(other, limits), None, "{other}");
        }
    }
}
