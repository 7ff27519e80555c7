//! `/api/chat` of Ollama.

use serde_json::{Value, json};
use toolstile_agent::{Finish, Sampling, TokenUsage, ToolMode};
use toolstile_models::{ModelSettings, Provider, connect};

use crate::server::{Answer, Server};
use crate::support::{Question, required, with};

const PROVIDER: Provider = Provider::Ollama;

fn last(message: Value, reason: &str) -> Value {
    json!({
        "model": "qwen-test", "created_at": "2026-01-01T00:00:00Z", "message": message,
        "done": true, "done_reason": reason, "total_duration": 1, "load_duration": 1,
        "prompt_eval_count": 12, "prompt_eval_duration": 1, "eval_count": 5, "eval_duration": 1,
    })
}

fn line(message: Value) -> Value {
    json!({"model": "qwen-test", "created_at": "2026-01-01T00:00:00Z", "message": message,
        "done": false})
}

pub(crate) fn text() -> Answer {
    Answer::json(&last(json!({"role": "assistant", "content": "Sunny."}), "stop"))
}

pub(crate) fn streamed_text() -> Vec<Value> {
    vec![
        line(json!({"role": "assistant", "content": "Sun"})),
        line(json!({"role": "assistant", "content": "ny."})),
        last(json!({"role": "assistant", "content": ""}), "stop"),
    ]
}

fn two_calls() -> Value {
    json!({"role": "assistant", "content": "", "tool_calls": [
        {"function": {"name": "weather", "arguments": {"city": "Oslo"}}},
        {"function": {"name": "1_clock", "arguments": {}}},
    ]})
}

#[tokio::test]
async fn a_text_is_a_reply_and_no_key_is_needed() {
    let server = Server::start([text()]).await;
    let settings = ModelSettings::new(PROVIDER, "qwen-test").with_base_url(&server.url);
    let mut question = Question::new();
    question.sampling = Sampling { temperature: Some(0.5), max_output_tokens: Some(64) };
    let reply = question.reply(&connect(settings).unwrap()).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("Sunny.", Finish::Stop));
    assert_eq!(reply.usage, TokenUsage { input_tokens: 12, output_tokens: 5 });

    let request = server.last();
    assert_eq!(request.target, "/api/chat");
    assert_eq!(request.header("authorization"), None);
    assert_eq!(request.body["messages"][0], json!({"role": "system", "content": "Be brief."}));
    assert_eq!(request.body["options"], json!({"temperature": 0.5, "num_predict": 64}));
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
async fn calls_without_identifiers_get_different_ones() {
    let (model, _server) = with(PROVIDER, vec![Answer::json(&last(two_calls(), "stop"))]).await;
    let reply = Question::new().reply(&model).await.unwrap();
    assert_eq!(reply.finish, Finish::ToolCalls);
    assert_eq!(reply.calls[0].name, "weather");
    assert_eq!(reply.calls[0].arguments, "{\"city\":\"Oslo\"}");
    assert!(!reply.calls[0].id.is_empty());
    assert_ne!(reply.calls[0].id, reply.calls[1].id);
}

#[tokio::test]
async fn tools_that_must_not_be_called_are_not_shown() {
    let modes = [
        (ToolMode::None, vec![]),
        (ToolMode::Required(None), vec!["weather", "1_clock"]),
        (required("1_clock"), vec!["1_clock"]),
    ];
    for (mode, expected) in modes {
        let (model, server) = with(PROVIDER, vec![text()]).await;
        Question::new().mode(mode).reply(&model).await.unwrap();
        let body = server.last().body;
        let shown = body["tools"].as_array().into_iter().flatten();
        let shown: Vec<&str> = shown.map(|t| t["function"]["name"].as_str().unwrap()).collect();
        assert_eq!(shown, expected);
        assert_eq!(body.get("tool_choice"), None);
    }
}

#[tokio::test]
async fn a_text_streams_in_pieces() {
    let (model, server) = with(PROVIDER, vec![Answer::lines(&streamed_text())]).await;
    let (reply, pieces) = Question::new().stream(&model).await;
    let reply = reply.unwrap();
    assert_eq!(pieces, ["Sun", "ny."]);
    assert_eq!((reply.text.as_str(), reply.finish), ("Sunny.", Finish::Stop));
    assert_eq!(reply.usage.total(), 17);
    assert_eq!(server.last().body["stream"], true);
}

#[tokio::test]
async fn calls_stream_whole() {
    let lines = [line(two_calls()), last(json!({"role": "assistant", "content": ""}), "stop")];
    let (model, _server) = with(PROVIDER, vec![Answer::lines(&lines)]).await;
    let reply = Question::new().stream(&model).await.0.unwrap();
    assert_eq!(reply.calls.len(), 2);
    assert_eq!(reply.calls[0].arguments, "{\"city\":\"Oslo\"}");
    assert_eq!(reply.finish, Finish::ToolCalls);
}

#[tokio::test]
async fn arguments_that_are_no_object_stay_what_they_are() {
    let message = json!({"role": "assistant", "content": "", "tool_calls": [
        {"function": {"name": "weather", "arguments": "{\"city\": \"Os"}},
    ]});
    let (model, _server) = with(PROVIDER, vec![Answer::json(&last(message, "stop"))]).await;
    let reply = Question::new().reply(&model).await.unwrap();
    assert_eq!(reply.calls[0].arguments, "{\"city\": \"Os");
}

#[tokio::test]
async fn the_token_limit_is_a_reason_to_stop() {
    let answer = last(json!({"role": "assistant", "content": "Sun"}), "length");
    let (model, _server) = with(PROVIDER, vec![Answer::json(&answer)]).await;
    assert_eq!(Question::new().reply(&model).await.unwrap().finish, Finish::Length);
}
