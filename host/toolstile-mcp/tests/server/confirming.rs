//! What needs a person's confirmation, and every way not to get it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use toolstile_core::{ConfirmRule, ToolExecutor, ToolRegistry, ToolResponse};
use toolstile_mcp::server::{McpServer, Served};

use crate::native::Native;
use crate::support::{Client, ERAS, Era, first_text, server};

/// A server with the tool `erase`, which counts how often it ran.
struct Guarded {
    server: McpServer,
    registry: Arc<ToolRegistry>,
    runs: Arc<AtomicUsize>,
}

fn erase(runs: &Arc<AtomicUsize>, description: &str) -> Native {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let runs = Arc::clone(runs);
    let mut tool = Native::new("erase", description, schema, move |_, _| {
        runs.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { ToolResponse::success("erased") })
    });
    tool.definition.confirm = ConfirmRule::Always;
    tool
}

impl Guarded {
    fn new() -> Self {
        let runs = Arc::new(AtomicUsize::new(0));
        let registry = crate::support::registry(vec![erase(&runs, "Erases.")]);
        let executor = ToolExecutor::builder(Arc::clone(&registry)).build();
        Self { server: server(Served::tools(executor)), registry, runs }
    }

    fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }
}

fn can_elicit() -> Value {
    json!({"elicitation": {}})
}

fn accept(decision: &str) -> Value {
    json!({"action": "accept", "content": {"decision": decision}})
}

/// Calls `erase` in the era's own way, with a person who answers so.
async fn decided(guarded: &Guarded, era: Era, decision: Value) -> Value {
    let mut client = Client::connect(&guarded.server, era, can_elicit()).await;
    let call = json!({"name": "erase", "arguments": {"name": "x"}});
    match era {
        Era::Handshake => {
            let id = client.begin("tools/call", call).await;
            let asked = client.await_method("elicitation/create").await;
            client.send(json!({"jsonrpc": "2.0", "id": asked["id"], "result": decision})).await;
            client.answer(id).await
        }
        Era::Stateless => {
            let asked = client.request("tools/call", call.clone()).await;
            assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
            client.request("tools/call", retry(&call, &asked, decision)).await
        }
    }
}

/// The same call once more, with the person's answer.
fn retry(call: &Value, asked: &Value, decision: Value) -> Value {
    let mut call = call.clone();
    call["requestState"] = asked["result"]["requestState"].clone();
    call["inputResponses"] = json!({"confirm": decision});
    call
}

#[tokio::test]
async fn what_is_approved_runs_once() {
    for era in ERAS {
        let guarded = Guarded::new();
        let answer = decided(&guarded, era, accept("approve")).await;
        assert_eq!((first_text(&answer), guarded.runs()), ("erased", 1), "{era:?}");
    }
}

#[tokio::test]
async fn everything_but_an_approval_is_a_refusal() {
    for era in ERAS {
        let no = [accept("deny"), json!({"action": "decline"}), json!({"action": "cancel"})];
        for decision in no {
            let guarded = Guarded::new();
            let answer = decided(&guarded, era, decision.clone()).await;
            assert_eq!(answer["result"]["isError"], true, "{era:?} {decision} {answer}");
            assert_eq!(guarded.runs(), 0, "{era:?} {decision}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_breaks_the_form_approves_nothing() {
    let guarded = Guarded::new();
    let answer = decided(&guarded, Era::Handshake, accept("yes")).await;
    assert_eq!((&answer["result"]["isError"], guarded.runs()), (&json!(true), 0));
    let again = decided(&guarded, Era::Stateless, accept("yes")).await;
    assert_eq!((&again["result"]["resultType"], guarded.runs()), (&json!("input_required"), 0));
}

#[tokio::test]
async fn the_person_sees_exactly_what_would_run_and_who_asks() {
    let guarded = Guarded::new();
    let mut client = Client::connect(&guarded.server, Era::Stateless, can_elicit()).await;
    let arguments = json!({"name": "a\u{202e}b"});
    let asked = client.call("erase", arguments).await;
    let form = &asked["result"]["inputRequests"]["confirm"];
    let message = form["params"]["message"].as_str().unwrap();
    assert_eq!(form["method"], "elicitation/create");
    for part in ["tester", "erase (native)", "\"name\" = \"a\\u{202e}b\""] {
        assert!(message.contains(part), "`{part}` is not in {message}");
    }
    assert!(!message.contains('\u{202e}'));
    let members = form["params"]["requestedSchema"]["properties"].as_object().unwrap();
    assert_eq!(members.keys().collect::<Vec<_>>(), ["decision"]);
}

#[tokio::test]
async fn a_client_that_cannot_ask_is_told_what_would_help() {
    for era in ERAS {
        let guarded = Guarded::new();
        let mut client = Client::connect(&guarded.server, era, json!({})).await;
        let answer = client.call("erase", json!({"name": "x"})).await;
        match era {
            Era::Handshake => {
                assert_eq!(answer["result"]["isError"], true, "{answer}");
                assert!(first_text(&answer).contains("confirm = \"never\""), "{answer}");
            }
            Era::Stateless => {
                let text = answer.to_string();
                assert!(text.contains("elicitation"), "{answer}");
            }
        }
        assert_eq!(guarded.runs(), 0);
    }
}

#[tokio::test]
async fn an_approval_is_good_once() {
    let guarded = Guarded::new();
    let mut client = Client::connect(&guarded.server, Era::Stateless, can_elicit()).await;
    let call = json!({"name": "erase", "arguments": {"name": "x"}});
    let asked = client.request("tools/call", call.clone()).await;
    let approved = retry(&call, &asked, accept("approve"));
    assert_eq!(first_text(&client.request("tools/call", approved.clone()).await), "erased");
    let second = client.request("tools/call", approved).await;
    assert_eq!((&second["error"]["code"], guarded.runs()), (&json!(-32602), 1), "{second}");
}

#[tokio::test]
async fn an_approval_is_good_for_the_very_same_call_only() {
    let guarded = Guarded::new();
    let mut client = Client::connect(&guarded.server, Era::Stateless, can_elicit()).await;
    let call = json!({"name": "erase", "arguments": {"name": "x"}});
    let asked = client.request("tools/call", call.clone()).await;
    let approved = retry(&call, &asked, accept("approve"));
    let mut other = approved.clone();
    other["arguments"]["name"] = json!("y");
    assert_eq!(client.request("tools/call", other).await["error"]["code"], -32602);
    let mut forged = approved.clone();
    let state = forged["requestState"].as_str().unwrap();
    let middle = state.len() / 2;
    let letter = if &state[middle..=middle] == "A" { "B" } else { "A" };
    forged["requestState"] = json!(format!("{}{letter}{}", &state[..middle], &state[middle + 1..]));
    assert_eq!(client.request("tools/call", forged).await["error"]["code"], -32602);
    assert_eq!(guarded.runs(), 0);
    // Neither attempt used the approval up.
    assert_eq!(first_text(&client.request("tools/call", approved).await), "erased");
}

#[tokio::test]
async fn an_approval_is_no_good_for_a_tool_that_was_replaced() {
    let guarded = Guarded::new();
    let mut client = Client::connect(&guarded.server, Era::Stateless, can_elicit()).await;
    let call = json!({"name": "erase", "arguments": {"name": "x"}});
    let asked = client.request("tools/call", call.clone()).await;
    guarded.registry.unregister("erase").unwrap();
    guarded.registry.register(erase(&guarded.runs, "Erases more.").registered()).unwrap();
    let answer = client.request("tools/call", retry(&call, &asked, accept("approve"))).await;
    assert_eq!((&answer["error"]["code"], guarded.runs()), (&json!(-32602), 0), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn an_approval_ends_with_its_time() {
    let guarded = Guarded::new();
    let mut client = Client::connect(&guarded.server, Era::Stateless, can_elicit()).await;
    let call = json!({"name": "erase", "arguments": {"name": "x"}});
    let asked = client.request("tools/call", call.clone()).await;
    tokio::time::advance(std::time::Duration::from_secs(601)).await;
    let answer = client.request("tools/call", retry(&call, &asked, accept("approve"))).await;
    assert_eq!(guarded.runs(), 0);
    assert!(answer.get("error").is_some() || answer["result"]["isError"] == true, "{answer}");
}
