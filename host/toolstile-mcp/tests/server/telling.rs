//! What the server tells by itself: progress, log lines, changed lists.

use serde_json::{Value, json};
use toolstile_core::{Level, Progress, ToolExecutor, ToolResponse};
use toolstile_mcp::server::Served;

use crate::native::Native;
use crate::support::{Client, ERAS, Era, executor, registry, server};

fn telling() -> Native {
    let schema = json!({"type": "object", "properties": {}});
    Native::new("telling", "Tells.", schema, |_, context| {
        Box::pin(async move {
            for done in [1.0, 3.0, 2.0, 4.0] {
                context.report(&Progress { done, total: Some(4.0), message: None });
            }
            context.log(Level::Debug, "a detail");
            context.log(Level::Warn, "a warning");
            ToolResponse::success("told")
        })
    })
}

/// Calls the tool and gives what was told before the answer, by method.
async fn told(era: Era, meta: Value, method: &str) -> Vec<Value> {
    let server = server(Served::tools(executor(vec![telling()])));
    let mut client = Client::connect(&server, era, json!({})).await;
    let call = json!({"name": "telling", "arguments": {}, "_meta": meta});
    let answer = client.request("tools/call", call).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    client.request("tools/list", json!({})).await;
    let others = client.others.into_iter();
    others.filter(|other| other["method"] == method).map(|other| other["params"].clone()).collect()
}

#[tokio::test]
async fn progress_goes_to_the_token_and_only_increases() {
    for era in ERAS {
        let told = told(era, json!({"progressToken": "t"}), "notifications/progress").await;
        let steps: Vec<_> = told.iter().map(|p| (&p["progressToken"], &p["progress"])).collect();
        let token = json!("t");
        let expected = [json!(1.0), json!(3.0), json!(4.0)];
        let expected: Vec<_> = expected.iter().map(|step| (&token, step)).collect();
        assert_eq!(steps, expected, "{era:?}");
    }
}

#[tokio::test]
async fn without_a_token_there_is_no_progress() {
    for era in ERAS {
        assert!(told(era, json!({}), "notifications/progress").await.is_empty());
    }
}

#[tokio::test]
async fn log_lines_come_from_the_level_that_was_asked_for() {
    let lines = |told: Vec<Value>| told.iter().map(|line| line["data"].clone()).collect::<Vec<_>>();
    let message = "notifications/message";
    let level = |level: &str| json!({"io.modelcontextprotocol/logLevel": level});
    let new = Era::Stateless;
    assert_eq!(lines(told(new, level("debug"), message).await), ["a detail", "a warning"]);
    assert_eq!(lines(told(new, level("warning"), message).await), ["a warning"]);
    assert!(told(new, json!({}), message).await.is_empty());
    assert_eq!(lines(told(Era::Handshake, json!({}), message).await), ["a warning"]);
}

#[tokio::test]
async fn a_changed_list_is_told_to_a_client_with_a_handshake() {
    let registry = registry(vec![]);
    let executor = ToolExecutor::builder(registry.clone()).build();
    let server = server(Served::tools(executor));
    let mut client = Client::connect(&server, Era::Handshake, json!({})).await;
    // The answer says that what was sent before it was taken.
    client.request("ping", json!({})).await;
    registry.register(telling().registered()).unwrap();
    client.await_method("notifications/tools/list_changed").await;
    let listed = client.request("tools/list", json!({})).await;
    assert_eq!(listed["result"]["tools"][0]["name"], "telling");
}

#[tokio::test]
async fn a_client_that_says_twice_that_it_is_there_is_told_once() {
    let registry = registry(vec![telling()]);
    let executor = ToolExecutor::builder(registry.clone()).build();
    let server = server(Served::tools(executor));
    let mut client = Client::connect(&server, Era::Handshake, json!({})).await;
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    client.request("ping", json!({})).await;
    registry.unregister("telling").unwrap();
    client.await_method("notifications/tools/list_changed").await;
    client.await_method("notifications/resources/list_changed").await;
    client.request("ping", json!({})).await;
    client.request("ping", json!({})).await;
    assert!(client.others.is_empty(), "{:?}", client.others);
}

#[tokio::test]
async fn a_changed_list_is_told_to_a_listener_of_it_alone() {
    let registry = registry(vec![]);
    let executor = ToolExecutor::builder(registry.clone()).build();
    let server = server(Served::tools(executor));
    let mut client = Client::connect(&server, Era::Stateless, json!({})).await;
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let id = client.begin("subscriptions/listen", filter).await;
    let acknowledged = client.await_method("notifications/subscriptions/acknowledged").await;
    assert_eq!(acknowledged["params"]["notifications"], json!({"toolsListChanged": true}));
    registry.register(telling().registered()).unwrap();
    let told = client.await_method("notifications/tools/list_changed").await;
    let tag = &told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert_eq!(*tag, json!(id), "{told}");
    assert!(client.others.is_empty(), "{:?}", client.others);
}

#[tokio::test]
async fn nobody_is_told_who_did_not_ask() {
    let registry = registry(vec![telling()]);
    let executor = ToolExecutor::builder(registry.clone()).build();
    let server = server(Served::tools(executor));
    let mut client = Client::connect(&server, Era::Stateless, json!({})).await;
    client.request("tools/list", json!({})).await;
    registry.unregister("telling").unwrap();
    client.request("tools/list", json!({})).await;
    assert!(client.others.is_empty(), "{:?}", client.others);
}

#[tokio::test]
async fn listeners_are_counted() {
    let server = server(Served::tools(executor(vec![])));
    let mut client = Client::connect(&server, Era::Stateless, json!({})).await;
    let filter = json!({"notifications": {"toolsListChanged": true}});
    for _ in 0..64 {
        client.begin("subscriptions/listen", filter.clone()).await;
        client.await_method("notifications/subscriptions/acknowledged").await;
    }
    let refused = client.request("subscriptions/listen", filter).await;
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
}
