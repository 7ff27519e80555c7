//! What the profiles make of schemas. `TOOLSTILE_BLESS=1` writes the expected files anew.

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use toolstile_core::ToolSchema;
use toolstile_models::SchemaProfile;

use crate::support::tool;

fn sources() -> Vec<(&'static str, Value)> {
    vec![
        (
            "references",
            json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "$id": "https://example.org/trip", "$comment": "for people",
                "type": "object",
                "properties": {
                    "from": {"$ref": "#/$defs/place", "description": "Where it starts"},
                    "to": {"$ref": "#/$defs/place"},
                },
                "required": ["from", "to"],
                "$defs": {
                    "place": {"type": "object", "description": "A place", "required": ["name"],
                        "properties": {"name": {"$ref": "#/$defs/name"}}},
                    "name": {"type": "string", "minLength": 1},
                },
            }),
        ),
        (
            "recursive",
            json!({
                "type": "object",
                "properties": {"tree": {"$ref": "#/$defs/node"}},
                "$defs": {"node": {"type": "object", "properties": {
                    "value": {"type": "integer"},
                    "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                }}},
            }),
        ),
        (
            "nullable",
            json!({
                "type": "object",
                "properties": {
                    "a": {"type": ["string", "null"], "minLength": 2},
                    "b": {"anyOf": [{"type": "integer"}, {"type": "null"}], "description": "A number"},
                    "c": {"type": "null"},
                    "d": {"enum": ["x", null]},
                },
            }),
        ),
        (
            "union",
            json!({
                "type": "object",
                "properties": {
                    "id": {"type": ["string", "integer"], "maxLength": 9, "minimum": 1,
                        "description": "Name or number"},
                    "shape": {"oneOf": [
                        {"type": "object", "properties": {"kind": {"const": "circle"},
                            "radius": {"type": "number"}}, "required": ["kind", "radius"]},
                        {"type": "object", "properties": {"kind": {"const": "square"},
                            "side": {"type": "number"}}, "required": ["kind", "side"]},
                    ]},
                },
            }),
        ),
        (
            "constants",
            json!({
                "type": "object",
                "properties": {
                    "version": {"const": 2},
                    "mode": {"const": "fast"},
                    "level": {"enum": [1, 2, 3], "description": "How loud"},
                    "colour": {"enum": ["red", "green"]},
                },
            }),
        ),
        (
            "arrays",
            json!({
                "type": "object",
                "properties": {
                    "anything": {"type": "array"},
                    "words": {"type": "array", "items": {"type": "string"}, "minItems": 1,
                        "uniqueItems": true},
                    "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}]},
                    "free": {"type": "array", "items": true},
                },
            }),
        ),
        ("empty", json!({"type": "object", "additionalProperties": false})),
        (
            "formats",
            json!({
                "type": "object",
                "properties": {
                    "command": {"type": "string", "format": "shell-command",
                        "description": "What to run"},
                    "path": {"type": "string", "format": "notes-path"},
                    "url": {"type": "string", "format": "http-url"},
                    "day": {"type": "string", "format": "date", "description": "A day"},
                    "moment": {"type": "string", "format": "date-time"},
                    "format": {"type": "string"},
                },
            }),
        ),
        (
            "nested",
            json!({
                "type": "object",
                "properties": {"outer": {
                    "allOf": [
                        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                        {"properties": {"b": {"type": "boolean"}}, "required": ["b", "gone"]},
                    ],
                    "additionalProperties": {"type": "string"},
                }},
                "required": ["outer"],
            }),
        ),
        (
            "root_any_of",
            json!({
                "type": "object",
                "properties": {"verbose": {"type": "boolean"}},
                "anyOf": [
                    {"properties": {"kind": {"const": "url"}, "url": {"type": "string"},
                        "limit": {"type": "integer"}}, "required": ["kind", "url"]},
                    {"properties": {"kind": {"const": "id"}, "id": {"type": "integer"},
                        "limit": {"type": "string"}}, "required": ["kind", "id"]},
                ],
                "not": {"required": ["url", "id"]},
            }),
        ),
        (
            "anything",
            json!({
                "type": "object",
                "properties": {"value": {}, "all": true, "titled": {"title": "T", "default": 1}},
            }),
        ),
    ]
}

fn check(profile: SchemaProfile, file: &str) {
    let mut rendered = Map::new();
    for (name, source) in sources() {
        let declared = profile.render(&tool(name, source));
        rendered.insert(name.to_owned(), declared.parameters.unwrap_or_default());
    }
    let rendered = Value::Object(rendered);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file);
    if std::env::var_os("TOOLSTILE_BLESS").is_some() {
        let text = serde_json::to_string_pretty(&rendered).unwrap();
        std::fs::write(&path, text + "\n").unwrap();
    }
    let expected: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    for (name, _) in sources() {
        assert_eq!(rendered[name], expected[name], "{file}: {name}");
    }
}

#[test]
fn openai() {
    check(SchemaProfile::OpenAi, "openai.json");
}

#[test]
fn anthropic() {
    check(SchemaProfile::Anthropic, "anthropic.json");
}

#[test]
fn gemini() {
    check(SchemaProfile::Gemini, "gemini.json");
}

#[test]
fn ollama() {
    check(SchemaProfile::Ollama, "ollama.json");
}

/// What is written for a provider of JSON Schema is JSON Schema.
#[test]
fn rendered_schemas_are_schemas() {
    for profile in [SchemaProfile::OpenAi, SchemaProfile::Anthropic, SchemaProfile::Ollama] {
        for (name, source) in sources() {
            let rendered = profile.parameters(&source).unwrap();
            assert!(ToolSchema::compile(rendered).is_ok(), "{profile:?}: {name}");
        }
    }
}

/// Every schema that doubles what it holds would grow without end.
#[test]
fn references_to_references_stay_small() {
    let mut definitions = Map::new();
    for index in 0..40 {
        let next = json!({"$ref": format!("#/$defs/d{}", index + 1)});
        let both = json!({"type": "object", "properties": {"a": next, "b": next}});
        definitions.insert(format!("d{index}"), both);
    }
    definitions.insert("d40".to_owned(), json!({"type": "string"}));
    let schema = json!({"type": "object", "properties": {"top": {"$ref": "#/$defs/d0"}},
        "$defs": definitions});
    for profile in [SchemaProfile::OpenAi, SchemaProfile::Gemini] {
        let size = profile.parameters(&schema).unwrap().to_string().len();
        assert!(size < 1 << 20, "{profile:?}: {size}");
    }
}
