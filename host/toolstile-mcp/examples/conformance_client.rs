//! The client under the conformance suite: `conformance_client URL`. Connects as a host
//! would, logs in when the server wants that, and calls what the suite names in
//! `MCP_CONFORMANCE_CONTEXT`, or else every tool, with arguments made up from its schema.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use toolstile_core::{
    Answer, AskError, Call, Caller, Offered, Question, RegisteredTool, ToolExecutor, ToolRegistry,
};
use toolstile_mcp::client::{
    Checked, Login, McpClient, McpServerConfig, OAuthConfig, ServerConfirm, ServerState,
};

/// Where the browser would come back to; nobody has to listen.
const REDIRECT: &str = "http://127.0.0.1:8976/callback";

/// The document that the suite's authorization server takes for a client's description.
const DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";

/// How long a server is given to see the stream on which it asks.
const STREAM_OPENS: Duration = Duration::from_millis(500);

/// How often more is asked for in one run.
const MAX_LOGINS: usize = 3;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().next_back().ok_or("conformance_client URL")?;
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = match context.as_str() {
        "" => Value::Null,
        context => serde_json::from_str(context)?,
    };
    let mut run = Run::start(&url, &context)?;
    let tools = run.connect().await?;
    let registry = Arc::new(ToolRegistry::default());
    for tool in &tools {
        registry.register(tool.clone())?;
    }
    let executor = ToolExecutor::builder(registry).caller(Arc::new(Agreeable)).build();
    // With a handshake a server may ask over a stream that is opened beside the requests, and
    // what it asks before that is lost. Nobody says when it is open.
    tokio::time::sleep(STREAM_OPENS).await;
    for (tool, arguments) in wanted(&tools, &context) {
        loop {
            let call = Call::new(tool.clone(), arguments.clone());
            let completion = executor.execute(call).await;
            say(&completion.model_text());
            if !run.log_in().await? {
                break;
            }
        }
    }
    run.client.close().await;
    Ok(())
}

/// One server, and the logins that it has had.
struct Run {
    server: Checked,
    client: McpClient,
    logins: usize,
}

impl Run {
    fn start(url: &str, context: &Value) -> Result<Self, Box<dyn Error>> {
        let mut config = McpServerConfig::http("suite", url);
        config.confirm = ServerConfirm::Never;
        config.elicit = true;
        config.timeout = 15.0;
        let text = |name: &str| context[name].as_str().map(str::to_owned);
        let secret = text("client_secret");
        config.oauth = Some(OAuthConfig {
            client_id: text("client_id"),
            client_secret: secret.as_ref().map(|_| "client".to_owned()),
            client_metadata_url: Some(DOCUMENT.to_owned()),
            ..OAuthConfig::default()
        });
        let server = config.check(|_| secret.clone())?;
        let client = McpClient::start(server.clone(), None);
        Ok(Self { server, client, logins: 0 })
    }

    async fn connect(&mut self) -> Result<Vec<RegisteredTool>, Box<dyn Error>> {
        loop {
            let reason = match self.client.settled().await {
                ServerState::Ready { tools, .. } => return Ok(tools),
                state => format!("{state:?}"),
            };
            say(&reason);
            if !self.log_in().await? {
                return Err(reason.into());
            }
            let mut state = self.client.state();
            self.client.relist();
            let settling = state.wait_for(|state| matches!(state, ServerState::Ready { .. }));
            // Whatever it is after that is looked at again.
            let _ = tokio::time::timeout(Duration::from_secs(5), settling).await;
        }
    }

    /// Goes through a login as a browser would whose user agrees to everything, if the
    /// server has asked for one. Whether it had.
    async fn log_in(&mut self) -> Result<bool, Box<dyn Error>> {
        let Some(challenge) = self.client.take_challenge() else { return Ok(false) };
        self.logins += 1;
        if self.logins > MAX_LOGINS {
            return Err("the server does not stop asking for authorization".into());
        }
        let login = Login::start(&self.server, REDIRECT, Some(&challenge), &[]).await?;
        let browser = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        let page = browser.build()?.get(login.url().clone()).send().await?;
        let back = page.headers().get("location").ok_or("the page leads nowhere")?.to_str()?;
        let scopes = login.finish(back).await?;
        say(&format!("logged in: {scopes:?}"));
        Ok(true)
    }
}

#[expect(clippy::print_stderr, reason = "for whoever reads why a scenario fails")]
fn say(text: &str) {
    eprintln!("{text}");
}

/// Says yes, and leaves every field as it is.
#[derive(Debug)]
struct Agreeable;

#[async_trait]
impl Caller for Agreeable {
    fn offered(&self) -> Offered {
        Offered { elicit: true, ..Offered::default() }
    }

    async fn ask(
        &self,
        questions: Vec<(String, Question)>,
    ) -> Result<Vec<(String, Answer)>, AskError> {
        let yes = |(key, _)| (key, Answer::Accepted(Map::new()));
        Ok(questions.into_iter().map(yes).collect())
    }
}

/// The calls that the suite asks for, by the names that the host gave the tools.
fn wanted(tools: &[RegisteredTool], context: &Value) -> Vec<(String, Value)> {
    let made_up = |tool: &RegisteredTool| {
        let schema = tool.definition.input_schema.as_value();
        (tool.name().to_string(), made_up_of(schema))
    };
    let asked = |call: &Value| {
        let name = call["name"].as_str().unwrap_or_default();
        (format!("suite_{name}"), call["arguments"].clone())
    };
    let mut calls: Vec<(String, Value)> = match context["toolCalls"].as_array() {
        Some(calls) => calls.iter().map(asked).collect(),
        None => tools.iter().map(made_up).collect(),
    };
    // One scenario wants to see what became of the schema of its first tool.
    for (_, arguments) in calls.iter_mut().filter(|(tool, _)| tool == "suite_json_schema_echo") {
        arguments["schema"] = tools[0].definition.input_schema.as_value().clone();
    }
    calls
}

fn made_up_of(schema: &Value) -> Value {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let value = |property: &Value| match property["type"].as_str() {
        Some("number" | "integer") => json!(5),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("text"),
    };
    let members: Map<String, Value> =
        properties.map(|(name, property)| (name.clone(), value(property))).collect();
    Value::Object(members)
}
