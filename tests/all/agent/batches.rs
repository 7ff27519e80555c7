//! The calls of one reply: order, concurrency, repair, cancellation.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use tokio::sync::Barrier;
use toolstile::agent::{
    CancellationToken, ChatReply, Finish, Message, RunRequest, RunStatus, ScriptedLlm, ToolCall,
};
use toolstile::{
    Arguments, CallContext, ConfirmRule, MemorySink, Tool, ToolDefinition, ToolError, ToolName,
    ToolResponse, ToolSchema, ToolTraits, Verdict,
};
use toolstile_tests::{PluginDir, RecordingTool};

use super::stage::{Watch, agent, arc, plain, records, rounds, texts};
use crate::hostile::guests;

/// A tool that ends only when as many calls as it says are inside at once.
#[derive(Debug)]
struct Meeting {
    parallel: bool,
    together: Barrier,
    inside: AtomicUsize,
    most: AtomicUsize,
}

impl Meeting {
    fn new(parallel: bool, together: usize) -> Arc<Self> {
        let together = Barrier::new(together);
        Arc::new(Self { parallel, together, inside: 0.into(), most: 0.into() })
    }
}

#[async_trait]
impl Tool for Meeting {
    fn definition(&self) -> ToolDefinition {
        let schema = ToolSchema::compile(json!({"type": "object"})).expect("a schema");
        let name = ToolName::parse("meet").expect("a name");
        let traits = ToolTraits { supports_parallel: self.parallel, ..ToolTraits::default() };
        ToolDefinition { traits, ..ToolDefinition::new(name, "Meets", schema) }
    }

    async fn call(
        &self,
        arguments: &Arguments,
        _: &CallContext,
    ) -> Result<ToolResponse, ToolError> {
        let inside = self.inside.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(inside, Ordering::SeqCst);
        self.together.wait().await;
        self.inside.fetch_sub(1, Ordering::SeqCst);
        Ok(ToolResponse::success(arguments.as_value()["i"].to_string()))
    }
}

fn calls_of(name: &str, count: usize) -> serde_json::Value {
    (0..count).map(|i| json!([format!("c{i}"), name, {"i": i}])).collect()
}

#[tokio::test]
async fn calls_that_may_run_together_do_and_answer_in_order() {
    let tool = Meeting::new(true, 5);
    let model = rounds(&[calls_of("meet", 5), json!("done")]);
    let agent = agent(&model, vec![tool.clone()]).build().expect("an agent");
    // Would never end if one waited for the other.
    agent.run("go").await.expect("a run");
    assert_eq!(tool.most.load(Ordering::SeqCst), 5);
    let seen = model.seen();
    let results: Vec<_> = (0..5).map(|i| (format!("c{i}"), i.to_string())).collect();
    let found: Vec<_> =
        seen[1].results().iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned())).collect();
    assert_eq!(found, results);
}

#[tokio::test]
async fn calls_that_may_not_run_one_after_the_other() {
    let tool = Meeting::new(false, 1);
    let model = rounds(&[calls_of("meet", 5), json!("done")]);
    agent(&model, vec![tool.clone()]).build().expect("an agent").run("go").await.expect("a run");
    assert_eq!(tool.most.load(Ordering::SeqCst), 1);
}

/// A call that has to be asked about, or that another kind of tool stands between, runs
/// in its place.
#[tokio::test]
async fn order_holds_around_what_must_not_run_together() {
    let mut quick = plain("quick");
    quick.definition.traits.supports_parallel = true;
    let model = rounds(&[
        json!([["1", "quick", {}], ["2", "slow", {}], ["3", "quick", {}], ["4", "quick", {}]]),
        json!("done"),
    ]);
    let watch = Watch::default();
    let agent = agent(&model, vec![arc(quick), arc(plain("slow"))]).observer(watch.clone());
    agent.build().expect("an agent").run("go").await.expect("a run");
    let ended: Vec<_> = watch.lines().into_iter().filter(|l| l.starts_with("started")).collect();
    assert_eq!(ended, ["started quick", "started slow", "started quick", "started quick"]);
}

#[tokio::test]
async fn every_call_has_exactly_one_result_under_its_own_identifier() {
    let model = rounds(&[
        json!([["x", "t", {}], ["x", "t", {}], ["", "t", {}], ["y", "nope", {}]]),
        json!("done"),
    ]);
    let agent = agent(&model, vec![arc(plain("t"))]).build().expect("an agent");
    let result = agent.run("go").await.expect("a run");
    let Message::Assistant { calls, .. } = &result.messages[1] else { panic!("the calls") };
    let asked: Vec<_> = calls.iter().map(|call| call.id.clone()).collect();
    let answered: Vec<_> = result.messages[2..6]
        .iter()
        .map(|message| match message {
            Message::Tool { call_id, .. } => call_id.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(asked, answered);
    assert_eq!(asked, ["x", "x#t1-1", "call#t1-2", "y"]);
}

#[tokio::test]
async fn garbled_arguments_are_mended_with_a_note_in_the_record() {
    let schema = json!({"type": "object", "properties": {
        "n": {"type": "integer"}, "list": {"type": "array"}, "s": {"type": "string"},
        "either": {"type": ["integer", "string"]}}});
    let tool = Arc::new(RecordingTool::new("t", schema));
    let sink = Arc::new(MemorySink::default());
    let model = Arc::new(
        ScriptedLlm::new()
            .call("t", r#""{\"n\": 1}""#)
            .call("t", r#"{"n": "5", "list": "[1]", "s": "5", "either": "5"}"#)
            .call("t", r#"{"n": null, "s": "x"}"#)
            .call("t", r#"{"n": "five"}"#)
            .text("done"),
    );
    let agent = agent(&model, vec![tool.clone()]).audit(sink.clone());
    let result = agent.build().expect("an agent").run("go").await.expect("a run");
    let expected =
        [json!({"n": 1}), json!({"n": 5, "list": [1], "s": "5", "either": "5"}), json!({"s": "x"})];
    assert_eq!(tool.calls(), expected);
    let details: Vec<_> = sink
        .records()
        .iter()
        .map(|record| {
            let schema = record.gates.iter().find(|decision| decision.gate.as_str() == "schema");
            schema.and_then(|decision| decision.detail.clone())
        })
        .collect();
    assert_eq!(details[0].as_deref(), Some("repaired: the arguments were an object as text"));
    let second = details[1].as_deref().expect("a note");
    assert!(second.contains("`/n` was a number as text"), "{second}");
    assert!(second.contains("`/list` was an array as text"), "{second}");
    assert_eq!(details[2], None, "null for an optional property is no mistake");
    assert_eq!(sink.records()[3].gates.last().expect("a gate").verdict, Verdict::Refused);
    assert!(texts(&result)[3].contains("/n"), "{:?}", texts(&result));
}

#[tokio::test]
async fn truncated_arguments_never_run() {
    let tool = Arc::new(plain("t"));
    let cut = |arguments: &str| ChatReply {
        finish: Finish::Length,
        ..ChatReply::calls(vec![ToolCall::new("a", "t", "{}"), ToolCall::new("b", "t", arguments)])
    };
    let model = Arc::new(
        ScriptedLlm::new()
            .replying(cut(""))
            .replying(cut(r#"{"x": "#))
            .call("t", r#"{"x": [1, 2"#)
            .text("done"),
    );
    let limits = toolstile::agent::Limits { failed_batches: None, ..Default::default() };
    let agent = agent(&model, vec![tool.clone()]).limits(limits).build().expect("an agent");
    let result = agent.run("go").await.expect("a run");
    assert_eq!(tool.calls(), [] as [serde_json::Value; 0]);
    assert_eq!(result.status, RunStatus::Answered);
    let seen = model.seen();
    assert!(seen[1].results().iter().all(|(_, text)| text.contains("cut at the token limit")));
    assert!(texts(&result)[0].contains("were not accepted"), "{:?}", texts(&result));
}

/// A guest that would run for a minute is gone when its run is cancelled, also when it
/// runs beside others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelling_a_run_stops_its_guests() {
    let directory = PluginDir::with([("hostile", guests::HOSTILE)]);
    let config = "[plugin.hostile.limits]\ndeadline_ms = 60000\n";
    let (host, sink) = directory.recording_host(config).await;
    let model = rounds(&[json!([["1", "endless_loop", {}], ["2", "endless_loop", {}]])]);
    let watch = Watch::default();
    let agent = host.agent().model(model).observer(watch.clone()).build().expect("an agent");
    let token = CancellationToken::new();
    let request = RunRequest::new("go").cancel(token.clone());
    let run = tokio::spawn(async move { agent.run(request).await });
    while !watch.lines().iter().any(|line| line == "started endless_loop") {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    token.cancel();
    let result = run.await.expect("no panic").expect("a result");
    assert_eq!(result.status, RunStatus::Cancelled);
    // What is left is a history that any model takes.
    assert_eq!(result.messages.len(), 4);
    while !sink.records().iter().any(|record| record.outcome == "cancelled") {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_call_that_needs_a_person_does_not_run_beside_others() {
    let mut asks = plain("asks");
    asks.definition.traits.supports_parallel = true;
    asks.definition.confirm = ConfirmRule::Always;
    let model = rounds(&[json!([["1", "asks", {}], ["2", "asks", {}]]), json!("done")]);
    let agent = agent(&model, vec![arc(asks)]).build().expect("an agent");
    let result = agent.run("go").await.expect("a run");
    let reasons: Vec<_> = records(&result).iter().map(|record| record.reason).collect();
    assert_eq!(reasons, [Some("not_confirmed"); 2]);
}
