//! Schemas that want much work: refused, or done in time.

use serde_json::{Map, Value, json};
use toolstile::{SchemaError, ToolSchema};

use super::judge;

/// Definitions that each use the next one through `wrap`.
fn chain(steps: usize, wrap: impl Fn(Value) -> Value) -> Value {
    let mut definitions = Map::new();
    for i in 0..steps {
        let next = json!({"$ref": format!("#/$defs/d{}", i + 1)});
        definitions.insert(format!("d{i}"), wrap(next));
    }
    definitions.insert(format!("d{steps}"), json!({"type": "integer"}));
    json!({"$defs": definitions, "properties": {"x": {"$ref": "#/$defs/d0"}}})
}

/// Values that reach into every kind of chain.
fn instances() -> Vec<Value> {
    let nested = |levels, wrap: fn(Value) -> Value| (0..levels).fold(json!(1), |v, _| wrap(v));
    let deep = |wrap| nested(30, wrap);
    vec![
        json!(1),
        json!("x"),
        deep(|v| json!([v])),
        nested(10, |v| json!([v, v])),
        deep(|v| json!({ "a": v })),
        deep(|v| json!({"a": v, "b": 1})),
        json!({"a": 1, "b": 2}),
    ]
}

/// A schema that uses another one.
type Wrap = fn(Value) -> Value;

/// Every way in which a schema can try another one twice.
fn doublings() -> Vec<(&'static str, Wrap)> {
    vec![
        ("allOf", |s| json!({"allOf": [s, s]})),
        ("anyOf", |s| json!({"anyOf": [s, s]})),
        ("oneOf", |s| json!({"oneOf": [s, s]})),
        ("not", |s| json!({"anyOf": [{"not": s}, {"not": s}]})),
        ("if", |s| json!({"if": s, "then": s, "else": s})),
        ("if alone", |s| json!({"allOf": [{"if": s}, {"if": s}]})),
        ("dependentSchemas", |s| json!({"dependentSchemas": {"a": s, "b": s}})),
        ("dependencies", |s| json!({"dependencies": {"a": s, "b": s}})),
        ("patternProperties", |s| json!({"patternProperties": {"a": s, "^a": s}})),
        (
            "properties and patternProperties",
            |s| json!({"properties": {"a": s}, "patternProperties": {"a": s}}),
        ),
        (
            "additionalProperties",
            |s| json!({"anyOf": [{"additionalProperties": s}, {"additionalProperties": s}]}),
        ),
        ("propertyNames", |s| json!({"allOf": [{"propertyNames": s}, {"propertyNames": s}]})),
        ("items", |s| json!({"allOf": [{"items": s}, {"items": s}]})),
        ("items and contains", |s| json!({"items": s, "contains": s})),
        ("prefixItems", |s| json!({"anyOf": [{"prefixItems": [s]}, {"prefixItems": [s]}]})),
        ("unevaluatedProperties", |s| json!({"allOf": [s], "unevaluatedProperties": false})),
        ("unevaluatedItems", |s| json!({"allOf": [s], "unevaluatedItems": false})),
        ("unevaluatedProperties twice", |s| json!({"anyOf": [s, s], "unevaluatedProperties": s})),
        ("unevaluated in if", |s| json!({"if": s, "then": true, "unevaluatedProperties": false})),
        (
            "unevaluated in reference",
            |s| json!({"$ref": s["$ref"], "unevaluatedProperties": false, "unevaluatedItems": false}),
        ),
    ]
}

#[test]
fn doubling_is_bounded_through_every_keyword() {
    for (keyword, wrap) in doublings() {
        for steps in [12, 26, 60, 120] {
            for instance in instances() {
                let schema = chain(steps, wrap);
                let judged = judge(schema, json!({ "x": instance }));
                assert!(
                    matches!(judged, Ok(_) | Err(SchemaError::TooCostly { .. })),
                    "{keyword}, {steps} steps: {judged:?}"
                );
            }
        }
    }
}

/// What an `unevaluated…` keyword walks is compiled and checked once more, so that
/// nesting alone doubles the work.
#[test]
fn unevaluated_keywords_nested_in_one_another_are_refused_before_they_run() {
    let wraps: [Wrap; 4] = [
        |s| json!({"allOf": [s], "unevaluatedProperties": false}),
        |s| json!({"anyOf": [s, true], "unevaluatedItems": false}),
        |s| json!({"if": s, "then": true, "unevaluatedProperties": false}),
        |s| json!({"not": s, "unevaluatedProperties": {"not": {}}, "unevaluatedItems": true}),
    ];
    for wrap in wraps {
        let nested = (0..20).fold(json!({"type": "object"}), |inner, _| wrap(inner));
        let refused = judge(json!({"properties": {"x": nested}}), json!({"x": {"a": 1}}));
        assert!(matches!(refused, Err(SchemaError::TooCostly { .. })), "{refused:?}");
    }
    let ordinary = json!({
        "allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}],
        "unevaluatedProperties": false,
    });
    assert_eq!(judge(ordinary.clone(), json!({"a": 1, "b": 2})), Ok(Ok(())));
    assert!(judge(ordinary, json!({"c": 1})).unwrap().is_err());
}

#[test]
fn in_place_doubling_is_refused_before_it_runs() {
    for (keyword, wrap) in doublings().into_iter().take(8) {
        let refused = ToolSchema::compile(chain(26, wrap));
        assert!(matches!(refused, Err(SchemaError::TooCostly { .. })), "{keyword}: {refused:?}");
    }
}

/// An object of one member. `json!` would copy the value, by recursion.
fn member(name: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(name.to_owned(), value)]))
}

#[test]
fn nesting_is_bounded() {
    let wraps: [Wrap; 6] = [
        |s| member("properties", member("a", s)),
        |s| member("not", s),
        |s| member("allOf", Value::Array(vec![s])),
        |s| member("items", s),
        |s| member("$defs", member("a", s)),
        |s| member("enum", Value::Array(vec![s])),
    ];
    for wrap in wraps {
        for (levels, fits) in [(15, true), (100, false), (5_000, false)] {
            let nested = (0..levels).fold(json!({}), |inner, _| wrap(inner));
            let judged = judge(member("properties", member("x", nested)), json!({"x": {}}));
            assert!(
                fits && judged.is_ok() || matches!(judged, Err(SchemaError::Json(_))),
                "{judged:?}"
            );
        }
    }
    for levels in [100, 5_000, 100_000] {
        let text = format!("{}{}", "{\"not\":".repeat(levels), "}".repeat(levels));
        assert!(ToolSchema::parse(&text).is_err());
    }
}

#[test]
fn a_recursive_schema_is_fine_and_follows_the_value() {
    let schema = json!({"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}, "additionalProperties": false});
    let tree = (0..30).fold(json!({}), |inner, _| json!({"left": inner, "right": {}}));
    assert_eq!(judge(schema.clone(), tree), Ok(Ok(())));
    let bad = (0..30).fold(json!({"middle": 1}), |inner, _| json!({ "left": inner }));
    assert!(judge(schema, bad).unwrap().is_err());
}

#[test]
fn sizes_are_bounded() {
    let numbers = |count: usize| (0..count).collect::<Vec<_>>();
    let huge = json!({"properties": {"x": {"enum": numbers(100_000)}}});
    assert!(judge(huge, json!({"x": 1})).is_err());
    let large = json!({"properties": {"x": {"items": {"enum": numbers(8_000)}}}});
    assert!(judge(large, json!({"x": vec![9_999; 16_000]})).unwrap().is_err());
    let long = json!({"description": "x".repeat(200_000)});
    assert!(judge(long, json!({})).is_err());
    let required: Vec<String> = (0..8_000).map(|i| format!("p{i}")).collect();
    let violations = judge(json!({ "required": required }), json!({})).unwrap().unwrap_err();
    assert!(violations.len() <= 20);
}

#[test]
fn numbers_of_a_schema_are_only_numbers() {
    for keyword in
        ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"]
    {
        let schema = json!({"properties": {"x": {keyword: 4_000_000_000_u64}}});
        assert!(judge(schema, json!({"x": [1]})).is_ok(), "{keyword}");
    }
    for (keyword, value) in
        [("multipleOf", json!(1e-300)), ("maximum", json!(1e308)), ("multipleOf", json!(0.1))]
    {
        assert!(judge(json!({"properties": {"x": {keyword: value}}}), json!({"x": 1e300})).is_ok());
    }
}

/// Patterns that keep a backtracking engine, or a careless one, busy for long.
const PATTERNS: [&str; 9] = [
    "^(a+)+$",
    "^(a|a)*$",
    "^(a|aa)+$",
    "(x+x+)+y",
    "^([a-z]+)*[0-9]$",
    "(.*)*(.*)*(.*)*z",
    "(a?){50}a{50}b",
    "[ab]*a[ab]{500}c",
    "^(\\w+\\s?)*$",
];

#[test]
fn patterns_run_in_linear_time_wherever_they_stand() {
    let text = format!("{}!", "ab".repeat(20_000));
    for pattern in PATTERNS {
        for schema in [
            json!({"properties": {"x": {"pattern": pattern}}}),
            json!({"patternProperties": {pattern: false}}),
            json!({"propertyNames": {"pattern": pattern}}),
            json!({"additionalProperties": {"patternProperties": {pattern: {}}, "additionalProperties": false}}),
        ] {
            let judged = judge(schema, json!({"x": text, text.as_str(): {text.as_str(): 1}}));
            assert!(judged.is_ok(), "{pattern}: {judged:?}");
        }
    }
}

#[test]
fn patterns_that_cannot_run_in_linear_time_are_refused() {
    for pattern in [
        "(",
        "[",
        "a{5",
        "(?=a)",
        "(?<=a)b",
        "(?!a)",
        "(a)\\1",
        "(?P=x)",
        "a{1000}{1000}",
        "(\\p{L}{999}){99}",
        "*",
    ] {
        for schema in [
            json!({"properties": {"x": {"pattern": pattern}}}),
            json!({"patternProperties": {pattern: {}}}),
        ] {
            let refused = judge(schema, json!({"x": "a"}));
            assert!(matches!(refused, Err(SchemaError::Invalid { .. })), "{pattern}: {refused:?}");
        }
    }
}

#[test]
fn schemas_that_break_their_metaschema_are_refused() {
    for (keyword, value) in [
        ("type", json!("strnig")),
        ("properties", json!([])),
        ("required", json!("a")),
        ("required", json!(["a", "a"])),
        ("items", json!(5)),
        ("enum", json!("a")),
        ("minLength", json!(-1)),
        ("minimum", json!("1")),
        ("multipleOf", json!(0)),
        ("allOf", json!([])),
        ("anyOf", json!({})),
        ("pattern", json!(1)),
        ("$ref", json!(1)),
        ("not", json!("x")),
        ("additionalProperties", json!("no")),
    ] {
        let refused = judge(json!({"properties": {"x": {keyword: value}}}), json!({"x": 1}));
        assert!(matches!(refused, Err(SchemaError::Invalid { .. })), "{keyword}: {refused:?}");
    }
}
