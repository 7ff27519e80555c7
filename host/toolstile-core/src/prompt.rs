//! Texts that a person chooses to begin a conversation with: `prompts` of the Model Context
//! Protocol.

use std::fmt::Debug;

use async_trait::async_trait;

use crate::context::CallContext;
use crate::resource::OfferError;
use crate::response::Attachment;

/// A prompt, as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptDefinition {
    /// Unique where it comes from.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// What it wants to be told.
    pub arguments: Vec<PromptArgument>,
}

/// A word that a prompt wants to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptArgument {
    /// Unique in the prompt.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What it means.
    pub description: Option<String>,
    /// The prompt does not work without it.
    pub required: bool,
}

/// A prompt with its arguments filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// What it is for.
    pub description: Option<String>,
    /// The conversation that it begins.
    pub messages: Vec<PromptMessage>,
}

/// One message of a [`Prompt`].
#[derive(Clone, Debug, PartialEq)]
pub struct PromptMessage {
    /// Who says it.
    pub role: PromptRole,
    /// What is said.
    pub content: PromptContent,
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptRole {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// What is said.
#[derive(Clone, Debug, PartialEq)]
pub enum PromptContent {
    /// Text.
    Text(String),
    /// Content that is not text.
    Attachment(Attachment),
}

/// What a word is asked for, when it is to be completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompletionOf {
    /// An argument of the prompt of this name.
    Prompt(String),
    /// A variable of the resource template that reads so.
    ResourceTemplate(String),
}

/// A source of prompts.
#[async_trait]
pub trait Prompts: Send + Sync + Debug {
    /// What there is now.
    fn list(&self) -> Vec<PromptDefinition>;

    /// Fills in a prompt. Arguments are words by name.
    ///
    /// # Errors
    /// [`OfferError::NotFound`] for a name that is not listed, [`OfferError::Refused`] for
    /// arguments that it cannot be filled in with.
    async fn get(
        &self,
        name: &str,
        arguments: Vec<(String, String)>,
        context: &CallContext,
    ) -> Result<Prompt, OfferError>;

    /// What could stand for an argument whose beginning is `value`, best first; nothing for
    /// what is not known. `given` are the arguments that are known already.
    ///
    /// # Errors
    /// [`OfferError`].
    async fn complete(
        &self,
        of: CompletionOf,
        argument: &str,
        value: &str,
        given: Vec<(String, String)>,
        context: &CallContext,
    ) -> Result<Vec<String>, OfferError>;
}
