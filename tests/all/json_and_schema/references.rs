//! Schemas that point somewhere: out of the document, to nothing, or to themselves.

use std::io::ErrorKind;
use std::net::TcpListener;

use serde_json::{Value, json};
use toolstile::{SchemaError, ToolSchema};

use super::judge;

/// Every place where a schema can stand inside another.
fn placed(inner: &Value) -> Vec<(&'static str, Value)> {
    let single = [
        "not",
        "if",
        "then",
        "else",
        "additionalProperties",
        "unevaluatedProperties",
        "propertyNames",
        "contains",
        "items",
        "additionalItems",
        "unevaluatedItems",
        "contentSchema",
    ];
    let lists = ["allOf", "anyOf", "oneOf", "prefixItems"];
    let maps = [
        "properties",
        "patternProperties",
        "dependentSchemas",
        "dependencies",
        "$defs",
        "definitions",
    ];
    let single = single.map(|keyword| (keyword, json!({ keyword: inner })));
    let lists = lists.map(|keyword| (keyword, json!({ keyword: [true, inner] })));
    let maps = maps.map(|keyword| (keyword, json!({ keyword: {"a": inner} })));
    single.into_iter().chain(lists).chain(maps).collect()
}

const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

const OUTSIDE: [&str; 12] = [
    "http://127.0.0.1/s.json",
    "https://evil.example/s#/a",
    "file:///etc/passwd",
    "file:///dev/zero",
    "//evil.example/s",
    "/s.json",
    "s.json",
    "s.json#/$defs/a",
    "?x",
    "",
    "urn:x:y",
    "json-schema:///",
];

#[test]
fn no_reference_leaves_the_document() {
    for keyword in REFERENCES {
        for target in OUTSIDE {
            let reference = json!({ keyword: target });
            assert_remote(json!({"type": "object", keyword: target}), keyword);
            for (place, schema) in placed(&reference) {
                assert_remote(schema.clone(), place);
                assert_remote(json!({"properties": {"x": schema}}), place);
            }
        }
    }
}

fn assert_remote(schema: Value, place: &str) {
    let refused = ToolSchema::compile(schema.clone());
    assert!(
        matches!(refused, Err(SchemaError::RemoteReference(_))),
        "{place}: {schema} {refused:?}"
    );
}

#[test]
fn no_reference_is_followed_from_a_place_that_no_keyword_knows() {
    let hidden = |reference: &str| {
        json!({
            "properties": {"x": {"$ref": "#/x-parts/a"}},
            "x-parts": {"a": {"allOf": [{"$ref": reference}]}},
        })
    };
    for target in OUTSIDE {
        assert!(judge(hidden(target), json!({"x": 1})).is_err(), "{target}");
    }
    assert_eq!(judge(hidden("#/x-parts/b"), json!({"x": 1})).ok(), None);
}

#[test]
fn what_looks_like_a_reference_in_data_is_data() {
    let data = json!({"$ref": "file:///etc/passwd"});
    let schema = json!({"properties": {
        "x": {"enum": [data], "default": data, "examples": [data]},
        "$ref": {"const": data, "x-note": data},
    }});
    assert_eq!(judge(schema, json!({"x": data, "$ref": data})), Ok(Ok(())));
}

#[test]
fn nothing_is_fetched_and_nothing_is_read() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}/schema.json", listener.local_addr().unwrap());
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("schema.json");
    std::fs::write(&file, r#"{"const": "CANARY"}"#).unwrap();
    for target in [url.clone(), format!("file://{}", file.display()), file.display().to_string()] {
        for schema in [
            json!({"properties": {"x": {"$ref": target}}}),
            json!({"$schema": target}),
            json!({"$id": target, "properties": {"x": {"$ref": "#/$defs/a"}}}),
            json!({"$id": "http://a/", "properties": {"x": {"$id": target, "$ref": "#"}}}),
            json!({"properties": {"x": {"$ref": "#/x"}}, "x": {"$id": target, "$ref": "#/y"}, "y": {}}),
        ] {
            let judged = format!("{:?}", judge(schema, json!({"x": 1})));
            assert!(!judged.contains("CANARY"), "{judged}");
        }
    }
    let connection = listener.accept().map_err(|error| error.kind());
    assert_eq!(connection.err(), Some(ErrorKind::WouldBlock));
}

#[test]
fn references_to_nothing_and_to_themselves_are_refused() {
    let cycle = |a: Value, b: Value| json!({"properties": {"x": {"$ref": "#/$defs/a"}}, "$defs": {"a": a, "b": b}});
    let to = |name: &str| json!({"$ref": format!("#/$defs/{name}")});
    for keyword in ["allOf", "anyOf", "oneOf"] {
        assert!(judge(cycle(json!({ keyword: [to("b")] }), to("a")), json!({"x": 1})).is_err());
    }
    for keyword in ["not", "if", "then", "else"] {
        assert!(judge(cycle(json!({ keyword: to("b") }), to("a")), json!({"x": 1})).is_err());
    }
    for keyword in ["dependentSchemas", "dependencies"] {
        assert!(
            judge(cycle(json!({ keyword: {"p": to("b")} }), to("a")), json!({"x": 1})).is_err()
        );
    }
    for reference in ["#/nowhere", "#nowhere", "#/$defs", "#/%zz", "#/properties/y", "#//"] {
        let schema = json!({"properties": {"x": {"$ref": reference}}});
        assert!(judge(schema, json!({"x": 1})).is_err(), "{reference}");
    }
}

#[test]
fn an_anchor_stands_for_one_place() {
    for keyword in ["$anchor", "$dynamicAnchor"] {
        let schema = json!({
            "properties": {"x": {"$ref": "#n"}},
            "$defs": {"a": {keyword: "n", "type": "string"}, "b": {keyword: "n"}},
        });
        let refused = judge(schema, json!({"x": 1}));
        assert!(matches!(refused, Err(SchemaError::DuplicateAnchor(_))), "{refused:?}");
    }
    let both = json!({
        "properties": {"x": {"$dynamicRef": "#n"}},
        "$defs": {"a": {"$anchor": "n", "$dynamicAnchor": "n", "type": "string"}},
    });
    assert_eq!(judge(both.clone(), json!({"x": "s"})), Ok(Ok(())));
    assert!(judge(both, json!({"x": 1})).unwrap().is_err());
}

#[test]
fn an_identifier_inside_the_schema_is_refused() {
    for (place, schema) in placed(&json!({"$id": "https://evil.example/a"})) {
        let refused = ToolSchema::compile(schema.clone());
        assert!(matches!(refused, Err(SchemaError::NestedId(_))), "{place}: {refused:?}");
    }
}

#[test]
fn unknown_dialects_are_refused() {
    for dialect in [
        json!("http://json-schema.org/draft-03/schema#"),
        json!("https://json-schema.org/draft/next/schema"),
        json!("https://json-schema.org/draft/2020-12/schema/../x"),
        json!("https://json-schema.org/draft/2020-12/vocab/core"),
        json!("https://json-schema.org.evil.example/draft/2020-12/schema"),
        json!("https:https://json-schema.org/draft/2020-12/schema"),
        json!("//json-schema.org/draft/2020-12/schema"),
        json!("HTTPS://JSON-SCHEMA.ORG/draft/2020-12/schema"),
        json!("https://json-schema.org/draft/2020-12/schema##"),
        json!("https://json-schema.org/draft/2020-12/schema "),
        json!("https://spec.openapis.org/oas/3.1/dialect/base"),
        json!("file:///etc/passwd"),
        json!("urn:x"),
        json!("draft-07"),
        json!(""),
        json!(null),
        json!(7),
        json!(["https://json-schema.org/draft/2020-12/schema"]),
    ] {
        let refused = ToolSchema::compile(json!({ "$schema": dialect }));
        assert!(matches!(refused, Err(SchemaError::Dialect(_))), "{dialect}: {refused:?}");
    }
}

#[test]
fn known_dialects_are_checked_as_they_say() {
    for dialect in [
        "https://json-schema.org/draft/2020-12/schema",
        "https://json-schema.org/draft/2020-12/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft-07/schema",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-04/schema#",
    ] {
        let schema = json!({"$schema": dialect, "properties": {"x": {"type": "integer"}}});
        assert!(judge(schema.clone(), json!({"x": 1})).unwrap().is_ok(), "{dialect}");
        assert!(judge(schema, json!({"x": "1"})).unwrap().is_err(), "{dialect}");
    }
}

#[test]
fn the_root_describes_an_object() {
    for schema in [
        json!(true),
        json!(false),
        json!(null),
        json!([]),
        json!("object"),
        json!({"type": "string"}),
        json!({"type": ["object", "null"]}),
        json!({"type": null}),
        json!({"type": "Object"}),
    ] {
        assert_eq!(judge(schema.clone(), json!({})), Err(SchemaError::RootNotObject), "{schema}");
    }
}
