//! What a tool answers.

use std::fmt::Display;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The call did what was asked.
    Success,
    /// The call succeeded but the result is incomplete, for example cut to a limit.
    Partial,
    /// The call failed in a way that the model can correct.
    Error,
}

impl Status {
    /// The lower-case word that JSON carries.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Partial => "partial",
            Self::Error => "error",
        }
    }
}

/// The answer to one tool call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolResponse {
    /// For the model.
    pub text: String,
    /// How the call ended.
    pub status: Status,
    /// For programs; the model never sees it.
    pub data: Option<Value>,
    /// Content beside the text; not part of the JSON form.
    #[serde(skip)]
    pub attachments: Vec<Attachment>,
}

impl ToolResponse {
    /// An answer of a given status, without data.
    #[must_use]
    pub fn new(status: Status, text: impl Into<String>) -> Self {
        Self { text: text.into(), status, data: None, attachments: Vec::new() }
    }

    /// The call did what was asked.
    #[must_use]
    pub fn success(text: impl Into<String>) -> Self {
        Self::new(Status::Success, text)
    }

    /// The result is incomplete; the text says what is missing.
    #[must_use]
    pub fn partial(text: impl Into<String>) -> Self {
        Self::new(Status::Partial, text)
    }

    /// The call failed; the text says what was wrong and what would be right.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        Self::new(Status::Error, text)
    }

    /// The same answer with data for programs.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }
}

/// Content beside the text of an answer, as the Model Context Protocol knows it.
#[derive(Clone, Debug, PartialEq)]
pub enum Attachment {
    /// A picture.
    Image {
        /// Media type (RFC 2046).
        mime_type: String,
        /// The bytes.
        data: Vec<u8>,
    },
    /// A sound.
    Audio {
        /// Media type (RFC 2046).
        mime_type: String,
        /// The bytes.
        data: Vec<u8>,
    },
    /// A resource that the client may fetch by itself.
    ResourceLink {
        /// Where it is (RFC 3986).
        uri: String,
        /// What it is called.
        name: String,
        /// Media type, when known.
        mime_type: Option<String>,
    },
    /// A resource with its content.
    Embedded {
        /// What identifies it (RFC 3986).
        uri: String,
        /// Media type, when known.
        mime_type: Option<String>,
        /// The bytes.
        data: Vec<u8>,
    },
}

/// What a native tool may return: text, JSON, a whole answer, or a `Result` of
/// these whose error becomes an error answer.
pub trait IntoToolResponse {
    /// The answer that stands for this value.
    fn into_tool_response(self) -> ToolResponse;
}

impl IntoToolResponse for ToolResponse {
    fn into_tool_response(self) -> ToolResponse {
        self
    }
}

impl IntoToolResponse for String {
    fn into_tool_response(self) -> ToolResponse {
        ToolResponse::success(self)
    }
}

impl IntoToolResponse for &str {
    fn into_tool_response(self) -> ToolResponse {
        ToolResponse::success(self)
    }
}

impl IntoToolResponse for Value {
    fn into_tool_response(self) -> ToolResponse {
        ToolResponse::success(self.to_string()).with_data(self)
    }
}

/// Any serialisable value: the text is its compact JSON, the data the value itself.
#[derive(Debug, Clone)]
pub struct Json<T>(pub T);

impl<T: Serialize> IntoToolResponse for Json<T> {
    fn into_tool_response(self) -> ToolResponse {
        match serde_json::to_value(self.0) {
            Ok(value) => value.into_tool_response(),
            Err(error) => ToolResponse::error(format!("the result is not JSON: {error}")),
        }
    }
}

impl<T: IntoToolResponse, E: Display> IntoToolResponse for Result<T, E> {
    fn into_tool_response(self) -> ToolResponse {
        match self {
            Ok(value) => value.into_tool_response(),
            Err(error) => ToolResponse::error(error.to_string()),
        }
    }
}
