//! A language model, as little of it as the loop needs.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolstile_core::RegisteredTool;

use crate::message::{Message, ToolCall};
use crate::tool_choice::ToolMode;

/// A language model that can call tools.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// The provider, for records; see `gen_ai.provider.name` of the OpenTelemetry
    /// semantic conventions.
    fn provider(&self) -> &str;

    /// The name of the model.
    fn name(&self) -> &str;

    /// Answers a request, whole.
    ///
    /// # Errors
    /// [`ModelError`].
    async fn reply(&self, request: &ChatRequest<'_>) -> Result<ChatReply, ModelError>;

    /// Answers a request and hands over the text piece by piece while it comes. The
    /// reply at the end is whole all the same.
    ///
    /// # Errors
    /// [`ModelError`]; after some pieces were handed over as well.
    async fn stream(
        &self,
        request: &ChatRequest<'_>,
        on_text: OnText<'_>,
    ) -> Result<ChatReply, ModelError> {
        let reply = self.reply(request).await?;
        if !reply.text.is_empty() {
            on_text(&reply.text);
        }
        Ok(reply)
    }
}

#[async_trait]
impl<M: ChatModel + ?Sized> ChatModel for Arc<M> {
    fn provider(&self) -> &str {
        (**self).provider()
    }

    fn name(&self) -> &str {
        (**self).name()
    }

    async fn reply(&self, request: &ChatRequest<'_>) -> Result<ChatReply, ModelError> {
        (**self).reply(request).await
    }

    async fn stream(
        &self,
        request: &ChatRequest<'_>,
        on_text: OnText<'_>,
    ) -> Result<ChatReply, ModelError> {
        (**self).stream(request, on_text).await
    }
}

/// Takes a piece of text as it comes.
pub type OnText<'a> = &'a (dyn for<'t> Fn(&'t str) + Send + Sync);

/// What a model is asked.
#[derive(Clone, Copy, Debug)]
pub struct ChatRequest<'a> {
    /// Who the model is and what it should mind.
    pub system: Option<&'a str>,
    /// The conversation so far.
    pub messages: &'a [Message],
    /// The tools that it may call, in order.
    pub tools: &'a [Arc<RegisteredTool>],
    /// Whether it should.
    pub tool_choice: &'a ToolMode,
    /// Sampling.
    pub sampling: Sampling,
}

/// How a model chooses its words; what is `None` is left to the provider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sampling {
    /// From 0 (always the likeliest) upwards.
    pub temperature: Option<f64>,
    /// Tokens of one reply.
    pub max_output_tokens: Option<u64>,
}

/// What a model answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChatReply {
    /// The text.
    pub text: String,
    /// The calls that it asks for, in order.
    pub calls: Vec<ToolCall>,
    /// Why it stopped.
    pub finish: Finish,
    /// What it cost.
    pub usage: TokenUsage,
    /// What the provider wants to get back unchanged with the next request.
    pub state: Option<Value>,
}

impl ChatReply {
    /// A reply of text alone.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A reply of calls alone.
    #[must_use]
    pub fn calls(calls: Vec<ToolCall>) -> Self {
        Self { calls, finish: Finish::ToolCalls, ..Self::default() }
    }
}

/// Why a model stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It was done.
    #[default]
    Stop,
    /// It waits for the results of its calls.
    ToolCalls,
    /// It ran out of tokens: text and calls may be cut.
    Length,
    /// The provider's filter stepped in.
    ContentFilter,
    /// Another reason, in the provider's word.
    Other(String),
}

impl Finish {
    /// The word of `gen_ai.response.finish_reasons`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Stop => "stop",
            Self::ToolCalls => "tool_calls",
            Self::Length => "length",
            Self::ContentFilter => "content_filter",
            Self::Other(reason) => reason,
        }
    }
}

/// Tokens, as the provider counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TokenUsage {
    /// Tokens of the request.
    pub input_tokens: u64,
    /// Tokens of the reply.
    pub output_tokens: u64,
}

impl TokenUsage {
    /// Both together.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

/// Why a model did not answer. The texts are for people; the provider's own words
/// may stand in them, a key never does.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Too many requests or tokens in a short time.
    #[error("the provider asks to slow down{}: {detail}", .retry_after.map(|t| format!(" for {} s", t.as_secs())).unwrap_or_default())]
    RateLimited {
        /// How long the provider wants to be left alone.
        retry_after: Option<Duration>,
        /// In the provider's words.
        detail: String,
    },
    /// The provider cannot be reached, or answers that it is out of order.
    #[error("the model is not available: {detail}")]
    Unavailable {
        /// What happened.
        detail: String,
    },
    /// The answer broke off.
    #[error("the answer broke off: {detail}")]
    Interrupted {
        /// What happened.
        detail: String,
    },
    /// The key is missing or not accepted.
    #[error("the provider does not accept the key: {detail}")]
    Unauthorized {
        /// In the provider's words.
        detail: String,
    },
    /// The provider does not accept the request.
    #[error("the provider refused the request: {detail}")]
    Refused {
        /// In the provider's words.
        detail: String,
    },
    /// The answer is not one.
    #[error("the answer of the model cannot be used: {detail}")]
    Malformed {
        /// What is wrong.
        detail: String,
    },
    /// A script has no more replies.
    #[error("the script has {replies} replies and was asked for one more")]
    ScriptExhausted {
        /// How many it had.
        replies: usize,
    },
}

impl ModelError {
    /// Whether asking again may help.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::RateLimited { .. } | Self::Unavailable { .. } | Self::Interrupted { .. }
        )
    }

    /// A short word for programs, and for `error.type` in traces.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::RateLimited { .. } => "rate_limited",
            Self::Unavailable { .. } => "unavailable",
            Self::Interrupted { .. } => "interrupted",
            Self::Unauthorized { .. } => "unauthorized",
            Self::Refused { .. } => "refused",
            Self::Malformed { .. } => "malformed",
            Self::ScriptExhausted { .. } => "script_exhausted",
        }
    }
}
