//! Chat Completions.

use serde_json::{Value, json};
use toolstile_agent::{Finish, ModelError, Sampling, TokenUsage, ToolCall, ToolMode};
use toolstile_models::{ModelSettings, Provider, connect};

use crate::server::{Answer, Server};
use crate::support::{KEY, Question, data, required, with};

const PROVIDER: Provider = Provider::OpenAi;

pub(crate) fn completion(message: Value, finish: &str) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000,
        "model": "gpt-test-2026",
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": null}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17},
    })
}

pub(crate) fn text() -> Answer {
    Answer::json(&completion(json!({"role": "assistant", "content": "Sunny."}), "stop"))
}

pub(crate) fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

pub(crate) fn calls(calls: Vec<Value>, finish: &str) -> Answer {
    let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
    Answer::json(&completion(message, finish))
}

fn chunk(delta: Value, finish: Value) -> String {
    data(&json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000,
        "model": "gpt-test-2026",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }))
}

pub(crate) fn streamed_text() -> Vec<String> {
    let usage = json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000,
        "model": "gpt-test-2026", "choices": [],
        "usage": {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17},
    });
    vec![
        chunk(json!({"role": "assistant", "content": ""}), Value::Null),
        chunk(json!({"content": "Sun"}), Value::Null),
        chunk(json!({"content": "ny."}), Value::Null),
        chunk(json!({}), json!("stop")),
        data(&usage),
        "data: [DONE]\n\n".to_owned(),
    ]
}

#[tokio::test]
async fn a_text_is_a_reply() {
    let (model, server) = with(PROVIDER, vec![text()]).await;
    let mut question = Question::new();
    question.sampling = Sampling { temperature: Some(0.5), max_output_tokens: Some(64) };
    let reply = question.reply(&model).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("Sunny.", Finish::Stop));
    assert_eq!(reply.usage, TokenUsage { input_tokens: 12, output_tokens: 5 });

    let request = server.last();
    assert_eq!(request.target, "/v1/chat/completions");
    assert_eq!(request.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(request.body["model"], "gpt-test");
    assert_eq!(request.body["temperature"], 0.5);
    assert_eq!(request.body["messages"][0]["role"], "system");
    assert_eq!(request.body["messages"][1]["role"], "user");
    assert_eq!(request.body.get("tool_choice"), None);
}

#[tokio::test]
async fn the_declarations_go_out_as_the_profile_writes_them() {
    let (model, server) = with(PROVIDER, vec![text()]).await;
    let question = Question::new();
    question.reply(&model).await.unwrap();
    let sent = &server.last().body["tools"];
    for (index, tool) in question.tools.iter().enumerate() {
        let function = PROVIDER.profile().render(tool).to_value();
        assert_eq!(sent[index], json!({"type": "function", "function": function}));
    }
}

#[tokio::test]
async fn calls_come_in_order_with_their_text() {
    let both = vec![call("call_a", "weather", "{ \"city\":\"Oslo\" }"), call("", "1_clock", "{}")];
    let (model, _server) = with(PROVIDER, vec![calls(both, "tool_calls")]).await;
    let reply = Question::new().reply(&model).await.unwrap();
    assert_eq!(reply.finish, Finish::ToolCalls);
    assert_eq!(reply.calls[0], ToolCall::new("call_a", "weather", "{ \"city\":\"Oslo\" }"));
    assert_eq!(reply.calls[1].name, "1_clock");
    assert!(!reply.calls[1].id.is_empty(), "a call without identifier gets one");
}

#[tokio::test]
async fn the_tool_choice_is_said_in_chat_completions() {
    let modes = [
        (ToolMode::None, json!("none")),
        (ToolMode::Required(None), json!("required")),
        (required("weather"), json!({"type": "function", "function": {"name": "weather"}})),
    ];
    for (mode, expected) in modes {
        let (model, server) = with(PROVIDER, vec![text()]).await;
        Question::new().mode(mode).reply(&model).await.unwrap();
        assert_eq!(server.last().body["tool_choice"], expected);
    }
}

#[tokio::test]
async fn a_text_streams_in_pieces() {
    let (model, server) = with(PROVIDER, vec![Answer::events(&streamed_text())]).await;
    let (reply, pieces) = Question::new().stream(&model).await;
    let reply = reply.unwrap();
    assert_eq!(pieces, ["Sun", "ny."]);
    assert_eq!((reply.text.as_str(), reply.finish), ("Sunny.", Finish::Stop));
    assert_eq!(reply.usage.total(), 17);
    assert_eq!(server.last().body["stream"], true);
}

#[tokio::test]
async fn streamed_arguments_are_put_together_as_they_came() {
    let part = |index: u64, id: &str, name: &str, text: &str| {
        json!({"tool_calls": [{"index": index, "id": id, "type": "function",
            "function": {"name": name, "arguments": text}}]})
    };
    let more = |index: u64, text: &str| json!({"tool_calls": [{"index": index, "function": {"arguments": text}}]});
    let events = [
        chunk(part(0, "call_a", "weather", ""), Value::Null),
        chunk(more(0, "{\"city\":1,"), Value::Null),
        chunk(more(0, "\"city\":\"Oslo\"}"), Value::Null),
        chunk(part(1, "call_b", "1_clock", ""), Value::Null),
        chunk(more(1, "{}"), Value::Null),
        chunk(json!({}), json!("tool_calls")),
        "data: [DONE]\n\n".to_owned(),
    ];
    let (model, _server) = with(PROVIDER, vec![Answer::events(&events)]).await;
    let reply = Question::new().stream(&model).await.0.unwrap();
    let expected = [
        ToolCall::new("call_a", "weather", "{\"city\":1,\"city\":\"Oslo\"}"),
        ToolCall::new("call_b", "1_clock", "{}"),
    ];
    assert_eq!(reply.calls, expected);
    assert_eq!(reply.finish, Finish::ToolCalls);
}

#[tokio::test]
async fn broken_arguments_stay_broken() {
    for text in ["{\"city\": \"Os", "{\"city\":1,\"city\":2}", "[1]", "\"{}\"", "null"] {
        let answer = calls(vec![call("call_a", "weather", text)], "length");
        let (model, _server) = with(PROVIDER, vec![answer]).await;
        let reply = Question::new().reply(&model).await.unwrap();
        assert_eq!(reply.calls[0].arguments, text);
        assert_eq!(reply.finish, Finish::Length);
    }
}

#[tokio::test]
async fn broken_arguments_stay_broken_in_a_stream() {
    let start = json!({"tool_calls": [{"index": 0, "id": "call_a", "type": "function",
        "function": {"name": "weather", "arguments": "{\"city\": \"Os"}}]});
    let events = [
        chunk(start, Value::Null),
        chunk(json!({}), json!("length")),
        "data: [DONE]\n\n".to_owned(),
    ];
    let (model, _server) = with(PROVIDER, vec![Answer::events(&events)]).await;
    let reply = Question::new().stream(&model).await.0.unwrap();
    assert_eq!(reply.calls[0].arguments, "{\"city\": \"Os");
    assert_eq!(reply.finish, Finish::Length);
}

#[tokio::test]
async fn no_choices_are_malformed() {
    let mut answer = completion(Value::Null, "stop");
    answer["choices"] = json!([]);
    let (model, _server) = with(PROVIDER, vec![Answer::json(&answer)]).await;
    let error = Question::new().reply(&model).await.unwrap_err();
    assert!(matches!(error, ModelError::Malformed { .. }), "{error:?}");
}

#[tokio::test]
async fn another_server_needs_no_key() {
    let server = Server::start([text()]).await;
    let settings = ModelSettings::new(PROVIDER, "local").with_base_url(format!("{}/", server.url));
    let reply = Question::new().reply(&connect(settings).unwrap()).await.unwrap();
    assert_eq!(reply.text, "Sunny.");
    assert_eq!(server.last().target, "/chat/completions");
    assert_eq!(server.last().header("authorization"), None);
}

#[tokio::test]
async fn a_filter_is_a_reason_to_stop() {
    let answer = completion(json!({"role": "assistant", "content": "I"}), "content_filter");
    let (model, _server) = with(PROVIDER, vec![Answer::json(&answer)]).await;
    assert_eq!(Question::new().reply(&model).await.unwrap().finish, Finish::ContentFilter);
}

#[tokio::test]
async fn a_failure_under_the_status_of_success_has_its_kind() {
    let failures = [
        (json!({"error": {"message": "slow down", "code": 429}}), "rate_limited"),
        (json!({"error": {"message": "no", "code": "invalid_api_key"}}), "unauthorized"),
        (json!({"error": {"message": "no", "type": "server_error"}}), "unavailable"),
    ];
    for (failure, kind) in failures {
        let events = [streamed_text()[1].clone(), data(&failure)];
        let (model, _server) =
            with(PROVIDER, vec![Answer::json(&failure), Answer::events(&events)]).await;
        assert_eq!(Question::new().reply(&model).await.unwrap_err().kind(), kind);
        assert_eq!(Question::new().stream(&model).await.0.unwrap_err().kind(), kind);
    }
}

#[tokio::test]
async fn calls_that_share_an_identifier_keep_their_arguments() {
    let part = |index: u64, text: &str| {
        json!({"tool_calls": [{"index": index, "id": "same", "type": "function",
            "function": {"name": "weather", "arguments": text}}]})
    };
    let events = [
        chunk(part(0, "{\"city\":\"Oslo\"}"), Value::Null),
        chunk(part(1, "{\"city\":\"Rome\"}"), Value::Null),
        chunk(json!({}), json!("tool_calls")),
        "data: [DONE]\n\n".to_owned(),
    ];
    let (model, _server) = with(PROVIDER, vec![Answer::events(&events)]).await;
    let reply = Question::new().stream(&model).await.0.unwrap();
    let arguments: Vec<&str> = reply.calls.iter().map(|call| call.arguments.as_str()).collect();
    assert_eq!(arguments, ["{\"city\":\"Oslo\"}", "{\"city\":\"Rome\"}"]);
}
