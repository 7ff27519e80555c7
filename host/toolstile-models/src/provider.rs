//! The providers, and how a model is named on a command line.

use std::fmt;

use crate::profile::SchemaProfile;
use crate::settings::ConnectError;

/// Whose interface a model is reached through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Provider {
    /// Chat Completions of OpenAI, or of any server that offers the same.
    OpenAi,
    /// The Messages API of Anthropic.
    Anthropic,
    /// `generateContent` of the Gemini API.
    Gemini,
    /// `/api/chat` of an Ollama server.
    Ollama,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// Reads the short name: `openai`, `anthropic`, `gemini` or `ollama`.
    ///
    /// # Errors
    /// [`ConnectError::UnknownProvider`] lists the known ones.
    pub fn parse(text: &str) -> Result<Self, ConnectError> {
        let known = Self::ALL.into_iter().find(|provider| provider.short_name() == text);
        known.ok_or_else(|| ConnectError::UnknownProvider(text.to_owned()))
    }

    /// The name that [`Provider::parse`] reads.
    #[must_use]
    pub fn short_name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// The value of `gen_ai.provider.name`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gemini => "gcp.gemini",
            other => other.short_name(),
        }
    }

    /// The environment variable that holds the key by convention; `None` where none is
    /// needed.
    #[must_use]
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            Self::Ollama => None,
        }
    }

    /// Where requests go unless something else is said.
    #[must_use]
    pub fn default_base_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
            Self::Gemini => "https://generativelanguage.googleapis.com",
            Self::Ollama => "http://localhost:11434",
        }
    }

    /// The rules for the declarations of functions.
    #[must_use]
    pub fn profile(self) -> SchemaProfile {
        match self {
            Self::OpenAi => SchemaProfile::OpenAi,
            Self::Anthropic => SchemaProfile::Anthropic,
            Self::Gemini => SchemaProfile::Gemini,
            Self::Ollama => SchemaProfile::Ollama,
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.short_name())
    }
}

/// Reads `provider:name`. Only the first colon separates: `ollama:qwen3:8b` is the model
/// `qwen3:8b`.
///
/// # Errors
/// [`ConnectError::Model`] without both parts, [`ConnectError::UnknownProvider`].
pub fn parse_model(text: &str) -> Result<(Provider, String), ConnectError> {
    match text.split_once(':') {
        Some((provider, name)) if !name.trim().is_empty() => {
            Ok((Provider::parse(provider)?, name.to_owned()))
        }
        _ => Err(ConnectError::Model(text.to_owned())),
    }
}
