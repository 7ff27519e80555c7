//! What a model and its tools say to each other.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One message of a conversation. The system prompt is no message: every request
/// carries it beside them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub enum Message {
    /// What a person asks.
    User {
        /// The text.
        text: String,
    },
    /// What the model said.
    Assistant {
        /// The text; empty where it only called tools.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
        /// The calls, in order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
        /// What the provider wants to get back unchanged, for example signed
        /// reasoning. Means nothing to anybody else.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<Value>,
    },
    /// What became of a call.
    Tool {
        /// The identifier of the call.
        call_id: String,
        /// The name that was called.
        name: String,
        /// The text for the model.
        text: String,
    },
}

impl Message {
    /// What a person asks.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into() }
    }

    /// What the model said, without calls.
    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant { text: text.into(), calls: Vec::new(), state: None }
    }
}

/// A tool call as a model asked for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The model's identifier of the call; may be missing (empty) or not unique.
    #[serde(default)]
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments, JSON text as the model wrote it.
    pub arguments: String,
}

impl ToolCall {
    /// A call.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into() }
    }
}
