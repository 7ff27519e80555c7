//! What a call answers: text for the model, data for programs, attachments.

use serde::Serialize;
use serde_json::Value;

use crate::bindings::exports::toolstile::plugin::tool as wit;

use crate::bindings::toolstile::plugin::types;

pub use types::Status;

/// The answer to one call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResponse {
    /// For the model.
    pub text: String,
    /// How the call ended.
    pub status: Status,
    /// For programs; valid against the output schema where there is one.
    pub data: Option<Value>,
    /// Content beside the text.
    pub attachments: Vec<Attachment>,
}

impl ToolResponse {
    /// The call did what was asked.
    #[must_use]
    pub fn success(text: impl Into<String>) -> Self {
        Self::new(Status::Success, text)
    }

    /// The call succeeded but the result is incomplete; the text says what is
    /// missing.
    #[must_use]
    pub fn partial(text: impl Into<String>) -> Self {
        Self::new(Status::Partial, text)
    }

    /// The call failed; the text says what was wrong and what would be right.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        Self::new(Status::Error, text)
    }

    /// The same answer with data for programs. A value that has no JSON form (a
    /// map whose keys are no strings, say) turns the answer into an error.
    #[must_use]
    pub fn with_data(mut self, data: impl Serialize) -> Self {
        match serde_json::to_value(data) {
            Ok(data) => Self { data: Some(data), ..self },
            Err(error) => {
                self.status = Status::Error;
                self.text = not_json(&error);
                self
            }
        }
    }

    /// The same answer with one more attachment.
    #[must_use]
    pub fn with_attachment(mut self, attachment: Attachment) -> Self {
        self.attachments.push(attachment);
        self
    }

    fn new(status: Status, text: impl Into<String>) -> Self {
        Self { text: text.into(), status, data: None, attachments: Vec::new() }
    }
}

pub(crate) fn not_json(error: &serde_json::Error) -> String {
    format!("the result has no JSON form: {error}")
}

/// Content beside the text, as the Model Context Protocol knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attachment {
    /// A picture.
    Image {
        /// The media type (RFC 2046), for example `image/png`.
        mime_type: String,
        /// The bytes, not encoded.
        data: Vec<u8>,
    },
    /// A sound.
    Audio {
        /// The media type (RFC 2046), for example `audio/wav`.
        mime_type: String,
        /// The bytes, not encoded.
        data: Vec<u8>,
    },
    /// A resource that the client may fetch by itself.
    ResourceLink {
        /// Where it is (RFC 3986).
        uri: String,
        /// What it is called.
        name: String,
        /// Its media type, when known.
        mime_type: Option<String>,
    },
    /// A resource, contained in the answer.
    Embedded {
        /// What identifies it (RFC 3986).
        uri: String,
        /// Its media type, when known.
        mime_type: Option<String>,
        /// The bytes, not encoded.
        data: Vec<u8>,
    },
}

impl From<Attachment> for types::Attachment {
    fn from(attachment: Attachment) -> Self {
        match attachment {
            Attachment::Image { mime_type, data } => Self::Image(types::Media { mime_type, data }),
            Attachment::Audio { mime_type, data } => Self::Audio(types::Media { mime_type, data }),
            Attachment::ResourceLink { uri, name, mime_type } => {
                Self::ResourceLink(types::Link { uri, name, mime_type })
            }
            Attachment::Embedded { uri, mime_type, data } => {
                Self::Embedded(types::EmbeddedResource { uri, mime_type, data })
            }
        }
    }
}

impl From<ToolResponse> for wit::ToolResponse {
    fn from(response: ToolResponse) -> Self {
        Self {
            text: response.text,
            status: response.status,
            data: response.data.map(|data| data.to_string()),
            attachments: response.attachments.into_iter().map(Into::into).collect(),
        }
    }
}
