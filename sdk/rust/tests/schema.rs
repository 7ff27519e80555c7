//! The JSON Schema of every kind of parameter.

use std::collections::BTreeMap;

use toolstile_sdk::serde_json::{Value, json};
use toolstile_sdk::{Argument, Tool, schema_for, schemars, serde, tool};

/// A unit to measure in.
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(crate = "toolstile_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "toolstile_sdk::schemars")]
enum Unit {
    Metre,
    NauticalMile,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(crate = "toolstile_sdk::serde")]
#[schemars(crate = "toolstile_sdk::schemars")]
#[expect(dead_code, reason = "only its schema is looked at")]
enum Shape {
    Circle { radius: f32 },
    Nothing,
}

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(crate = "toolstile_sdk::serde")]
#[schemars(crate = "toolstile_sdk::schemars")]
struct Place {
    /// Degrees north.
    #[schemars(range(min = -90.0, max = 90.0))]
    latitude: f64,
    unit: Option<Unit>,
    #[serde(default)]
    tags: Vec<String>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(crate = "toolstile_sdk::serde")]
#[schemars(crate = "toolstile_sdk::schemars")]
struct Tree {
    children: Vec<Tree>,
}

#[track_caller]
fn assert_schema<T: Argument>(expected: Value) {
    assert_eq!(schema_for::<T>(), expected, "{}", std::any::type_name::<T>());
}

#[track_caller]
fn assert_integer<T: Argument>(minimum: impl Into<Value>, maximum: impl Into<Value>) {
    let (minimum, maximum) = (minimum.into(), maximum.into());
    assert_schema::<T>(json!({ "type": "integer", "minimum": minimum, "maximum": maximum }));
}

#[test]
fn scalars_have_the_plain_types_of_json() {
    assert_schema::<String>(json!({ "type": "string" }));
    assert_schema::<bool>(json!({ "type": "boolean" }));
    assert_schema::<f32>(json!({ "type": "number" }));
    assert_schema::<f64>(json!({ "type": "number" }));
    assert_schema::<char>(json!({ "type": "string", "minLength": 1, "maxLength": 1 }));
}

#[test]
fn integers_have_the_bounds_of_their_type() {
    assert_integer::<i8>(i8::MIN, i8::MAX);
    assert_integer::<i16>(i16::MIN, i16::MAX);
    assert_integer::<i32>(i32::MIN, i32::MAX);
    assert_integer::<i64>(i64::MIN, i64::MAX);
    assert_integer::<u8>(0, u8::MAX);
    assert_integer::<u16>(0, u16::MAX);
    assert_integer::<u32>(0, u32::MAX);
    assert_integer::<u64>(0, u64::MAX);
    assert_integer::<std::num::NonZeroU32>(1, u32::MAX);
}

#[test]
fn integers_wider_than_the_guest_or_json_end_where_those_end() {
    assert_integer::<usize>(0, u32::MAX);
    assert_integer::<isize>(i32::MIN, i32::MAX);
    assert_integer::<u128>(0, u64::MAX);
    assert_integer::<i128>(i64::MIN, u64::MAX);
}

#[test]
fn containers_keep_the_types_inside() {
    let byte = json!({ "type": "integer", "minimum": 0, "maximum": 255 });
    assert_schema::<Vec<u8>>(json!({ "type": "array", "items": byte }));
    assert_schema::<Option<u8>>(
        json!({ "type": ["integer", "null"], "minimum": 0, "maximum": 255 }),
    );
    assert_schema::<BTreeMap<String, u8>>(
        json!({ "type": "object", "additionalProperties": byte }),
    );
    assert_schema::<(u8, bool)>(json!({
        "type": "array",
        "prefixItems": [byte, { "type": "boolean" }],
        "minItems": 2,
        "maxItems": 2,
    }));
}

#[test]
fn any_json_is_the_schema_that_takes_everything() {
    assert_schema::<Value>(json!({}));
}

#[test]
fn an_enum_without_fields_is_a_list_of_words() {
    assert_schema::<Unit>(json!({
        "description": "A unit to measure in.",
        "type": "string",
        "enum": ["metre", "nautical-mile"],
    }));
}

#[test]
fn an_enum_with_fields_is_a_choice() {
    assert_schema::<Shape>(json!({
        "oneOf": [
            { "type": "string", "enum": ["Nothing"] },
            {
                "type": "object",
                "properties": {
                    "Circle": {
                        "type": "object",
                        "properties": { "radius": { "type": "number" } },
                        "required": ["radius"],
                    },
                },
                "required": ["Circle"],
                "additionalProperties": false,
            },
        ],
    }));
}

#[test]
fn a_struct_is_written_in_place_and_its_own_ranges_win() {
    assert_schema::<Place>(json!({
        "type": "object",
        "properties": {
            "latitude": {
                "description": "Degrees north.",
                "type": "number",
                "minimum": -90.0,
                "maximum": 90.0,
            },
            "unit": {
                "description": "A unit to measure in.",
                "type": ["string", "null"],
                "enum": ["metre", "nautical-mile", null],
            },
            "tags": { "type": "array", "items": { "type": "string" }, "default": [] },
        },
        "required": ["latitude"],
    }));
}

/// Measures.
#[tool]
fn measure(
    /// Where to start.
    from: Place,
    #[arg(default = Unit::NauticalMile)] unit: Unit,
    #[arg(default = Place { latitude: 1.5, unit: None, tags: vec!["x".into()] })] to: Place,
    #[arg(default = "short")] style: String,
    #[arg(default = -1)] precision: i8,
    note: Option<Value>,
) -> f64 {
    let _ = (unit, style, precision, note);
    from.latitude - to.latitude
}

#[test]
fn defaults_are_shown_as_the_json_that_the_model_would_write() {
    let schema = measure {}.definition().input_schema;
    let default = |name: &str| schema["properties"][name]["default"].clone();
    assert_eq!(default("unit"), json!("nautical-mile"));
    assert_eq!(default("to"), json!({ "latitude": 1.5, "unit": null, "tags": ["x"] }));
    assert_eq!(default("style"), json!("short"));
    assert_eq!(default("precision"), json!(-1));
    assert_eq!(default("note"), Value::Null, "an `Option` has no default");
    assert_eq!(schema["required"], json!(["from"]));
}

#[test]
fn the_parameter_describes_itself_or_else_its_type_does() {
    let schema = measure {}.definition().input_schema;
    assert_eq!(schema["properties"]["from"]["description"], "Where to start.");
    assert_eq!(schema["properties"]["unit"]["description"], "A unit to measure in.");
    assert_eq!(schema["properties"]["style"].get("description"), None);
}

/// Names things that are granted.
#[tool]
fn granted(
    /// What to run.
    #[arg(format = "shell-command")]
    command: String,
    #[arg(format = "notes-path", default = "a.md")] path: String,
    #[arg(format = "http-url")] url: Option<String>,
) {
    let _ = (command, path, url);
}

#[test]
fn a_format_stands_beside_everything_else() {
    let schema = granted {}.definition().input_schema;
    assert_eq!(
        schema["properties"],
        json!({
            "command": { "type": "string", "format": "shell-command", "description": "What to run." },
            "path": { "type": "string", "format": "notes-path", "default": "a.md" },
            "url": { "type": ["string", "null"], "format": "http-url" },
        })
    );
}

/// Halves.
#[tool(output_schema = r#"{ "type": "number", "description": "Half of it." }"#)]
fn halve(number: f64) -> f64 {
    number / 2.0
}

#[test]
fn the_schema_of_the_data_is_the_authors_own() {
    let schema = halve {}.definition().output_schema;
    assert_eq!(schema, Some(json!({ "type": "number", "description": "Half of it." })));
    assert_eq!(measure {}.definition().output_schema, None, "none is made from the type");
}

/// Grows.
#[tool]
fn grow(
    /// What grows.
    tree: Tree,
) -> usize {
    tree.children.len()
}

#[test]
fn a_type_that_contains_itself_is_defined_locally() {
    let schema = grow {}.definition().input_schema;
    assert_eq!(
        schema,
        json!({
            "type": "object",
            "properties": {
                "tree": {
                    "description": "What grows.",
                    "type": "object",
                    "properties": {
                        "children": { "type": "array", "items": { "$ref": "#/$defs/Tree" } },
                    },
                    "required": ["children"],
                },
            },
            "required": ["tree"],
            "$defs": {
                "Tree": {
                    "type": "object",
                    "properties": {
                        "children": { "type": "array", "items": { "$ref": "#/$defs/Tree" } },
                    },
                    "required": ["children"],
                },
            },
        })
    );
}
