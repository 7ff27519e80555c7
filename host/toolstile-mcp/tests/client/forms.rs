//! Servers that ask for something before they answer: our own, over HTTP.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use toolstile_core::{
    Answer, AskError, Call, CallContext, Caller, Completion, Offered, Question, Status,
    ToolExecutor, ToolRegistry, ToolResponse,
};
use toolstile_mcp::client::{McpClient, McpServerConfig, ServerConfirm, ServerState};
use toolstile_mcp::server::http::HttpConfig;
use toolstile_mcp::server::{McpServer, Served, ServerName};

use crate::native::Native;

/// Answers every form in the same way.
#[derive(Debug)]
struct Person(Answer);

#[async_trait]
impl Caller for Person {
    fn offered(&self) -> Offered {
        Offered { elicit: true, ..Offered::default() }
    }

    async fn ask(
        &self,
        questions: Vec<(String, Question)>,
    ) -> Result<Vec<(String, Answer)>, AskError> {
        for (_, question) in &questions {
            let Question::Elicit { message, .. } = question else { panic!("{question:?}") };
            assert!(message.starts_with("The MCP server `forms` asks: Who?"), "{message}");
        }
        Ok(questions.into_iter().map(|(key, _)| (key, self.0.clone())).collect())
    }
}

async fn asks_twice(context: CallContext) -> ToolResponse {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let mut heard = Vec::new();
    for round in ["one", "two"] {
        let form = Question::Elicit { message: format!("Who? ({round})"), schema: schema.clone() };
        match context.ask(vec![(round.to_owned(), form)]).await {
            Ok(answers) => heard.push(format!("{:?}", answers[0].1)),
            Err(error) => return ToolResponse::error(error.to_string()),
        }
    }
    ToolResponse::success(heard.join(" "))
}

/// Calls a tool of a server that asks twice.
async fn call(elicit: bool, person: Option<Answer>) -> Completion {
    let schema = json!({"type": "object", "properties": {}});
    let tool = Native::new("asks", "Asks.", schema, |_, context| Box::pin(asks_twice(context)));
    let registry = Arc::new(ToolRegistry::default());
    registry.register(tool.registered()).unwrap();
    let served = Served::tools(ToolExecutor::builder(registry).build());
    let server = McpServer::new(ServerName { name: "s".into(), version: "1".into() }, served);
    let listening = server.serve_http(HttpConfig::default()).await.unwrap();
    let mut config = McpServerConfig::http("forms", listening.url());
    config.confirm = ServerConfirm::Never;
    config.elicit = elicit;
    tokio::spawn(listening.serve(std::future::pending()));
    let client = McpClient::start(config.check(|_| None).unwrap(), None);
    let ServerState::Ready { tools, .. } = client.settled().await else { panic!() };
    let registry = Arc::new(ToolRegistry::default());
    registry.register(tools[0].clone()).unwrap();
    let mut gates = ToolExecutor::builder(registry);
    if let Some(answer) = person {
        gates = gates.caller(Arc::new(Person(answer)));
    }
    gates.build().execute(Call::new("forms_asks", json!({}))).await
}

fn named(name: &str) -> Answer {
    let form: Value = json!({"name": name});
    Answer::Accepted(form.as_object().cloned().unwrap())
}

#[tokio::test]
async fn whoever_called_answers_each_form_and_the_call_goes_on() {
    let answered = call(true, Some(named("Ann"))).await.response();
    assert_eq!(answered.status, Status::Success, "{}", answered.text);
    assert_eq!(answered.text.matches("Ann").count(), 2, "{}", answered.text);
    let declined = call(true, Some(Answer::Declined)).await.response();
    assert_eq!(declined.text, "Declined Declined");
}

#[tokio::test]
async fn nobody_is_asked_where_the_operator_does_not_allow_it_or_nobody_can_be() {
    let forbidden = call(false, Some(named("Ann"))).await.response();
    assert_eq!(forbidden.status, Status::Error);
    assert!(forbidden.text.contains("`elicit = true` permits forms"), "{}", forbidden.text);
    let nobody = call(true, None).await.response();
    assert_eq!(nobody.status, Status::Error);
    let text = "the server `forms` wants to ask for something before it answers, and cannot here";
    assert!(nobody.text.contains(text), "{}", nobody.text);
}
