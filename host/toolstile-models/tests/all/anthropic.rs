//! The Messages API.

use serde_json::{Value, json};
use toolstile_agent::{Finish, Message, ModelError, TokenUsage, ToolCall, ToolMode};
use toolstile_models::{ModelSettings, Provider, connect};

use crate::server::{Answer, Server};
use crate::support::{KEY, Question, required, typed, with};

const PROVIDER: Provider = Provider::Anthropic;

pub(crate) fn message(content: Value, stop: &str) -> Answer {
    Answer::json(&json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test",
        "content": content, "stop_reason": stop, "stop_sequence": null,
        "usage": {"input_tokens": 12, "output_tokens": 5},
    }))
}

pub(crate) fn text() -> Answer {
    message(json!([{"type": "text", "text": "Sunny."}]), "end_turn")
}

/// The events of a message with one block.
pub(crate) fn events(start: Value, deltas: &[Value], stop: &str) -> Vec<String> {
    let opening = json!({"type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test",
        "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": 12, "output_tokens": 1}}});
    let mut events = vec![
        typed(&opening),
        typed(&json!({"type": "content_block_start", "index": 0, "content_block": start})),
    ];
    events.extend(
        deltas.iter().map(|delta| {
            typed(&json!({"type": "content_block_delta", "index": 0, "delta": delta}))
        }),
    );
    events.extend([
        typed(&json!({"type": "content_block_stop", "index": 0})),
        typed(&json!({"type": "message_delta", "delta": {"stop_reason": stop,
            "stop_sequence": null}, "usage": {"output_tokens": 5}})),
        typed(&json!({"type": "message_stop"})),
    ]);
    events
}

pub(crate) fn streamed_text() -> Vec<String> {
    let delta = |text: &str| json!({"type": "text_delta", "text": text});
    events(json!({"type": "text", "text": ""}), &[delta("Sun"), delta("ny.")], "end_turn")
}

fn streamed_call(pieces: &[&str], stop: &str) -> Answer {
    let start = json!({"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {}});
    let deltas =
        pieces.iter().map(|text| json!({"type": "input_json_delta", "partial_json": text}));
    Answer::events(&events(start, &deltas.collect::<Vec<_>>(), stop))
}

#[tokio::test]
async fn a_text_is_a_reply() {
    let (model, server) = with(PROVIDER, vec![text()]).await;
    let reply = Question::new().reply(&model).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("Sunny.", Finish::Stop));
    assert_eq!(reply.usage, TokenUsage { input_tokens: 12, output_tokens: 5 });

    let request = server.last();
    assert_eq!(request.target, "/v1/messages");
    assert_eq!(request.header("x-api-key"), Some(KEY));
    assert!(request.header("anthropic-version").is_some());
    assert!(request.body["max_tokens"].as_u64().unwrap() > 0, "it has to be given");
    assert!(request.body["system"].to_string().contains("Be brief."));
}

#[tokio::test]
async fn the_declarations_go_out_as_the_profile_writes_them() {
    let (model, server) = with(PROVIDER, vec![text()]).await;
    let question = Question::new();
    question.reply(&model).await.unwrap();
    let sent = &server.last().body["tools"];
    for (index, tool) in question.tools.iter().enumerate() {
        let declared = PROVIDER.profile().render(tool);
        assert_eq!(sent[index]["name"], declared.name);
        assert_eq!(sent[index]["description"], declared.description);
        assert_eq!(Some(&sent[index]["input_schema"]), declared.parameters.as_ref());
    }
}

#[tokio::test]
async fn calls_come_in_order() {
    let content = json!([
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Oslo"}},
        {"type": "tool_use", "id": "toolu_2", "name": "1_clock", "input": {}},
    ]);
    let (model, _server) = with(PROVIDER, vec![message(content, "tool_use")]).await;
    let reply = Question::new().reply(&model).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("Let me see.", Finish::ToolCalls));
    let expected = [
        ToolCall::new("toolu_1", "weather", "{\"city\":\"Oslo\"}"),
        ToolCall::new("toolu_2", "1_clock", "{}"),
    ];
    assert_eq!(reply.calls, expected);
}

#[tokio::test]
async fn the_tool_choice_is_said_in_messages() {
    let modes = [
        (ToolMode::None, json!({"type": "none"})),
        (ToolMode::Required(None), json!({"type": "any"})),
        (required("weather"), json!({"type": "tool", "name": "weather"})),
    ];
    for (mode, expected) in modes {
        let (model, server) = with(PROVIDER, vec![text()]).await;
        Question::new().mode(mode).reply(&model).await.unwrap();
        assert_eq!(server.last().body["tool_choice"], expected);
    }
}

#[tokio::test]
async fn a_model_that_takes_no_forced_choice_is_not_forced() {
    let server = Server::start([text(), text()]).await;
    let settings = ModelSettings::new(PROVIDER, "claude-sonnet-5-5").with_key(KEY);
    let model = connect(settings.with_base_url(&server.url)).unwrap();
    Question::new().mode(required("weather")).reply(&model).await.unwrap();
    assert_eq!(server.last().body.get("tool_choice"), None);
    Question::new().mode(ToolMode::None).reply(&model).await.unwrap();
    assert_eq!(server.last().body["tool_choice"], json!({"type": "none"}));
}

#[tokio::test]
async fn a_text_streams_in_pieces() {
    let (model, _server) = with(PROVIDER, vec![Answer::events(&streamed_text())]).await;
    let (reply, pieces) = Question::new().stream(&model).await;
    let reply = reply.unwrap();
    assert_eq!(pieces, ["Sun", "ny."]);
    assert_eq!((reply.text.as_str(), reply.finish), ("Sunny.", Finish::Stop));
    assert_eq!(reply.usage, TokenUsage { input_tokens: 12, output_tokens: 5 });
}

#[tokio::test]
async fn streamed_arguments_are_put_together_as_they_came() {
    let answer = streamed_call(&["", "{\"city\":1,", " \"city\":\"Oslo\"}"], "tool_use");
    let (model, _server) = with(PROVIDER, vec![answer]).await;
    let reply = Question::new().stream(&model).await.0.unwrap();
    let expected = ToolCall::new("toolu_1", "weather", "{\"city\":1, \"city\":\"Oslo\"}");
    assert_eq!((reply.calls, reply.finish), (vec![expected], Finish::ToolCalls));
}

#[tokio::test]
async fn a_streamed_call_without_arguments_has_none() {
    let (model, _server) = with(PROVIDER, vec![streamed_call(&[], "tool_use")]).await;
    let reply = Question::new().stream(&model).await.0.unwrap();
    assert_eq!(reply.calls, [ToolCall::new("toolu_1", "weather", "{}")]);
}

#[tokio::test]
async fn arguments_cut_by_the_token_limit_stay_cut() {
    let answer = streamed_call(&["{\"city\": \"Os"], "max_tokens");
    let (model, _server) = with(PROVIDER, vec![answer]).await;
    let reply = Question::new().stream(&model).await.0.unwrap();
    assert_eq!(reply.calls[0].arguments, "{\"city\": \"Os");
    assert_eq!(reply.finish, Finish::Length);
}

#[tokio::test]
async fn a_failure_within_a_stream_has_its_kind() {
    let mut events = streamed_text();
    events.truncate(3);
    events.push(typed(&json!({"type": "error",
        "error": {"type": "overloaded_error", "message": "Overloaded"}})));
    let (model, _server) = with(PROVIDER, vec![Answer::events(&events)]).await;
    let (reply, pieces) = Question::new().stream(&model).await;
    assert_eq!(pieces, ["Sun"]);
    let error = reply.unwrap_err();
    assert_eq!(error, ModelError::Unavailable { detail: "Overloaded".to_owned() });
}

#[tokio::test]
async fn signed_thinking_goes_back_unchanged() {
    let thinking = json!({"type": "thinking", "thinking": "Oslo?", "signature": "c2lnbmVk"});
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "weather",
        "input": {"city": "Oslo"}});
    let answer = message(json!([thinking, call]), "tool_use");
    let (model, server) = with(PROVIDER, vec![answer, text()]).await;
    let first = Question::new().reply(&model).await.unwrap();
    assert!(first.text.is_empty(), "thinking is no text");
    let messages = vec![
        Message::user("What is the weather?"),
        Message::Assistant { text: first.text, calls: first.calls, state: first.state },
        Message::Tool {
            call_id: "toolu_1".to_owned(),
            name: "weather".to_owned(),
            text: "sun".to_owned(),
        },
    ];
    Question::new().messages(messages).reply(&model).await.unwrap();
    let sent = &server.last().body["messages"];
    assert_eq!(sent[1]["content"], json!([thinking, call]));
    assert_eq!(sent[2]["content"][0]["tool_use_id"], "toolu_1");
}

#[tokio::test]
async fn a_refusal_is_a_reason_to_stop() {
    let (model, _server) = with(PROVIDER, vec![message(json!([]), "refusal")]).await;
    let reply = Question::new().reply(&model).await.unwrap();
    assert_eq!(reply.finish, Finish::ContentFilter);
}
