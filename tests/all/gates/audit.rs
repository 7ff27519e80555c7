//! One record for every call, whatever became of it.

use serde_json::{Value, json};
use toolstile::core::sha256_hex;
use toolstile::{
    ArgumentDetail, Call, Decision, FailureKind, ToolError, ToolPermissions, ToolResponse,
};

use super::confirmation::is_pending;
use super::scene::{Person, Played, Scene, Step, VALID, gates_of};

async fn with_answer(answer: Result<ToolResponse, ToolError>) -> Played {
    Scene { answer, ..Scene::default() }.play(VALID).await
}

#[tokio::test]
async fn every_outcome_leaves_one_record() {
    let failed = || Err(ToolError::new(FailureKind::Stack, "depth 9999"));
    let deny = Person::Says(Decision::Deny { reason: None });
    let allow_none = ToolPermissions { allow: Some([].into()), ..Default::default() };
    let played = [
        with_answer(Ok(ToolResponse::success("x"))).await,
        with_answer(Ok(ToolResponse::partial("x"))).await,
        with_answer(Ok(ToolResponse::error("x"))).await,
        with_answer(failed()).await,
        Scene::default().play("no JSON").await,
        Scene::default().play("{}").await,
        Scene::default().play_call(Call::new("unknown", VALID)).await,
        Scene { permissions: allow_none, ..Scene::default() }.play(VALID).await,
        Scene { middleware: vec![Step::Rejects("no")], ..Scene::default() }.play(VALID).await,
        Scene { person: deny, ..Scene::default() }.play(VALID).await,
        Scene { person: Person::Says(Decision::Defer), ..Scene::default() }.play(VALID).await,
    ];
    let outcomes: Vec<_> =
        played.iter().map(|p| (p.records[0].outcome, p.records[0].reason)).collect();
    let expected = [
        ("success", None),
        ("partial", None),
        ("error", None),
        ("failed", Some("stack")),
        ("refused", Some("malformed_arguments")),
        ("refused", Some("invalid_arguments")),
        ("refused", Some("unknown_tool")),
        ("refused", Some("name_not_allowed")),
        ("refused", Some("rejected")),
        ("refused", Some("not_confirmed")),
        ("refused", Some("deferred")),
    ];
    assert_eq!(outcomes, expected);
    assert!(
        played.iter().all(|p| p.records.len() == 1 && p.log.last().unwrap().starts_with("audit"))
    );
}

#[tokio::test]
async fn a_record_as_json_has_these_fields() {
    let call = Call { id: Some("c-1".into()), ..Call::new("write", VALID) };
    let played = Scene::default().play_call(call).await;
    let mut record = json!(played.records[0]);
    let digest = sha256_hex(br#"{"mode":"add","path":"a"}"#);
    let tool = played.completion.tool.as_ref().unwrap();
    assert!(record["time"].as_str().unwrap().ends_with('Z'), "{record}");
    assert!(record["duration_us"].is_u64());
    record["time"] = "T".into();
    record["duration_us"] = 0.into();
    let expected = json!({
        "v": 1, "time": "T", "call_id": "c-1", "tool": "write", "origin": "native",
        "fingerprint": tool.fingerprint.as_str(), "arguments_sha256": digest,
        "gates": [
            {"gate": "registry", "verdict": "passed"},
            {"gate": "permissions", "verdict": "passed"},
            {"gate": "schema", "verdict": "passed"},
            {"gate": "middleware", "verdict": "passed"},
            {"gate": "confirm", "verdict": "passed", "detail": "approved"},
            {"gate": "capabilities", "verdict": "passed"},
        ],
        "outcome": "success", "duration_us": 0,
    });
    assert_eq!(record, expected);
}

async fn arguments_of(detail: ArgumentDetail, arguments: &str) -> (Value, Value) {
    let mut scene = Scene { detail, ..Scene::default() };
    let schema = json!({"properties": {"path": {"type": "string"}}});
    scene.definition.input_schema = toolstile::ToolSchema::compile(schema).expect("a schema");
    let record = json!(scene.play(arguments).await.records[0]);
    (record["arguments_sha256"].clone(), record["arguments"].clone())
}

#[tokio::test]
async fn arguments_are_recorded_as_the_sink_wants() {
    let given =
        r#"{"path":"a","api_key":"k","deep":[{"password":"p","n":1}],"h":"Bearer abc.def"}"#;
    let canonical =
        r#"{"api_key":"k","deep":[{"n":1,"password":"p"}],"h":"Bearer abc.def","path":"a"}"#;
    let digest = json!(sha256_hex(canonical.as_bytes()));
    assert_eq!(arguments_of(ArgumentDetail::Digest, given).await, (digest.clone(), Value::Null));
    assert_eq!(arguments_of(ArgumentDetail::Omit, given).await, (Value::Null, Value::Null));
    let masked = json!({
        "path": "a", "api_key": "[redacted]", "deep": [{"password": "[redacted]", "n": 1}],
        "h": "Bearer [redacted]",
    });
    assert_eq!(arguments_of(ArgumentDetail::Full, given).await, (digest, masked));
}

#[tokio::test]
async fn arguments_that_are_no_json_are_not_recorded() {
    for detail in [ArgumentDetail::Digest, ArgumentDetail::Full] {
        let recorded = arguments_of(detail, r#"{"password":"p","#).await;
        assert_eq!(recorded, (Value::Null, Value::Null));
    }
}

#[tokio::test]
async fn the_record_holds_the_arguments_that_were_looked_at_last() {
    let replaced = json!({"path": "b", "mode": "new"});
    for person in [Person::Says(Decision::Approve), Person::Panics] {
        let middleware = vec![Step::Replaces(replaced.clone())];
        let detail = ArgumentDetail::Full;
        let scene = Scene { middleware, person, detail, ..Scene::default() };
        let played = scene.play(VALID).await;
        assert_eq!(played.records[0].arguments.as_ref(), Some(&replaced));
    }
    let middleware = vec![Step::Replaces(json!({"path": 1}))];
    let detail = ArgumentDetail::Full;
    let played = Scene { middleware, detail, ..Scene::default() }.play(VALID).await;
    assert_eq!(played.records[0].arguments, Some(json!({"path": 1})));
}

#[tokio::test]
async fn a_dropped_call_is_recorded_and_a_late_answer_changes_nothing() {
    let scene = Scene { person: Person::NeverAnswers, ..Scene::default() };
    let (executor, log, sink) = scene.set_up();
    let mut call = Box::pin(executor.execute(Call::new("write", VALID)));
    assert!(is_pending(&mut call).await);
    assert!(sink.records.lock().unwrap().is_empty());
    drop(call);
    let records = sink.records.lock().unwrap();
    assert_eq!(records.len(), 1);
    assert_eq!((records[0].outcome, records[0].reason), ("cancelled", None));
    let met = ["registry passed", "permissions passed", "schema passed", "middleware passed"];
    assert_eq!(gates_of(&records[0]), met);
    assert!(!log.lock().unwrap().iter().any(|line| line.starts_with("tool")));
}

#[tokio::test]
async fn a_name_of_any_length_leaves_a_small_record() {
    let played = Scene::default().play_call(Call::new("x".repeat(1_000_000), VALID)).await;
    assert!(json!(played.records[0]).to_string().len() < 1_000);
    assert!(played.text().len() < 300, "{}", played.text());
}
