//! What is listed, and how it is paged.

use serde_json::{Value, json};
use toolstile_core::{Origin, ToolExecutor, ToolPermissions, ToolResponse, ToolSchema, ToolTraits};
use toolstile_mcp::server::Served;

use crate::native::Native;
use crate::support::{Client, ERAS, Era, executor, registry, server};

fn plain(name: &str) -> Native {
    Native::new(name, "A tool.", json!({"type": "object", "properties": {}}), |_, _| {
        Box::pin(async { ToolResponse::success("done") })
    })
}

fn names(answer: &Value) -> Vec<&str> {
    let tools = answer["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_tool_is_listed_with_all_that_it_says() {
    let mut tool = plain("full");
    tool.definition.title = Some("Full".into());
    tool.definition.traits =
        ToolTraits { read_only: true, open_world: true, ..ToolTraits::default() };
    let output = json!({"type": "object", "properties": {"x": {"type": "number"}}});
    tool.definition.output_schema = Some(ToolSchema::compile_any(output.clone()).unwrap());
    let server = server(Served::tools(executor(vec![tool])));
    for era in ERAS {
        let mut client = Client::connect(&server, era, json!({})).await;
        let answer = client.request("tools/list", json!({})).await;
        let mut tool = answer["result"]["tools"][0].clone();
        tool.as_object_mut().unwrap().remove("inputSchema").expect("an input schema");
        assert_eq!(
            tool,
            json!({
                "name": "full", "title": "Full", "description": "A tool.",
                "outputSchema": output,
                "annotations": {"readOnlyHint": true, "openWorldHint": true},
                "_meta": {"toolstile/origin": Origin::Native.to_string()},
            }),
            "{era:?}"
        );
    }
}

#[tokio::test]
async fn only_what_is_permitted_is_listed_in_the_order_of_the_registry() {
    let registry = registry(vec![plain("c"), plain("a"), plain("b")]);
    let permissions =
        ToolPermissions { deny: ["a".to_owned()].into(), ..ToolPermissions::default() };
    let executor = ToolExecutor::builder(registry).permissions(permissions).build();
    let server = server(Served::tools(executor));
    for era in ERAS {
        let mut client = Client::connect(&server, era, json!({})).await;
        let answer = client.request("tools/list", json!({})).await;
        assert_eq!(names(&answer), ["c", "b"], "{era:?}");
    }
}

#[tokio::test]
async fn lists_of_2026_are_private_and_not_to_be_kept() {
    let server = server(Served::tools(executor(vec![plain("a")])));
    let mut client = Client::connect(&server, Era::Stateless, json!({})).await;
    let result = client.request("tools/list", json!({})).await["result"].clone();
    assert_eq!(
        (&result["ttlMs"], &result["cacheScope"], &result["resultType"]),
        (&json!(0), &json!("private"), &json!("complete"))
    );
    let mut client = Client::connect(&server, Era::Handshake, json!({})).await;
    let result = client.request("tools/list", json!({})).await["result"].clone();
    assert_eq!(result.get("resultType"), None);
}

#[tokio::test]
async fn a_long_list_has_pages_whose_cursors_end_with_a_change() {
    let registry = registry((0..201).map(|n| plain(&format!("t{n}"))).collect());
    let executor = ToolExecutor::builder(registry.clone()).build();
    let server = server(Served::tools(executor));
    let mut client = Client::connect(&server, Era::Stateless, json!({})).await;
    let first = client.request("tools/list", json!({})).await;
    let cursor = json!({"cursor": first["result"]["nextCursor"]});
    assert_eq!(names(&first).len(), 200);
    let second = client.request("tools/list", cursor.clone()).await;
    assert_eq!(names(&second), ["t200"]);
    assert_eq!(second["result"].get("nextCursor"), None);
    registry.unregister("t0").unwrap();
    let stale = client.request("tools/list", cursor).await;
    assert_eq!(stale["error"]["code"], -32602, "{stale}");
}

#[tokio::test]
async fn what_is_not_served_is_not_declared() {
    let server = server(Served::tools(executor(vec![])));
    let mut client = Client::connect(&server, Era::Stateless, json!({})).await;
    let discovered = client.request("server/discover", json!({})).await;
    let capabilities = discovered["result"]["capabilities"].as_object().unwrap();
    assert_eq!(capabilities.keys().collect::<Vec<_>>(), ["logging", "tools"]);
    assert!(
        discovered["result"]["supportedVersions"]
            .as_array()
            .unwrap()
            .contains(&json!("2026-07-28"))
    );
}

#[tokio::test]
async fn a_client_that_leaves_without_a_word_is_a_normal_end() {
    let server = server(Served::tools(executor(vec![])));
    let client = Client::silent(&server, Era::Handshake, json!({}));
    assert!(client.close().await.is_ok());
}
