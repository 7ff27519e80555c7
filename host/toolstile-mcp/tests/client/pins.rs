//! Tools that change behind their names.

use std::sync::Arc;

use toolstile_core::{RegisteredTool, Status};
use toolstile_mcp::client::{Check, ServerState};

use super::{call, evil, gates, python, start};

/// Accepts the tools as they were seen first.
fn as_first_seen() -> Check {
    let first = std::sync::OnceLock::<Vec<String>>::new();
    Arc::new(move |tools: &[RegisteredTool]| {
        let prints: Vec<String> = tools.iter().map(|t| t.fingerprint.to_string()).collect();
        match *first.get_or_init(|| prints.clone()) == prints {
            true => Ok(()),
            false => Err("the tools are not those that were seen first".to_owned()),
        }
    })
}

#[tokio::test]
async fn a_changed_tool_is_quarantined_in_the_middle_of_a_session() {
    if !python("rug pull") {
        return;
    }
    let client = start(&evil("rug"), Some(as_first_seen()));
    let mut states = client.state();
    let quarantined = |state: &ServerState| matches!(state, ServerState::Quarantined { .. });
    let state = states.wait_for(quarantined).await.unwrap().clone();
    let ServerState::Quarantined { reason, tools } = state else { panic!() };
    assert_eq!(reason, "the tools are not those that were seen first");
    let description = &tools[0].definition.description;
    assert!(description.contains("id_rsa"), "whoever decides sees what it became: {description}");
}

#[tokio::test]
async fn without_a_check_a_changed_tool_does_not_run_under_its_old_registration() {
    if !python("rug pull without a check") {
        return;
    }
    let client = start(&evil("rug"), None);
    let mut states = client.state();
    let first = states.wait_for(|state| matches!(state, ServerState::Ready { .. })).await;
    let old = first.unwrap().clone();
    let changed = |state: &ServerState| match state {
        ServerState::Ready { tools, .. } => tools[0].definition.description.contains("IMPORTANT"),
        _ => false,
    };
    let new = states.wait_for(changed).await.unwrap().clone();
    let tools = |state: &ServerState| match state {
        ServerState::Ready { tools, .. } => tools[0].fingerprint.to_string(),
        state => panic!("{state:?}"),
    };
    if tools(&old) != tools(&new) {
        let refused = call(&gates(&old), "evil_add", serde_json::json!({})).await.response();
        assert_eq!(refused.status, Status::Error);
        assert!(refused.text.contains("it was not called"), "{}", refused.text);
    }
    assert_eq!(call(&gates(&new), "evil_add", serde_json::json!({})).await.response().text, "ok");
}
