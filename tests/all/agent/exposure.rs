//! Tools that show and hide tools while a run goes on.

use serde_json::{Value, json};
use toolstile::agent::{Agent, RunResult, Seen};
use toolstile::{FunctionTool, Host, Status, ToolPermissions};
use toolstile_tests::PluginDir;

use super::stage::{Scripted, arc, plain, records, rounds, texts};
use crate::hostile::guests;

/// A host with the plugin, and one that has nothing to do with it.
async fn host(config: &str) -> Host {
    let directory = PluginDir::with([("loader", guests::LOADER), ("neighbour", guests::NEIGHBOUR)]);
    let host = directory.host(config).await;
    assert_eq!(host.quarantined(), [], "both load");
    host
}

async fn run(host: &Host, shown: &[&str], script: Vec<Value>) -> (RunResult, Vec<Seen>) {
    let model = rounds(&script);
    let agent = host.agent().model(model.clone()).shown(shown.iter().copied());
    let result = agent.build().expect("an agent").run("go").await.expect("a run");
    (result, model.seen())
}

fn shown(seen: &[Seen]) -> Vec<Vec<String>> {
    seen.iter().map(|seen| seen.tools.clone()).collect()
}

#[tokio::test]
async fn a_plugin_loads_its_own_tools_when_they_are_asked_for() {
    let script = vec![
        json!([["1", "load", {"names": ["sum"]}], ["2", "sum", {"a": 1, "b": 2}]]),
        json!([["3", "sum", {"a": 20, "b": 22}]]),
        json!("42"),
    ];
    let (result, seen) = run(&host("").await, &["load"], script).await;
    assert_eq!(shown(&seen), [vec!["load"], vec!["load", "sum"], vec!["load", "sum"]]);
    let texts = texts(&result);
    assert_eq!([&texts[0], &texts[2]], ["loaded", "42"]);
    // A tool that is added in a batch is unknown to the rest of the batch.
    assert!(texts[1].contains("there is no tool `sum`"), "{}", texts[1]);
}

#[tokio::test]
async fn a_reader_unlocks_the_writer_and_the_writer_locks_itself() {
    let script = vec![
        json!([["1", "write_record", {"id": "a", "text": "new"}]]),
        json!([["2", "read_record", {"id": "a"}]]),
        json!([["3", "write_record", {"id": "a", "text": "new"}]]),
        json!([["4", "write_record", {"id": "a", "text": "again"}]]),
        json!("done"),
    ];
    let (result, seen) = run(&host("").await, &["read_record"], script).await;
    let found: Vec<_> = records(&result).iter().map(|record| record.outcome).collect();
    assert_eq!(found, ["refused", "success", "success", "refused"]);
    assert_eq!(seen[2].tools, ["read_record", "write_record"]);
    assert_eq!(seen[3].tools, ["read_record"]);
}

#[tokio::test]
async fn tools_of_others_need_a_grant() {
    let reach = |add: &[&str], remove: &[&str]| {
        vec![json!([["1", "reach", {"add": add, "remove": remove}]]), json!("done")]
    };
    let without = host("").await;
    for (add, remove) in [(["echo"].as_slice(), [].as_slice()), (&[], &["echo"])] {
        let (result, seen) = run(&without, &["reach"], reach(add, remove)).await;
        let text = &texts(&result)[0];
        assert!(text.contains("`[plugin.loader.grants.exposure]`"), "{text}");
        assert_eq!(shown(&seen), [["reach"], ["reach"]]);
    }
    let with = host("[plugin.loader.grants.exposure]\ntools = [\"echo\"]").await;
    let (_, seen) = run(&with, &["reach", "sum"], reach(&["echo", "load"], &["sum"])).await;
    assert_eq!(seen[1].tools, ["reach", "echo", "load"]);
}

#[tokio::test]
async fn one_unknown_name_and_nothing_is_added() {
    let script = vec![json!([["1", "load", {"names": ["sum", "nope"]}]]), json!("done")];
    let (result, seen) = run(&host("").await, &["load"], script).await;
    assert!(texts(&result)[0].contains("there is no tool `nope`"), "{:?}", texts(&result));
    assert_eq!(seen[1].tools, ["load"]);
}

#[tokio::test]
async fn what_is_not_permitted_cannot_be_shown() {
    let host = host("[permissions]\ndeny = [\"sum\"]").await;
    let script = vec![json!([["1", "load", {"names": ["sum"]}]]), json!("done")];
    let (result, seen) = run(&host, &["load"], script).await;
    assert!(texts(&result)[0].contains("there is no tool `sum`"), "{:?}", texts(&result));
    assert_eq!(seen[1].tools, ["load"]);
}

#[tokio::test]
async fn outside_a_run_a_plugin_is_told_so() {
    let completion = host("").await.call("load", json!({"names": ["sum"]})).await;
    let response = completion.response();
    assert_eq!(response.status, Status::Error);
    assert!(response.text.contains("inside an agent's run only"), "{}", response.text);
}

/// The pattern with tools of the embedding program: a loader, and what it loads.
#[tokio::test]
async fn a_native_function_shows_tools_by_name_and_by_object() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Nothing {}
    let object = arc(plain("object"));
    let load = FunctionTool::with_context("load", "Shows tools", move |_: Nothing, context| {
        let object = object.clone();
        async move {
            let tools = context.tools().expect("a run");
            tools.add_names(&["by_name"]).expect("it is registered");
            tools.add(vec![object]).expect("its name is free");
            "loaded"
        }
    });
    let tools = vec![std::sync::Arc::new(load.expect("a tool")) as _, arc(plain("by_name"))];
    let script = [
        json!([["1", "load", {}]]),
        json!([["2", "by_name", {}], ["3", "object", {}]]),
        json!("done"),
    ];
    let model = rounds(&script);
    let agent = Agent::builder().model(model.clone()).tools(tools).shown(["load"]);
    let agent = agent.build().expect("an agent");
    let result = agent.run("go").await.expect("a run");
    assert_eq!(texts(&result), ["loaded", "ran by_name", "ran object"]);
    assert_eq!(model.seen()[1].tools, ["load", "by_name", "object"]);
}

#[tokio::test]
async fn every_run_begins_with_its_own_list() {
    let load = super::stage::plain("load").acting(|_, context| {
        let tools = context.tools().expect("a run");
        tools.add_names(&["extra"]).expect("it is registered");
        Ok(toolstile::ToolResponse::success("loaded"))
    });
    let model: Scripted = rounds(&[json!([["1", "load", {}]]), json!("a"), json!("b")]);
    let tools = vec![arc(load), arc(plain("extra"))];
    let agent = Agent::builder().model(model.clone()).tools(tools).shown(["load"]);
    let agent = agent.permissions(ToolPermissions::default()).build().expect("an agent");
    agent.run("first").await.expect("a run");
    agent.run("second").await.expect("a run");
    assert_eq!(shown(&model.seen()), [vec!["load"], vec!["load", "extra"], vec!["load"]]);
}
