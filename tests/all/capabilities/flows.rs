//! Confirmation, step by step: `tests/cases/security/gates.jsonl`, the flows.

use std::future::{Future, pending};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use toolstile::core::{ToolExecutor, ToolRegistry};
use toolstile::{
    Call, Completion, Confirm, ConfirmRequest, ConfirmRule, Decision, Host, Origin, RegisteredTool,
    ToolPermissions,
};
use toolstile_tests::{RecordingTool, id, vector_lines};

use super::{Person, Place};

/// The rule that decides is data: there is no code of a plugin that could fail.
const NOT_EXPRESSIBLE: [&str; 2] = ["gate-confirm-031", "gate-confirm-032"];

#[tokio::test]
async fn every_flow_ends_on_the_safe_side() {
    let cases = vector_lines("security/gates.jsonl");
    let (mut ran, mut left_out) = (0, 0);
    for case in cases.iter().filter(|case| case["kind"] == "confirm_flow") {
        if NOT_EXPRESSIBLE.contains(&id(case)) {
            left_out += 1;
            continue;
        }
        let outcome = play(id(case)).await;
        let accepted = case["accept"].as_array().map_or_else(Vec::new, Clone::clone);
        let holds = case["expect"] == outcome || accepted.iter().any(|accept| accept == outcome);
        assert!(holds, "{}: {outcome}, not {}", id(case), case["expect"]);
        ran += 1;
    }
    assert_eq!((ran, left_out), (19, 2));
}

/// What came of a flow, in the words of the vectors.
async fn play(id: &str) -> &'static str {
    match id.rsplit('-').next().unwrap_or_default() {
        "001" => denied(&Scene::new(None).call(json!({"a": 1})).await),
        "003" => denied(&Scene::new(Some(Answers::No)).call(json!({"a": 1})).await),
        "009" => asked_again(json!({"a": 1}), json!({"a": 1})).await,
        "012" => asked_again(json!({"a": 1}), json!({"a": 2})).await,
        "010" => one_answer_for_two().await,
        "013" => rejected(&Scene::new(Some(Answers::Yes)).call_text(r#"{"a":1,"a":2}"#).await),
        "014" => one_rule().await,
        "015" => never_answered().await,
        // An answer is a value: there is only one.
        "017" => match asked_again(json!({"a": 1}), json!({"a": 1})).await {
            "confirm_again" => "first answer counts",
            other => other,
        },
        "018" => given_up().await,
        "019" => {
            not_asked(
                ToolPermissions { deny: ["write".into()].into(), ..Default::default() },
                "write",
            )
            .await
        }
        "020" => not_asked(ToolPermissions::default(), "unknown").await,
        "024" => notes(json!({"action": "read", "path": "a"})).await,
        "025" => notes(json!({"action": "READ", "path": "a"})).await,
        "026" => notes(json!({"action": " read ", "path": "a"})).await,
        "027" => notes(json!({"action": "read", "path": "a", "content": "x"})).await,
        "029" => notes(json!({"action": ["read"], "path": "a"})).await,
        "033" => safe_beside_pending().await,
        "035" => removed_while_pending().await,
        other => panic!("no flow {other}"),
    }
}

/// How a person answers.
#[derive(Clone, Copy, Debug)]
enum Answers {
    Yes,
    No,
    /// Yes, once.
    YesOnce,
    Never,
}

struct Asked {
    answers: Answers,
    requests: Mutex<Vec<ConfirmRequest>>,
}

#[async_trait]
impl Confirm for Asked {
    async fn confirm(&self, request: &ConfirmRequest) -> Decision {
        let count = {
            let mut requests = self.requests.lock().expect("no panic");
            requests.push(request.clone());
            requests.len()
        };
        match self.answers {
            Answers::Never => pending().await,
            Answers::Yes => Decision::Approve,
            Answers::YesOnce if count == 1 => Decision::Approve,
            Answers::YesOnce | Answers::No => Decision::Deny { reason: None },
        }
    }
}

/// A tool `write` that always needs a person, and one.
struct Scene {
    executor: ToolExecutor,
    tool: Arc<RecordingTool>,
    person: Arc<Asked>,
}

impl Scene {
    fn new(answers: Option<Answers>) -> Self {
        Self::with(answers, ToolPermissions::default())
    }

    fn with(answers: Option<Answers>, permissions: ToolPermissions) -> Self {
        let tool = Arc::new(RecordingTool::new("write", json!({})));
        let registry = Arc::new(ToolRegistry::default());
        let registered = RegisteredTool::new(Arc::clone(&tool) as Arc<_>, Origin::Native);
        registry.register(registered.with_confirm(ConfirmRule::Always)).expect("free");
        let requests = Mutex::default();
        let person = Arc::new(Asked { answers: answers.unwrap_or(Answers::No), requests });
        let mut executor = ToolExecutor::builder(registry).permissions(permissions);
        executor = executor.confirm_timeout(Duration::from_millis(100));
        if answers.is_some() {
            executor = executor.confirm(Arc::clone(&person) as Arc<dyn Confirm>);
        }
        Self { executor: executor.build(), tool, person }
    }

    async fn call(&self, arguments: Value) -> Completion {
        self.executor.execute(Call { id: Some("7".into()), ..Call::new("write", arguments) }).await
    }

    async fn call_text(&self, arguments: &str) -> Completion {
        self.executor.execute(Call::new("write", arguments)).await
    }

    fn asked(&self) -> usize {
        self.person.requests.lock().expect("no panic").len()
    }
}

fn denied(completion: &Completion) -> &'static str {
    if completion.record.reason == Some("not_confirmed") { "denied" } else { "executed" }
}

fn rejected(completion: &Completion) -> &'static str {
    if completion.record.reason == Some("malformed_arguments") { "rejected" } else { "executed" }
}

/// The same or another call after one that was approved.
async fn asked_again(first: Value, second: Value) -> &'static str {
    let scene = Scene::new(Some(Answers::YesOnce));
    scene.call(first).await;
    scene.call(second).await;
    match (scene.asked(), scene.tool.calls().len()) {
        (2, 1) => "confirm_again",
        _ => "executed twice",
    }
}

async fn one_answer_for_two() -> &'static str {
    let scene = Scene::new(Some(Answers::YesOnce));
    tokio::join!(scene.call(json!({"a": 1})), scene.call(json!({"a": 2})));
    if scene.tool.calls().len() == 1 { "only one executed" } else { "both executed" }
}

async fn one_rule() -> &'static str {
    let scene = Scene::new(Some(Answers::No));
    scene.call_text(r#"{"a":1}"#).await;
    scene.call_text(r#"{"a":1.0}"#).await;
    let requests = scene.person.requests.lock().expect("no panic");
    if requests[0].digest() == requests[1].digest() { "one rule" } else { "two" }
}

async fn never_answered() -> &'static str {
    let completion = Scene::new(Some(Answers::Never)).call(json!({"a": 1})).await;
    if denied(&completion) == "denied" { "timeout -> denied" } else { "executed" }
}

async fn given_up() -> &'static str {
    let scene = Scene::new(Some(Answers::Never));
    let given_up = tokio::time::timeout(Duration::from_millis(20), scene.call(json!({}))).await;
    let nothing_ran = given_up.is_err() && scene.tool.calls().is_empty();
    if nothing_ran { "not executed" } else { "executed" }
}

async fn not_asked(permissions: ToolPermissions, name: &str) -> &'static str {
    let scene = Scene::with(Some(Answers::Yes), permissions);
    scene.executor.execute(Call::new(name, "{}")).await;
    if scene.asked() == 0 { "callback not asked" } else { "asked" }
}

/// The bundled notes under a person who would approve everything.
async fn notes(arguments: Value) -> &'static str {
    let place =
        Place::with_config("[plugin.notes.grants.notes]\ndir = 'notes'\naccess = 'read-append'\n");
    let person = Person::who_approves();
    let host: Host = place.host(&person).await;
    let given = arguments["content"].is_string();
    // A list is neither a string nor one of the words; the schema may say either.
    let is_word = arguments["action"].is_string();
    let completion = host.call("notes", arguments).await;
    let nothing_written = !place.path("notes/a").exists() && person.take_shown().is_empty();
    match (&completion.result, nothing_written) {
        (_, false) => "written or asked",
        (Ok(_), _) if given => "read only, nothing written",
        (Ok(_), _) => "executed without prompt",
        (Err(_), _) if completion.model_text().contains("/action: ") => match is_word {
            true => "rejected by enum",
            false => "rejected by type",
        },
        (Err(_), _) => "refused",
    }
}

async fn safe_beside_pending() -> &'static str {
    let place =
        Place::with_config("[plugin.notes.grants.notes]\ndir = 'notes'\naccess = 'read-append'\n");
    let person = Asked { answers: Answers::Never, requests: Mutex::default() };
    let host = place.builder().confirm(person).build().await.expect("a host");
    let append = json!({"action": "append", "path": "a", "content": "x"});
    let mut waiting = Box::pin(host.call("notes", append));
    let read = host.call("notes", json!({"action": "read", "path": "a"}));
    tokio::select! {
        biased;
        _ = &mut waiting => "A ran",
        read = read => if read.result.is_ok() { "B runs, A waits" } else { "B failed" },
    }
}

async fn removed_while_pending() -> &'static str {
    let scene = Scene::new(Some(Answers::Never));
    let mut waiting = Box::pin(scene.call(json!({})));
    let polled = std::future::poll_fn(|context| {
        std::task::Poll::Ready(waiting.as_mut().poll(context).is_pending())
    });
    assert!(polled.await);
    scene.executor.registry().unregister("write");
    waiting.await;
    if scene.tool.calls().is_empty() { "not executed" } else { "executed A" }
}
