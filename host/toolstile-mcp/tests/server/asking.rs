//! Tools that ask the client in the middle of a call.

use serde_json::{Value, json};
use toolstile_core::{Answer, CallContext, Question, ToolResponse};
use toolstile_mcp::server::Served;

use crate::native::Native;
use crate::support::{Client, ERAS, Era, executor, first_text, server};

fn form() -> Question {
    let schema = json!({
        "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"],
    });
    Question::Elicit { message: "Who?".into(), schema }
}

fn sampling() -> Question {
    let text = json!({"type": "text", "text": "Capital of France?"});
    Question::Sample(json!({"messages": [{"role": "user", "content": text}], "maxTokens": 9}))
}

/// A tool that asks each round's questions in turn and says what it was answered.
fn asking(rounds: fn() -> Vec<Vec<(String, Question)>>) -> Native {
    let schema = json!({"type": "object", "properties": {}});
    Native::new("asking", "Asks.", schema, move |_, context| Box::pin(ask_all(rounds(), context)))
}

async fn ask_all(rounds: Vec<Vec<(String, Question)>>, context: CallContext) -> ToolResponse {
    let mut heard = Vec::new();
    for questions in rounds {
        match context.ask(questions).await {
            Ok(answers) => {
                heard.extend(answers.into_iter().map(|(key, a)| format!("{key}:{}", said(a))))
            }
            Err(error) => return ToolResponse::error(error.to_string()),
        }
    }
    ToolResponse::success(heard.join(" "))
}

fn said(answer: Answer) -> String {
    match answer {
        Answer::Accepted(form) => form["name"].as_str().unwrap_or_default().to_owned(),
        Answer::Sampled(message) => message["content"]["text"].as_str().unwrap().to_owned(),
        Answer::Roots(roots) => roots.into_iter().map(|root| root.uri).collect(),
        other => format!("{other:?}"),
    }
}

fn three_at_once() -> Vec<Vec<(String, Question)>> {
    vec![vec![("a".into(), form()), ("b".into(), sampling()), ("c".into(), Question::Roots)]]
}

fn two_rounds() -> Vec<Vec<(String, Question)>> {
    vec![vec![("one".into(), form())], vec![("two".into(), form())]]
}

fn everything() -> Value {
    json!({"elicitation": {}, "sampling": {}, "roots": {}})
}

fn answer_to(method: &str) -> Value {
    match method {
        "elicitation/create" => json!({"action": "accept", "content": {"name": "Ada"}}),
        "sampling/createMessage" => json!({
            "role": "assistant", "model": "m", "content": {"type": "text", "text": "Paris"},
        }),
        "roots/list" => json!({"roots": [{"uri": "file:///w"}]}),
        other => panic!("{other} is no question"),
    }
}

const CALL: &str = "tools/call";

fn call() -> Value {
    json!({"name": "asking", "arguments": {}})
}

/// Answers what the server asks until there is a result; gives it, and every state.
async fn converse(client: &mut Client, era: Era) -> (Value, Vec<Value>) {
    let mut states = Vec::new();
    if era == Era::Handshake {
        let id = client.begin(CALL, call()).await;
        loop {
            let message = client.next().await;
            let Some(method) = message["method"].as_str() else { return (message, states) };
            assert!(message["id"] != id || message["id"].is_number());
            let result = answer_to(method);
            client.send(json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).await;
        }
    }
    let mut answer = client.request(CALL, call()).await;
    while answer["result"]["resultType"] == "input_required" {
        let mut retry = call();
        states.push(answer["result"]["requestState"].clone());
        retry["requestState"] = answer["result"]["requestState"].clone();
        for (key, asked) in answer["result"]["inputRequests"].as_object().unwrap() {
            retry["inputResponses"][key] = answer_to(asked["method"].as_str().unwrap());
        }
        answer = client.request(CALL, retry).await;
    }
    (answer, states)
}

#[tokio::test]
async fn several_questions_are_asked_at_once() {
    let server = server(Served::tools(executor(vec![asking(three_at_once)])));
    for era in ERAS {
        let mut client = Client::connect(&server, era, everything()).await;
        let (answer, states) = converse(&mut client, era).await;
        assert_eq!(first_text(&answer), "a:Ada b:Paris c:file:///w", "{era:?}");
        assert_eq!(states.len(), usize::from(era == Era::Stateless));
    }
}

#[tokio::test]
async fn each_round_has_a_state_of_its_own() {
    let server = server(Served::tools(executor(vec![asking(two_rounds)])));
    for era in ERAS {
        let mut client = Client::connect(&server, era, everything()).await;
        let (answer, states) = converse(&mut client, era).await;
        assert_eq!(first_text(&answer), "one:Ada two:Ada", "{era:?}");
        if era == Era::Stateless {
            assert_eq!(states.len(), 2);
            assert_ne!(states[0], states[1]);
        }
    }
}

#[tokio::test]
async fn what_the_client_does_not_declare_is_not_asked() {
    let server = server(Served::tools(executor(vec![asking(three_at_once)])));
    for era in ERAS {
        let mut client = Client::connect(&server, era, json!({"elicitation": {}})).await;
        let answer = client.request(CALL, call()).await;
        match era {
            Era::Handshake => assert_eq!(answer["result"]["isError"], true, "{answer}"),
            Era::Stateless => {
                assert_eq!(answer["error"]["code"], -32021, "{answer}");
                let needed = &answer["error"]["data"]["requiredCapabilities"];
                assert_eq!(*needed, json!({"sampling": {}, "roots": {}}), "{answer}");
            }
        }
        assert!(client.others.is_empty(), "{:?}", client.others);
    }
}

#[tokio::test]
async fn a_missing_answer_is_asked_for_again() {
    let server = server(Served::tools(executor(vec![asking(two_rounds)])));
    let mut client = Client::connect(&server, Era::Stateless, everything()).await;
    let first = client.request(CALL, call()).await;
    let mut retry = call();
    retry["requestState"] = first["result"]["requestState"].clone();
    retry["inputResponses"] = json!({"other": {"action": "accept"}});
    let again = client.request(CALL, retry).await;
    assert_eq!(again["result"]["inputRequests"], first["result"]["inputRequests"]);
    assert_ne!(again["result"]["requestState"], first["result"]["requestState"]);
}

#[tokio::test]
async fn no_more_calls_wait_than_there_is_room_for() {
    let server = server(Served::tools(executor(vec![asking(two_rounds)])));
    let mut client = Client::connect(&server, Era::Stateless, everything()).await;
    for _ in 0..64 {
        let waiting = client.request(CALL, call()).await;
        assert_eq!(waiting["result"]["resultType"], "input_required", "{waiting}");
    }
    let refused = client.request(CALL, call()).await;
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
}
