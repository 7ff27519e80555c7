//! Vectors: tool names, and what happens when a name is taken.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolstile::OnConflict::{Error, Overwrite, Skip};
use toolstile::core::{Namespace, ToolRegistry, namespaced};
use toolstile::{FunctionError, FunctionTool, OnConflict, Origin, RegisteredTool, ToolName};
use toolstile_tests::{Comparison, id, vectors};

const NAMES: &str = "seeds/tool_names.json";

/// Names are refused where the vectors change them: a changed name can turn into
/// the very name that it imitates, and a suffix depends on what came first.
const DIFFERENT_NAMES: [(&str, &str); 5] = [
    ("tool_names-011", "a trailing newline is no part of a name"),
    ("tool_names-031", "a taken name is a conflict, no suffix is added"),
    ("tool_names-032", "a taken name is a conflict, no suffix is added"),
    ("tool_names-039", "letters outside a-z are refused, not rewritten"),
    ("tool_names-040", "a remote tool without a name is refused"),
];

/// A batch is registered whole or not at all.
const DIFFERENT_CONFLICTS: [(&str, &str); 2] = [
    ("registry_conflicts-003", "nothing of a batch stays when one of its tools conflicts"),
    ("registry_conflicts-006", "nothing of a batch stays when one of its names is invalid"),
];

#[test]
fn names_hold() {
    let mut comparison = Comparison::new(&DIFFERENT_NAMES);
    for case in vectors(NAMES) {
        match case["category"].as_str() {
            Some("validity") => validity(&mut comparison, &case),
            Some("dedupe") => taken(&mut comparison, &case),
            _ => display(&mut comparison, &case),
        }
    }
    comparison.finish("tool names", 36);
}

fn validity(comparison: &mut Comparison, case: &Value) {
    let name = case["name"].as_str().expect("a name");
    let expected = (case["register_accepts"].clone(), case["sanitized"].clone());
    let sanitized = ToolName::sanitize(name).to_string();
    comparison.case(id(case), expected, (ToolName::parse(name).is_ok().into(), sanitized.into()));
}

fn taken(comparison: &mut Comparison, case: &Value) {
    let registry = ToolRegistry::default();
    let names = case["taken"].as_array().expect("a list").iter().chain([&case["name"]]);
    let results: Vec<_> = names.map(|name| registry.register(tool(&text(name), "1"))).collect();
    let found = match results.last().expect("one at least") {
        Ok(()) => text(&case["name"]),
        Err(conflict) => conflict.to_string(),
    };
    comparison.case(id(case), text(&case["result"]), found);
}

/// The name of a remote tool; the case without one says that two servers can get
/// the same name, which the registry must find.
fn display(comparison: &mut Comparison, case: &Value) {
    let Some(namespace) = case["namespace"].as_str() else {
        let registry = ToolRegistry::default();
        let register = |namespace, name| {
            let namespace = Namespace::parse(namespace).expect("a namespace");
            let names = namespaced(&namespace, &[name]).expect("a name");
            registry.register(tool(names[0].as_str(), "1"))
        };
        let (first, second) = (register("a_b", "c"), register("a", "b_c"));
        return comparison
            .accept(id(case), first.is_ok() && second.is_err(), || format!("{second:?}"));
    };
    let namespace = Namespace::parse(namespace).expect("a namespace");
    let found = match namespaced(&namespace, &[text(&case["remote_name"])]) {
        Ok(names) => names[0].to_string(),
        Err(error) => error.to_string(),
    };
    let expected = (text(&case["display"]), text(&case["origin"]));
    comparison.case(id(case), expected, (found, Origin::Mcp(namespace).to_string()));
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// A tool that is told apart from another of its name by its description.
fn tool(name: &str, version: &str) -> RegisteredTool {
    build(name, version).expect("a tool")
}

fn build(name: &str, version: &str) -> Result<RegisteredTool, FunctionError> {
    let function = FunctionTool::new(name, version, async |_: Nothing| "")?;
    Ok(RegisteredTool::new(Arc::new(function), Origin::Native))
}

/// Arguments of a tool that takes none.
#[derive(Deserialize, JsonSchema)]
struct Nothing {}

/// What a conflict case registers, batch by batch: names with versions, and the mode.
type Batches = &'static [(&'static [(&'static str, &'static str)], OnConflict)];

const ABC: &[(&str, &str)] = &[("a", "1"), ("b", "2"), ("c", "3")];

const CONFLICTS: [(&str, Batches); 8] = [
    ("registry_conflicts-000", &[(&[("a", "1")], Error), (&[("a", "2")], Error)]),
    ("registry_conflicts-001", &[(&[("a", "1")], Error), (&[("a", "1")], Error)]),
    ("registry_conflicts-002", &[(&[("a", "1"), ("b", "1")], Error), (&[("a", "2")], Overwrite)]),
    ("registry_conflicts-003", &[(&[("b", "old")], Error), (ABC, Error)]),
    ("registry_conflicts-004", &[(&[("b", "old")], Error), (ABC, Skip)]),
    ("registry_conflicts-006", &[(&[("a", "1"), ("b c", "2")], Skip)]),
    ("registry_conflicts-007", &[(&[("a", "1"), ("a", "2")], Skip)]),
    ("registry_conflicts-010", &[(&[("a", "1")], Error), (&[("A", "2")], Error)]),
];

/// An unknown mode: a value that [`OnConflict`] does not have.
const NOT_EXPRESSIBLE: &str = "registry_conflicts-009";

#[test]
fn conflicts_hold() {
    let mut comparison = Comparison::new(&DIFFERENT_CONFLICTS);
    for case in vectors("seeds/registry_conflicts.json") {
        let Some((_, batches)) = CONFLICTS.iter().find(|(listed, _)| *listed == id(&case)) else {
            assert_eq!(id(&case), NOT_EXPRESSIBLE);
            continue;
        };
        let registry = ToolRegistry::default();
        let result = batches.iter().map(|(batch, mode)| register(&registry, batch, *mode)).last();
        // The vector's `null` is a call whose result it does not tell.
        let result = match (&case["result"], result.expect("a batch")) {
            (Value::Null, Ok(_)) => Value::Null,
            (_, Ok(names)) => json!(names),
            (_, Err(())) => json!({"raised": "ToolRegistrationError"}),
        };
        let expected = (case["result"].clone(), case["registered"].clone());
        comparison.case(id(&case), expected, (result, registered(&registry)));
    }
    comparison.finish("registry conflicts", 8);
}

/// The names that were registered; any error ends the batch.
fn register(
    registry: &ToolRegistry,
    batch: &[(&str, &str)],
    mode: OnConflict,
) -> Result<Vec<ToolName>, ()> {
    let tools: Result<Vec<_>, _> = batch.iter().map(|(n, version)| build(n, version)).collect();
    registry.register_all(tools.map_err(drop)?, mode).map_err(drop)
}

/// The tools in order, each as name and version.
fn registered(registry: &ToolRegistry) -> Value {
    let tools = registry.tools();
    tools.iter().map(|t| json!([t.name(), t.definition.description])).collect()
}

#[test]
fn the_last_of_a_batch_wins_under_overwrite() {
    let registry = ToolRegistry::default();
    register(&registry, &[("b", "1")], Error).unwrap();
    let names = register(&registry, &[("a", "1"), ("b", "2"), ("a", "3")], Overwrite).unwrap();
    assert_eq!(names.iter().map(ToolName::as_str).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(registered(&registry), json!([["b", "2"], ["a", "3"]]));
}

#[test]
fn other_names_that_look_like_valid_ones_are_refused() {
    let long = "x".repeat(65);
    for name in [
        "a\u{0}",
        "a\u{2028}",
        "\u{feff}a",
        "a\u{ad}b",
        "\u{430}dmin",
        "ａｂｃ",
        "a+b",
        "a%20b",
        "a\\b",
        "a\r\n",
        "a\u{202e}b",
        "a,b",
        "a\u{301}",
        "²",
        "١",
        "ſhell",
        "\u{212a}ey",
        &long,
    ] {
        assert!(ToolName::parse(name).is_err(), "{name:?}");
        let sanitized = ToolName::sanitize(name);
        assert_eq!(ToolName::parse(sanitized.as_str()), Ok(sanitized));
    }
}
