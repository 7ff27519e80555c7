//! One server for each way to misbehave.

use toolstile_core::{FailureKind, Status, Stop};
use toolstile_mcp::client::{Era, McpServerConfig, ServerState};

use super::{call_t, evil, python, reason, start};

async fn settled(config: &McpServerConfig) -> ServerState {
    start(config, None).settled().await
}

#[tokio::test]
async fn those_that_only_make_noise_are_used() {
    if !python("noise") {
        return;
    }
    for mode in ["silent", "dies", "noise", "sampling", "stderr"] {
        let client = start(&evil(mode), None);
        let state = client.settled().await;
        assert!(
            matches!(state, ServerState::Ready { era: Era::Handshake, .. }),
            "{mode}: {state:?}"
        );
        assert_eq!(call_t(&state).await.response().text, "ok", "{mode}");
    }
}

#[tokio::test]
async fn lists_without_an_end_are_refused() {
    if !python("lists without an end") {
        return;
    }
    for (mode, expected) in [
        ("loop", "it lists more than 64 pages of tools"),
        ("samecursor", "its list of tools repeats the cursor of a page"),
        ("badschema", "it gave no valid answer to `tools/list` within 2 s (`timeout`)"),
    ] {
        assert_eq!(reason(&settled(&evil(mode)).await), expected, "{mode}");
    }
    let mut few = evil("loop");
    few.max_tools = 3;
    assert_eq!(reason(&settled(&few).await), "it lists more than 3 tools (`max_tools`)");
}

#[tokio::test]
async fn answers_that_never_come_end_the_call() {
    if !python("answers that never come") {
        return;
    }
    for mode in ["huge", "idswap", "slow"] {
        let client = start(&evil(mode), None);
        let completion = call_t(&client.settled().await).await;
        let Err(Stop::Failed(error)) = &completion.result else { panic!("{mode}: {completion:?}") };
        assert!(matches!(error.kind, FailureKind::Deadline(_)), "{mode}: {error:?}");
        assert!(error.detail.contains("the server `evil`"), "{mode}: {error:?}");
    }
}

#[tokio::test]
async fn poisoned_descriptions_are_cleaned_and_names_cannot_pretend() {
    if !python("poison") {
        return;
    }
    let client = start(&evil("poison"), None);
    let ServerState::Ready { tools, left_out, .. } = client.settled().await else { panic!() };
    let names: Vec<&str> = tools.iter().map(|tool| tool.name().as_str()).collect();
    let (short, long) = names.split_at(4);
    assert_eq!(short, ["evil_add", "evil_send_email", "evil_search", "evil_builtin_shell"]);
    assert_eq!((long.len(), long[0].len()), (1, 64));
    assert_eq!(left_out.len(), 2, "{left_out:?}");
    for tool in &tools {
        assert_eq!(tool.origin.to_string(), "mcp:evil");
        assert!(tool.external_content && !tool.definition.traits.read_only);
        let hidden = |c: char| c.is_control() && c != '\n' || "\u{200b}\u{202e}".contains(c);
        assert!(!tool.definition.description.contains(hidden), "{}", tool.definition.description);
    }
}

#[tokio::test]
async fn two_tools_of_one_name_are_both_left_out() {
    if !python("dup") {
        return;
    }
    let ServerState::Ready { tools, left_out, .. } = settled(&evil("dup")).await else { panic!() };
    assert!(tools.is_empty());
    assert_eq!(left_out.len(), 2, "{left_out:?}");
    assert!(left_out[0].contains("several tools would be named `evil_t`"), "{left_out:?}");
}

#[tokio::test]
async fn what_cannot_be_started_or_does_not_speak_says_so() {
    let nowhere = McpServerConfig::stdio("n", "/does/not/exist");
    let state = settled(&nowhere).await;
    assert!(reason(&state).starts_with("`/does/not/exist` cannot be started: "), "{state:?}");
    let mut echo = McpServerConfig::stdio("n", "cat");
    echo.timeout = 0.5;
    let expected = "it gave no valid answer to `initialize` within 0.5 s (`timeout`)";
    assert_eq!(reason(&settled(&echo).await), expected);
    let mut closed = McpServerConfig::http("n", "http://127.0.0.1:9/mcp");
    closed.timeout = 2.0;
    assert!(reason(&settled(&closed).await).starts_with("it does not answer as an MCP server: "));
}

#[tokio::test]
async fn a_slow_server_delays_nobody() {
    if !python("a slow server") {
        return;
    }
    let mut slow = McpServerConfig::stdio("slow", "cat");
    slow.timeout = 60.0;
    let (slow, quick) = (start(&slow, None), start(&evil("noise"), None));
    assert!(matches!(quick.settled().await, ServerState::Ready { .. }));
    assert!(matches!(*slow.state().borrow(), ServerState::Connecting));
}

#[tokio::test]
async fn calls_while_the_server_is_gone_are_answered_and_it_comes_back() {
    if !python("reconnect") {
        return;
    }
    let mut server = evil("slow");
    server.args.as_mut().unwrap().push("again".to_owned());
    let client = start(&server, None);
    let state = client.settled().await;
    let executor = super::gates(&state);
    let calling = tokio::spawn({
        let executor = executor.clone();
        async move { super::call(&executor, "evil_t", serde_json::json!({})).await }
    });
    let mut states = client.state();
    super::processes::kill_children_of_this_test("evil.py slow again");
    let down = states.wait_for(|state| matches!(state, ServerState::Down { .. })).await.unwrap();
    assert_eq!(reason(&down.clone()), "the connection ended");
    drop(down);
    let response = calling.await.unwrap().response();
    assert_eq!(response.status, Status::Error);
    states.wait_for(|state| matches!(state, ServerState::Ready { .. })).await.unwrap();
}
