//! Things that a client reads without calling a tool, each under a URI: `resources` of the
//! Model Context Protocol.

use std::fmt::Debug;

use async_trait::async_trait;

use crate::context::CallContext;
use crate::tool::ToolError;

/// One thing that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// What identifies it (RFC 3986).
    pub uri: String,
    /// What it is called.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What it holds.
    pub description: Option<String>,
    /// Its media type, when known.
    pub mime_type: Option<String>,
}

/// A family of things that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceTemplate {
    /// How their URIs are built (RFC 6570).
    pub uri_template: String,
    /// What they are called.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What they hold.
    pub description: Option<String>,
    /// The media type of all of them, when there is one.
    pub mime_type: Option<String>,
}

impl ResourceTemplate {
    /// Whether a URI may be one of the family: it begins as the template does before its
    /// first variable.
    #[must_use]
    pub fn may_be(&self, uri: &str) -> bool {
        let fixed = self.uri_template.split('{').next().unwrap_or_default();
        !fixed.is_empty() && uri.starts_with(fixed)
    }
}

/// What a resource holds, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceContent {
    /// The resource, or the part of it that this is.
    pub uri: String,
    /// Its media type, when known.
    pub mime_type: Option<String>,
    /// The content itself.
    pub body: ResourceBody,
}

/// Text, or bytes that are not encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceBody {
    /// Text.
    Text(String),
    /// Anything else.
    Bytes(Vec<u8>),
}

/// Why a resource or a prompt is not there to be had.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OfferError {
    /// There is nothing by that URI or name.
    #[error("{0}")]
    NotFound(String),
    /// It is there, and what was asked of it cannot be done. The text is for whoever asked.
    #[error("{0}")]
    Refused(String),
    /// Whoever offers it gave no answer.
    #[error("there was no answer: {}", .0.kind)]
    Failed(ToolError),
}

/// A source of resources. Nobody is asked before one is read, so reading changes nothing.
#[async_trait]
pub trait Resources: Send + Sync + Debug {
    /// What there is now.
    ///
    /// # Errors
    /// [`OfferError`].
    async fn list(&self, context: &CallContext) -> Result<Vec<Resource>, OfferError>;

    /// The families.
    fn templates(&self) -> Vec<ResourceTemplate>;

    /// Reads one that is listed, or that is of a family.
    ///
    /// # Errors
    /// [`OfferError::NotFound`] for every other.
    async fn read(
        &self,
        uri: &str,
        context: &CallContext,
    ) -> Result<Vec<ResourceContent>, OfferError>;
}
