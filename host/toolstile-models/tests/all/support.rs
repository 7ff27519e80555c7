//! Tools, requests and models of the tests.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolstile_agent::{ChatModel, ChatReply, ChatRequest, Message, ModelError, Sampling, ToolMode};
use toolstile_core::{
    Arguments, CallContext, Origin, RegisteredTool, Tool, ToolDefinition, ToolError, ToolName,
    ToolResponse, ToolSchema,
};
use toolstile_models::{ModelSettings, Provider, ProviderModel, connect};

use crate::server::{Answer, Server};

pub(crate) const KEY: &str = "sk-test-0123456789";

/// A tool that is only ever declared.
#[derive(Debug)]
struct Declared(ToolDefinition);

#[async_trait::async_trait]
impl Tool for Declared {
    fn definition(&self) -> ToolDefinition {
        self.0.clone()
    }

    async fn call(&self, _: &Arguments, _: &CallContext) -> Result<ToolResponse, ToolError> {
        unreachable!("no test calls a tool")
    }
}

pub(crate) fn tool(name: &str, schema: Value) -> Arc<RegisteredTool> {
    let schema = ToolSchema::compile(schema).unwrap();
    let definition = ToolDefinition::new(ToolName::parse(name).unwrap(), "Does a thing.", schema);
    Arc::new(RegisteredTool::new(Arc::new(Declared(definition)), Origin::Native))
}

/// `weather(city)` and `1_clock()`.
pub(crate) fn tools() -> Vec<Arc<RegisteredTool>> {
    let city = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"city": {"type": ["string", "null"], "description": "Where"}},
        "required": ["city"],
        "additionalProperties": false,
    });
    vec![tool("weather", city), tool("1_clock", json!({"type": "object"}))]
}

/// What a test asks.
pub(crate) struct Question {
    pub(crate) messages: Vec<Message>,
    pub(crate) tools: Vec<Arc<RegisteredTool>>,
    pub(crate) mode: ToolMode,
    pub(crate) sampling: Sampling,
}

impl Question {
    pub(crate) fn new() -> Self {
        Self {
            messages: vec![Message::user("What is the weather?")],
            tools: tools(),
            mode: ToolMode::Auto,
            sampling: Sampling::default(),
        }
    }

    pub(crate) fn mode(mut self, mode: ToolMode) -> Self {
        self.mode = mode;
        self
    }

    pub(crate) fn messages(mut self, messages: Vec<Message>) -> Self {
        self.messages = messages;
        self
    }

    pub(crate) async fn reply(&self, model: &ProviderModel) -> Result<ChatReply, ModelError> {
        model.reply(&self.request()).await
    }

    /// The reply with the pieces of its text.
    pub(crate) async fn stream(
        &self,
        model: &ProviderModel,
    ) -> (Result<ChatReply, ModelError>, Vec<String>) {
        let pieces = Mutex::new(Vec::new());
        let on_text = |piece: &str| pieces.lock().unwrap().push(piece.to_owned());
        let reply = model.stream(&self.request(), &on_text).await;
        (reply, pieces.into_inner().unwrap())
    }

    fn request(&self) -> ChatRequest<'_> {
        ChatRequest {
            system: Some("Be brief."),
            messages: &self.messages,
            tools: &self.tools,
            tool_choice: &self.mode,
            sampling: self.sampling,
        }
    }
}

pub(crate) fn required(name: &str) -> ToolMode {
    ToolMode::Required(Some(ToolName::parse(name).unwrap()))
}

/// A model of the server.
pub(crate) fn model(provider: Provider, server: &Server) -> ProviderModel {
    let name = match provider {
        Provider::OpenAi => "gpt-test",
        Provider::Anthropic => "claude-test",
        Provider::Gemini => "gemini-test",
        Provider::Ollama => "qwen-test",
    };
    // Chat Completions and its like live under a path, the others at the root.
    let base = match provider {
        Provider::OpenAi => format!("{}/v1", server.url),
        _ => server.url.clone(),
    };
    connect(ModelSettings::new(provider, name).with_base_url(base).with_key(KEY)).unwrap()
}

pub(crate) async fn with(provider: Provider, answers: Vec<Answer>) -> (ProviderModel, Server) {
    let server = Server::start(answers).await;
    (model(provider, &server), server)
}

/// The server-sent event of Chat Completions and of Gemini.
pub(crate) fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// The server-sent event of Anthropic, named by its type.
pub(crate) fn typed(value: &Value) -> String {
    format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap())
}
