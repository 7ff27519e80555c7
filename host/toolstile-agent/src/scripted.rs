//! A model that says what a script tells it to: for tests, demonstrations and
//! documents that need no key.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::Value;

use crate::message::{Message, ToolCall};
use crate::model::{ChatModel, ChatReply, ChatRequest, Finish, ModelError, OnText};
use crate::tool_choice::ToolMode;

/// Characters of one piece of streamed text.
const PIECE: usize = 8;

/// A model that replays replies in order, counts how often it was asked and keeps what
/// it was asked. One question too many is an error, never an empty answer.
///
/// ```
/// use toolstile_agent::{ScriptedLlm, ToolCall};
///
/// let model = ScriptedLlm::new()
///     .call("calculator", r#"{"expression": "6 * 7"}"#)
///     .text("It is 42.");
/// assert_eq!(model.asked(), 0);
/// ```
#[derive(Debug, Default)]
pub struct ScriptedLlm {
    replies: Vec<Result<ChatReply, ModelError>>,
    forget: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    asked: usize,
    seen: Vec<Seen>,
}

/// What a scripted model was asked, one request.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The system prompt.
    pub system: Option<String>,
    /// The conversation.
    pub messages: Vec<Message>,
    /// The names of the tools, in order.
    pub tools: Vec<String>,
    /// Whether to call them.
    pub tool_choice: ToolMode,
}

impl Seen {
    /// Identifiers and texts of the results of calls that the model was shown.
    #[must_use]
    pub fn results(&self) -> Vec<(&str, &str)> {
        let results = self.messages.iter().filter_map(|message| match message {
            Message::Tool { call_id, text, .. } => Some((call_id.as_str(), text.as_str())),
            _ => None,
        });
        results.collect()
    }
}

/// A line of a script in JSON.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a reply is a text, or an object with `text` and `calls`")]
enum Line {
    Text(String),
    Reply(ScriptedReply),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedReply {
    #[serde(default)]
    text: String,
    #[serde(default)]
    calls: Vec<ScriptedCall>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedCall {
    id: Option<String>,
    name: String,
    /// An object, or the text that a model would have written.
    #[serde(default)]
    arguments: Value,
}

impl ScriptedLlm {
    /// A model with an empty script.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a script: a JSON array whose entries are texts, or objects
    /// `{"text"?, "calls"?: [{"id"?, "name", "arguments"?}]}`. Calls without an
    /// identifier get `call_1`, `call_2` and so on; arguments are an object, or the
    /// text that a model would have written.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let lines: Vec<Line> = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let script = lines.into_iter().fold(Self::new(), |script, line| match line {
            Line::Text(text) => script.text(text),
            Line::Reply(reply) => script.scripted(reply),
        });
        Ok(script)
    }

    fn scripted(self, reply: ScriptedReply) -> Self {
        let mut next = self.calls_so_far();
        let calls = reply.calls.into_iter().map(|call| {
            next += 1;
            let arguments = match call.arguments {
                Value::String(text) => text,
                Value::Null => "{}".to_owned(),
                value => value.to_string(),
            };
            ToolCall::new(call.id.unwrap_or_else(|| format!("call_{next}")), call.name, arguments)
        });
        let calls: Vec<ToolCall> = calls.collect();
        let finish = if calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
        self.replying(ChatReply { text: reply.text, calls, finish, ..ChatReply::default() })
    }

    fn calls_so_far(&self) -> usize {
        self.replies.iter().flatten().map(|reply| reply.calls.len()).sum()
    }

    /// Then it says this.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.replying(ChatReply::text(text))
    }

    /// Then it makes this one call; the identifier is `call_1`, `call_2` and so on.
    #[must_use]
    pub fn call(self, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        let id = format!("call_{}", self.calls_so_far() + 1);
        self.calls([ToolCall::new(id, name, arguments)])
    }

    /// Then it makes these calls at once.
    #[must_use]
    pub fn calls(self, calls: impl IntoIterator<Item = ToolCall>) -> Self {
        self.replying(ChatReply::calls(calls.into_iter().collect()))
    }

    /// Then it answers this.
    #[must_use]
    pub fn replying(mut self, reply: ChatReply) -> Self {
        self.replies.push(Ok(reply));
        self
    }

    /// Then it fails.
    #[must_use]
    pub fn failure(mut self, error: ModelError) -> Self {
        self.replies.push(Err(error));
        self
    }

    /// The same model, keeping nothing of what it is asked: for long runs.
    #[must_use]
    pub fn forgetful(mut self) -> Self {
        self.forget = true;
        self
    }

    /// How often it was asked.
    #[must_use]
    pub fn asked(&self) -> usize {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).asked
    }

    /// What it was asked, oldest first.
    #[must_use]
    pub fn seen(&self) -> Vec<Seen> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).seen.clone()
    }

    fn next(&self, request: &ChatRequest<'_>) -> Result<ChatReply, ModelError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.forget {
            state.seen.push(Seen {
                system: request.system.map(str::to_owned),
                messages: request.messages.to_vec(),
                tools: request.tools.iter().map(|tool| tool.name().to_string()).collect(),
                tool_choice: request.tool_choice.clone(),
            });
        }
        let reply = self.replies.get(state.asked).cloned();
        state.asked += 1;
        reply.unwrap_or(Err(ModelError::ScriptExhausted { replies: self.replies.len() }))
    }
}

#[async_trait]
impl ChatModel for ScriptedLlm {
    fn provider(&self) -> &str {
        "toolstile"
    }

    fn name(&self) -> &str {
        "scripted"
    }

    async fn reply(&self, request: &ChatRequest<'_>) -> Result<ChatReply, ModelError> {
        self.next(request)
    }

    async fn stream(
        &self,
        request: &ChatRequest<'_>,
        on_text: OnText<'_>,
    ) -> Result<ChatReply, ModelError> {
        let reply = self.next(request)?;
        let characters: Vec<char> = reply.text.chars().collect();
        for piece in characters.chunks(PIECE) {
            on_text(&piece.iter().collect::<String>());
        }
        Ok(reply)
    }
}
