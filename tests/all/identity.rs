//! Vectors: where a tool came from, what it is, and what it is called.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolstile::core::{
    IdentityError, Namespace, NamingError, PluginId, ToolExecutor, ToolRegistry, catalog,
    descriptions, namespaced, parse_json,
};
use toolstile::{
    Arguments, Call, Confirm, ConfirmRequest, ConfirmRule, Decision, Fingerprint, FunctionTool,
    JsonLimits, Origin, Pin, RegisteredTool, ToolResponse,
};
use toolstile_tests::{Comparison, id, vector_lines};

fn cases(kind: &str) -> Vec<Value> {
    let mut cases = vector_lines("security/identity.jsonl");
    cases.retain(|case| case["kind"] == kind);
    cases
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// Arguments of a tool that takes none.
#[derive(Deserialize, JsonSchema)]
struct Nothing {}

/// A tool that says `claim` about itself, and that answers it as its data.
fn claiming(name: &str, claim: &Value) -> FunctionTool {
    let answer = ToolResponse::success("done").with_data(claim["result_data"].clone());
    let function = move |_: Nothing| std::future::ready(answer.clone());
    FunctionTool::new(name, &claim.to_string(), function).expect("a tool")
}

/// Whether the case's outcome is among those it accepts.
fn judge(comparison: &mut Comparison, case: &Value, found: &Value) {
    let accepted = case["accept"].as_array().cloned();
    let accepted = accepted.unwrap_or_else(|| vec![case["expect"].clone()]);
    comparison.accept(id(case), accepted.contains(found), || format!("{found}, not {accepted:?}"));
}

#[test]
fn pairs_of_definitions_are_told_apart() {
    let mut comparison = Comparison::new(&[]);
    let of = |raw: &Value| {
        let definition = parse_json(text(raw), JsonLimits::SCHEMA).ok()?;
        Some(Fingerprint::of(&definition, &Origin::Native, None))
    };
    for case in cases("fingerprint_pair") {
        let found = match (of(&case["a_raw"]), of(&case["b_raw"])) {
            (Some(a), Some(b)) if a == b => "same",
            (Some(_), Some(_)) => "different",
            _ => "reject",
        };
        judge(&mut comparison, &case, &found.into());
    }
    comparison.finish("pairs of definitions", 28);
}

/// How a server is started is for a client of servers to fingerprint.
const SERVER_COMMAND: &str = "id-fingerprint-049";

#[test]
fn a_fingerprint_covers_the_code_and_its_own_version() {
    let mut comparison = Comparison::new(&[]);
    for case in cases("fingerprint_scope").iter().filter(|case| id(case) != SERVER_COMMAND) {
        let different = match case["a"]["component_sha256"].as_str() {
            Some(_) => scope(&case["a"]) != scope(&case["b"]),
            None => {
                let found = Fingerprint::of(&json!({}), &Origin::Native, None);
                let (version, digest) = found.as_str().split_once(':').expect("a version");
                assert_eq!(version, "sha256/v1");
                Pin::Text(format!("sha256/v2:{digest}")).check("x", &found).is_err()
            }
        };
        judge(&mut comparison, case, &json!({ "different": different }));
    }
    comparison.finish("scopes of fingerprints", 2);
}

fn scope(part: &Value) -> Fingerprint {
    let plugin = text(&part["origin"]).strip_prefix("wasm:").expect("a plugin");
    let origin = Origin::Plugin(PluginId::parse(plugin).expect("an identity"));
    Fingerprint::of(&part["tool"], &origin, part["component_sha256"].as_str())
}

#[test]
fn the_origin_is_part_of_a_fingerprint() {
    let plugin = Origin::Plugin(PluginId::parse("x").unwrap());
    let server = Origin::Mcp(Namespace::parse("x").unwrap());
    let origins = [Origin::Builtin, Origin::Native, plugin, server];
    let of = |origin| Fingerprint::of(&json!({"name": "a"}), origin, None).to_string();
    let distinct: std::collections::BTreeSet<String> = origins.iter().map(of).collect();
    assert_eq!(distinct.len(), origins.len());
}

#[test]
fn names_of_servers_tools_hold() {
    let mut comparison = Comparison::new(&[]);
    for case in cases("naming") {
        let found = match display_names(&case) {
            Ok(names) => json!({ "names": names }),
            Err(error) => json!({ "error": error }),
        };
        judge(&mut comparison, &case, &found);
    }
    comparison.finish("names of servers' tools", 26);
}

/// The names under which a server's tools are registered, beside those that exist.
fn display_names(case: &Value) -> Result<Vec<String>, &'static str> {
    let namespace = Namespace::parse(text(&case["namespace"])).map_err(|_| "namespace")?;
    let remote: Vec<&str> = case["tools"].as_array().expect("a list").iter().map(text).collect();
    let names = namespaced(&namespace, &remote).map_err(|error| match error {
        NamingError::Duplicate { .. } => "duplicate",
        _ => "name",
    })?;
    let registry = ToolRegistry::default();
    for existing in case["existing"].as_array().expect("a list") {
        let tool = claiming(text(&existing["name"]), &json!({}));
        registry.register(RegisteredTool::new(Arc::new(tool), Origin::Builtin)).expect("free");
    }
    for name in &names {
        let tool = claiming(name.as_str(), &json!({}));
        let tool = RegisteredTool::new(Arc::new(tool), Origin::Mcp(namespace.clone()));
        registry.register(tool).map_err(|_| "conflict")?;
    }
    Ok(names.iter().map(ToString::to_string).collect())
}

#[test]
fn other_namespaces_that_look_like_origins_are_refused() {
    let long = "x".repeat(65);
    for text in [
        "",
        "_",
        "--",
        "Builtin",
        "NATIVE",
        "plugin",
        "plugin:x",
        "host",
        "toolstile",
        "a b",
        "a\u{200b}",
        "ａ",
        "a.b",
        "..",
        "a\n",
        "\u{202e}a",
        "a\0",
        &long,
    ] {
        assert!(Namespace::parse(text).is_err() && PluginId::parse(text).is_err(), "{text:?}");
    }
}

/// What needs files in a directory: the tests of loading have these.
const NEED_FILES: [&str; 3] = ["id-origin-010", "id-origin-011", "id-origin-012"];

const DIFFERENT_ORIGINS: [(&str, &str); 1] = [(
    "id-origin-019",
    "an operator's rule can raise what needs confirmation, there is none that marks a tool's \
     results as external",
)];

#[tokio::test]
async fn origins_are_stamped_whatever_a_tool_says() {
    let mut comparison = Comparison::new(&DIFFERENT_ORIGINS);
    for case in cases("origin").iter().filter(|case| !NEED_FILES.contains(&id(case))) {
        let found = match load(case) {
            Ok(tool) => outcome(case, tool).await,
            Err(error) => json!({ "error": error }),
        };
        let expected = &case["expect"];
        // One call answers what several cases ask; each compares its own part.
        let agrees = expected.as_object().expect("an object").iter().all(|(k, v)| found[k] == *v);
        comparison.accept(id(case), agrees, || format!("{found}, not {expected}"));
    }
    comparison.finish("origins", 9);
}

/// What the claim of a case came to.
async fn outcome(case: &Value, tool: RegisteredTool) -> Value {
    let claim = &case["claim"];
    if claim.get("result_data").is_some() {
        return after_calls(tool).await;
    }
    if let Some(remote) = claim["tools"][0].as_str() {
        let namespace = Namespace::parse(text(&case["loaded_from"]["mcp"])).expect("a namespace");
        return json!({"name": namespaced(&namespace, &[remote]).expect("a name")[0]});
    }
    if claim["metadata"].get("requires_confirmation").is_some() {
        let external = tool.definition.traits.external_content;
        let raised = tool.with_confirm(ConfirmRule::Always).confirm;
        let confirm = raised.applies(&Arguments::from_object(Default::default()));
        return json!({"requires_confirmation": confirm, "external_content": external});
    }
    // The vectors call the origin of a plugin `wasm`.
    json!({"origin": tool.origin.to_string().replace("plugin:", "wasm:")})
}

/// Loads the case's tool as the file or the server that it came from.
fn load(case: &Value) -> Result<RegisteredTool, &'static str> {
    let from = &case["loaded_from"];
    let kind = |error| match error {
        IdentityError::Reserved(_) => "reserved",
        _ => "name",
    };
    let origin = match from["wasm_file"].as_str() {
        Some(file) => {
            let stem = file.strip_prefix("plugins/").and_then(|f| f.strip_suffix(".wasm"));
            Origin::Plugin(PluginId::parse(stem.expect("a plugin file")).map_err(kind)?)
        }
        None => Origin::Mcp(Namespace::parse(text(&from["mcp"])).map_err(kind)?),
    };
    let tool = claiming("shell", &case["claim"]).with_confirm(ConfirmRule::Always);
    Ok(RegisteredTool::new(Arc::new(tool), origin))
}

/// Approves everything, and counts how often it was asked.
#[derive(Default)]
struct Approves(AtomicUsize);

#[async_trait]
impl Confirm for Approves {
    async fn confirm(&self, _: &ConfirmRequest) -> Decision {
        self.0.fetch_add(1, Ordering::Relaxed);
        Decision::Approve
    }
}

/// Runs a tool whose data makes claims twice, and says what they changed.
async fn after_calls(tool: RegisteredTool) -> Value {
    let registry = Arc::new(ToolRegistry::default());
    registry.register(tool.with_confirm(ConfirmRule::Always)).expect("free");
    let person = Arc::new(Approves::default());
    let builder = ToolExecutor::builder(registry).confirm(Arc::clone(&person) as Arc<dyn Confirm>);
    let executor = builder.build();
    for _ in 0..2 {
        let completion = executor.execute(Call::new("shell", "{}")).await;
        assert!(completion.response().data.is_some(), "the tool ran");
    }
    let tools = executor.permitted_tools();
    let names = tools.iter().map(|tool| tool.name().as_str());
    let new: Vec<&str> = names.filter(|name| *name != "shell").collect();
    json!({"discovered": new, "ignored": person.0.load(Ordering::Relaxed) == 2})
}

#[test]
fn texts_of_strangers_are_listed_without_invisible_characters() {
    let mut comparison = Comparison::new(&[]);
    for case in cases("metadata") {
        let tool = RegisteredTool::new(Arc::new(describing(text(&case["text"]))), Origin::Native);
        let shown =
            [catalog(&[Arc::new(tool.clone())]), descriptions(&[Arc::new(tool)])].join("\n");
        let invisible =
            |c: char| c != '\n' && toolstile::escape_invisible(&c.to_string()) != c.to_string();
        comparison.accept(id(&case), !shown.contains(invisible), || shown);
    }
    comparison.finish("texts of strangers", 11);
}

fn describing(text: &str) -> FunctionTool {
    FunctionTool::new("tool", text, async |_: Nothing| "").expect("a tool")
}
