//! What goes back to a provider: results of calls, and turns without their state.

use serde_json::{Value, json};
use toolstile_agent::{Message, ToolCall};
use toolstile_models::Provider;

use crate::server::Answer;
use crate::support::{Question, with};
use crate::{anthropic, gemini, ollama, openai};

fn result(call_id: &str, name: &str, text: &str) -> Message {
    Message::Tool { call_id: call_id.to_owned(), name: name.to_owned(), text: text.to_owned() }
}

/// A turn of two calls, as a conversation from elsewhere tells of it.
fn foreign(first: &str, second: &str, state: Option<Value>) -> Vec<Message> {
    vec![
        Message::user("What is the weather?"),
        Message::Assistant {
            text: "Let me see.".to_owned(),
            calls: vec![
                ToolCall::new(first, "weather", "{\"city\":\"Oslo\"}"),
                ToolCall::new(second, "1_clock", "{}"),
            ],
            state,
        },
        result(first, "weather", "sun"),
        result(second, "1_clock", "noon"),
    ]
}

async fn sent(provider: Provider, answer: Answer, messages: Vec<Message>) -> Value {
    let (model, server) = with(provider, vec![answer]).await;
    Question::new().messages(messages).reply(&model).await.unwrap();
    server.last().body
}

#[tokio::test]
async fn openai_gets_a_message_for_each_result() {
    let body = sent(Provider::OpenAi, openai::text(), foreign("a", "b", None)).await;
    let messages = &body["messages"];
    assert_eq!(messages[2]["tool_calls"][0]["id"], "a");
    let function = json!({"name": "weather", "arguments": "{\"city\":\"Oslo\"}"});
    assert_eq!(messages[2]["tool_calls"][0]["function"], function);
    for (index, (id, text)) in [("a", "sun"), ("b", "noon")].into_iter().enumerate() {
        assert_eq!(messages[3 + index]["role"], "tool");
        assert_eq!(messages[3 + index]["tool_call_id"], id);
        assert!(messages[3 + index]["content"].to_string().contains(text));
    }
}

#[tokio::test]
async fn anthropic_gets_all_results_in_one_message() {
    let body = sent(Provider::Anthropic, anthropic::text(), foreign("a", "b", None)).await;
    let messages = &body["messages"];
    assert_eq!(messages[1]["content"][1]["id"], "a");
    assert_eq!(messages[1]["content"][1]["input"], json!({"city": "Oslo"}));
    assert_eq!(messages[2]["role"], "user");
    assert_eq!(messages[2]["content"][0]["tool_use_id"], "a");
    assert_eq!(messages[2]["content"][1]["tool_use_id"], "b");
}

#[tokio::test]
async fn gemini_gets_results_by_name() {
    let body = sent(Provider::Gemini, gemini::text(), foreign("a", "b", None)).await;
    let parts = &body["contents"][2]["parts"];
    assert_eq!(body["contents"][1]["parts"][2]["functionCall"]["name"], "_1_clock");
    assert_eq!(parts[0]["functionResponse"]["name"], "weather");
    assert_eq!(parts[1]["functionResponse"]["name"], "_1_clock");
}

#[tokio::test]
async fn ollama_gets_results_by_name() {
    let body = sent(Provider::Ollama, ollama::text(), foreign("a", "b", None)).await;
    assert_eq!(body["messages"][3]["tool_name"], "weather");
    assert_eq!(body["messages"][4]["tool_name"], "1_clock");
    assert_eq!(body["messages"][2]["tool_calls"][0]["function"]["arguments"]["city"], "Oslo");
}

#[tokio::test]
async fn calls_without_identifiers_keep_their_results() {
    let body = sent(Provider::OpenAi, openai::text(), foreign("", "", None)).await;
    let messages = &body["messages"];
    let ids = [&messages[2]["tool_calls"][0]["id"], &messages[2]["tool_calls"][1]["id"]];
    assert_ne!(ids[0], ids[1]);
    assert_eq!(&messages[3]["tool_call_id"], ids[0]);
    assert_eq!(&messages[4]["tool_call_id"], ids[1]);
}

#[tokio::test]
async fn a_state_that_cannot_be_read_is_left_aside() {
    for state in [json!({"from": "elsewhere"}), json!(7), json!({"content": []})] {
        let messages = foreign("a", "b", Some(state));
        let body = sent(Provider::OpenAi, openai::text(), messages).await;
        assert_eq!(body["messages"][2]["tool_calls"][1]["id"], "b");
    }
}

#[tokio::test]
async fn a_state_of_other_calls_is_left_aside() {
    let call = openai::call("call_x", "weather", "{}");
    let (model, server) =
        with(Provider::OpenAi, vec![openai::calls(vec![call], "tool_calls"), openai::text()]).await;
    let first = Question::new().reply(&model).await.unwrap();
    let messages = foreign("a", "b", first.state);
    Question::new().messages(messages).reply(&model).await.unwrap();
    assert_eq!(server.last().body["messages"][2]["tool_calls"][0]["id"], "a");
}

#[tokio::test]
async fn a_state_serves_calls_that_were_named_anew() {
    let call = openai::call("call_x", "weather", "{\"city\":\"Oslo\"}");
    let (model, server) =
        with(Provider::OpenAi, vec![openai::calls(vec![call], "tool_calls"), openai::text()]).await;
    let mut first = Question::new().reply(&model).await.unwrap();
    first.calls[0].id = "other".to_owned();
    let messages = vec![
        Message::user("What is the weather?"),
        Message::Assistant { text: first.text, calls: first.calls, state: first.state },
        result("other", "weather", "sun"),
    ];
    Question::new().messages(messages).reply(&model).await.unwrap();
    let sent = server.last().body;
    assert_eq!(sent["messages"][2]["tool_calls"][0]["id"], "call_x");
    assert_eq!(sent["messages"][3]["tool_call_id"], "call_x");
}

#[tokio::test]
async fn broken_arguments_go_back_as_they_were() {
    let call = openai::call("call_x", "weather", "{\"city\": \"Os");
    let (model, server) =
        with(Provider::OpenAi, vec![openai::calls(vec![call], "length"), openai::text()]).await;
    let first = Question::new().reply(&model).await.unwrap();
    let messages = vec![
        Message::user("What is the weather?"),
        Message::Assistant { text: first.text, calls: first.calls, state: first.state },
        result("call_x", "weather", "the arguments are not JSON"),
    ];
    Question::new().messages(messages).reply(&model).await.unwrap();
    let sent = server.last().body;
    assert_eq!(sent["messages"][3]["tool_call_id"], "call_x");
    assert!(sent["messages"][3]["content"].to_string().contains("not JSON"));
}

#[tokio::test]
async fn a_call_without_identifier_finds_its_result_in_the_kept_turn() {
    let call = openai::call("", "1_clock", "{}");
    let (model, server) =
        with(Provider::OpenAi, vec![openai::calls(vec![call], "tool_calls"), openai::text()]).await;
    let first = Question::new().reply(&model).await.unwrap();
    let call_id = first.calls[0].id.clone();
    let messages = vec![
        Message::user("What time is it?"),
        Message::Assistant { text: first.text, calls: first.calls, state: first.state },
        result(&call_id, "1_clock", "noon"),
    ];
    Question::new().messages(messages).reply(&model).await.unwrap();
    let sent = &server.last().body["messages"];
    assert!(!sent[2]["tool_calls"][0]["id"].as_str().unwrap().is_empty());
    assert_eq!(sent[2]["tool_calls"][0]["id"], sent[3]["tool_call_id"]);
}

#[tokio::test]
async fn a_name_that_no_tool_can_have_does_not_spoil_the_conversation() {
    let call = openai::call("call_x", "no such tool!", "{}");
    let (model, server) =
        with(Provider::OpenAi, vec![openai::calls(vec![call], "tool_calls"), openai::text()]).await;
    let first = Question::new().reply(&model).await.unwrap();
    assert_eq!(first.calls[0].name, "no such tool!");
    let messages = vec![
        Message::user("What is the weather?"),
        Message::Assistant { text: first.text, calls: first.calls, state: first.state },
        result("call_x", "no such tool!", "there is no such tool"),
    ];
    Question::new().messages(messages).reply(&model).await.unwrap();
    let sent = &server.last().body["messages"];
    assert_eq!(sent[2]["tool_calls"][0]["function"]["name"], "no_such_tool_");
    assert_eq!(sent[3]["tool_call_id"], "call_x");
}
