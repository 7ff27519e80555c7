//! `generateContent`.

use serde_json::{Value, json};
use toolstile_agent::{Finish, Message, ModelError, TokenUsage, ToolMode};
use toolstile_models::Provider;

use crate::server::Answer;
use crate::support::{KEY, Question, data, required, with};

const PROVIDER: Provider = Provider::Gemini;

pub(crate) fn content(parts: Value, finish: Value) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if !finish.is_null() {
        candidate["finishReason"] = finish;
    }
    json!({
        "candidates": [candidate], "modelVersion": "gemini-test", "responseId": "r1",
        "usageMetadata": {"promptTokenCount": 12, "candidatesTokenCount": 5,
            "totalTokenCount": 17},
    })
}

pub(crate) fn text() -> Answer {
    Answer::json(&content(json!([{"text": "Sunny."}]), json!("STOP")))
}

pub(crate) fn streamed_text() -> Vec<String> {
    vec![
        data(&content(json!([{"text": "Sun"}]), Value::Null)),
        data(&content(json!([{"text": "ny."}]), json!("STOP"))),
    ]
}

#[tokio::test]
async fn a_text_is_a_reply_and_the_key_is_in_no_url() {
    let (model, server) = with(PROVIDER, vec![text()]).await;
    let reply = Question::new().reply(&model).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("Sunny.", Finish::Stop));
    assert_eq!(reply.usage, TokenUsage { input_tokens: 12, output_tokens: 5 });

    let request = server.last();
    assert_eq!(request.target, "/v1beta/models/gemini-test:generateContent");
    assert_eq!(request.header("x-goog-api-key"), Some(KEY));
    assert_eq!(request.body["systemInstruction"]["parts"][0]["text"], "Be brief.");
    assert_eq!(request.body["contents"][0]["role"], "user");
}

#[tokio::test]
async fn the_declarations_go_out_as_the_profile_writes_them() {
    let (model, server) = with(PROVIDER, vec![text()]).await;
    let question = Question::new();
    question.reply(&model).await.unwrap();
    let rendered = question.tools.iter().map(|tool| PROVIDER.profile().render(tool).to_value());
    let rendered: Vec<Value> = rendered.collect();
    assert_eq!(server.last().body["tools"], json!([{"functionDeclarations": rendered}]));
    assert_eq!(rendered[1], json!({"name": "_1_clock", "description": "Does a thing."}));
}

#[tokio::test]
async fn calls_have_the_names_of_the_tools_and_identifiers_of_their_own() {
    let parts = json!([
        {"functionCall": {"name": "weather", "args": {"city": "Oslo"}}},
        {"functionCall": {"name": "_1_clock", "args": {}}},
        {"functionCall": {"name": "_1_clock", "args": {}}},
    ]);
    let (model, _server) = with(PROVIDER, vec![Answer::json(&content(parts, json!("STOP")))]).await;
    let reply = Question::new().reply(&model).await.unwrap();
    assert_eq!(reply.finish, Finish::ToolCalls);
    let names: Vec<&str> = reply.calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["weather", "1_clock", "1_clock"]);
    assert_eq!(reply.calls[0].arguments, "{\"city\":\"Oslo\"}");
    assert!(!reply.calls[1].id.is_empty());
    assert_ne!(reply.calls[1].id, reply.calls[2].id);
}

#[tokio::test]
async fn the_tool_choice_is_said_as_a_calling_config() {
    let modes = [
        (ToolMode::None, json!({"mode": "NONE"})),
        (ToolMode::Required(None), json!({"mode": "ANY"})),
        (required("1_clock"), json!({"mode": "ANY", "allowed_function_names": ["_1_clock"]})),
    ];
    for (mode, expected) in modes {
        let (model, server) = with(PROVIDER, vec![text()]).await;
        Question::new().mode(mode).reply(&model).await.unwrap();
        assert_eq!(server.last().body["toolConfig"]["functionCallingConfig"], expected);
    }
}

#[tokio::test]
async fn a_text_streams_in_pieces_and_the_key_is_in_no_url() {
    let (model, server) = with(PROVIDER, vec![Answer::events(&streamed_text())]).await;
    let (reply, pieces) = Question::new().stream(&model).await;
    let reply = reply.unwrap();
    assert_eq!(pieces, ["Sun", "ny."]);
    assert_eq!((reply.text.as_str(), reply.finish), ("Sunny.", Finish::Stop));
    assert_eq!(reply.usage.total(), 17);
    let request = server.last();
    assert_eq!(request.target, "/v1beta/models/gemini-test:streamGenerateContent?alt=sse");
    assert_eq!(request.header("x-goog-api-key"), Some(KEY));
}

#[tokio::test]
async fn a_call_streams_whole() {
    let call =
        json!([{"functionCall": {"id": "fc1", "name": "weather", "args": {"city": "Oslo"}}}]);
    let events = [data(&content(call, json!("STOP")))];
    let (model, _server) = with(PROVIDER, vec![Answer::events(&events)]).await;
    let reply = Question::new().stream(&model).await.0.unwrap();
    assert_eq!(reply.calls[0].name, "weather");
    assert_eq!(reply.calls[0].arguments, "{\"city\":\"Oslo\"}");
    assert_eq!(reply.finish, Finish::ToolCalls);
}

#[tokio::test]
async fn thought_signatures_and_names_go_back() {
    let part = json!({"functionCall": {"name": "_1_clock", "args": {}},
        "thoughtSignature": "c2lnbmVk"});
    let first = Answer::json(&content(json!([part]), json!("STOP")));
    let (model, server) = with(PROVIDER, vec![first, text()]).await;
    let first = Question::new().reply(&model).await.unwrap();
    let call_id = first.calls[0].id.clone();
    let messages = vec![
        Message::user("What time is it?"),
        Message::Assistant { text: first.text, calls: first.calls, state: first.state },
        Message::Tool { call_id, name: "1_clock".to_owned(), text: "noon".to_owned() },
    ];
    Question::new().messages(messages).reply(&model).await.unwrap();
    let sent = &server.last().body["contents"];
    assert_eq!(sent[1]["parts"][0]["thoughtSignature"], "c2lnbmVk");
    assert_eq!(sent[1]["parts"][0]["functionCall"]["name"], "_1_clock");
    assert_eq!(sent[2]["parts"][0]["functionResponse"]["name"], "_1_clock");
    assert!(sent[2].to_string().contains("noon"));
}

#[tokio::test]
async fn an_unknown_key_is_unauthorized_although_the_status_is_400() {
    let body = json!({"error": {"code": 400, "status": "INVALID_ARGUMENT",
        "message": "API key not valid. Please pass a valid API key.",
        "details": [{"reason": "API_KEY_INVALID"}]}});
    let answer = Answer::status("400 Bad Request", &body.to_string());
    let (model, _server) = with(PROVIDER, vec![answer]).await;
    let error = Question::new().reply(&model).await.unwrap_err();
    assert!(matches!(error, ModelError::Unauthorized { .. }), "{error:?}");
}

#[tokio::test]
async fn the_token_limit_is_a_reason_to_stop() {
    let answer = Answer::json(&content(json!([{"text": "Sun"}]), json!("MAX_TOKENS")));
    let (model, _server) = with(PROVIDER, vec![answer]).await;
    assert_eq!(Question::new().reply(&model).await.unwrap().finish, Finish::Length);
}

#[tokio::test]
async fn no_candidates_are_malformed_and_a_blocked_prompt_is_refused() {
    let answers = [
        (json!({"candidates": []}), "malformed"),
        (json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}), "refused"),
    ];
    for (answer, kind) in answers {
        let (model, _server) = with(PROVIDER, vec![Answer::json(&answer)]).await;
        let error = Question::new().reply(&model).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error:?}");
    }
}
