//! What has to be known to reach a model, and what can be wrong with it.

use std::fmt;

use url::Url;

use crate::provider::Provider;

/// Which model, and where.
#[derive(Clone, PartialEq, Eq)]
pub struct ModelSettings {
    /// Whose interface it has.
    pub provider: Provider,
    /// The provider's name of the model.
    pub name: String,
    /// Where requests go; `None` is [`Provider::default_base_url`].
    pub base_url: Option<String>,
    /// The key. Goes into a header of every request and nowhere else.
    pub key: Option<String>,
}

impl ModelSettings {
    /// A model at the provider's own address, without a key.
    #[must_use]
    pub fn new(provider: Provider, name: impl Into<String>) -> Self {
        Self { provider, name: name.into(), base_url: None, key: None }
    }

    /// The same with a key.
    #[must_use]
    pub fn with_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// The same at another address.
    #[must_use]
    pub fn with_base_url(mut self, base_url: impl Into<String>) -> Self {
        self.base_url = Some(base_url.into());
        self
    }

    /// The key, unless it is missing or blank. A server of somebody else that speaks
    /// Chat Completions often needs none.
    pub(crate) fn checked_key(&self) -> Result<Option<String>, ConnectError> {
        let key = self.key.as_deref().map(str::trim).filter(|key| !key.is_empty());
        match (key, self.provider.key_variable()) {
            (Some(key), _) if http::HeaderValue::from_str(key).is_err() => {
                Err(ConnectError::BadKey)
            }
            (Some(key), _) => Ok(Some(key.to_owned())),
            (None, None) => Ok(None),
            (None, Some(_)) if self.provider == Provider::OpenAi && self.base_url.is_some() => {
                Ok(None)
            }
            (None, Some(variable)) => {
                Err(ConnectError::MissingKey { provider: self.provider, variable })
            }
        }
    }

    /// The address without a slash at its end.
    pub(crate) fn checked_base_url(&self) -> Result<Url, ConnectError> {
        let text = self.base_url.as_deref().unwrap_or(self.provider.default_base_url());
        let bad = |reason: &str| ConnectError::BaseUrl {
            url: text.to_owned(),
            reason: reason.to_owned(),
        };
        let url = Url::parse(text).map_err(|error| bad(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad("only `http` and `https` are possible"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            // Not repeated: what stands there may be a password.
            return Err(ConnectError::BaseUrl {
                url: url.host_str().unwrap_or_default().to_owned(),
                reason: "a user name or password cannot stand in it".to_owned(),
            });
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(bad("a query or fragment cannot stand in it"));
        }
        Ok(url)
    }
}

impl fmt::Debug for ModelSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelSettings")
            .field("provider", &self.provider)
            .field("name", &self.name)
            .field("base_url", &self.base_url)
            .field("key", &self.key.as_ref().map(|_| "***"))
            .finish()
    }
}

/// Why a model cannot be reached at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// No provider has that name.
    #[error("the provider {0:?} is not known; known are `openai`, `anthropic`, `gemini`, `ollama`")]
    UnknownProvider(String),
    /// Not `provider:name`.
    #[error("{0:?} names no model; write `provider:name`, for example `ollama:qwen3`")]
    Model(String),
    /// The provider wants a key.
    #[error("the provider `{provider}` needs a key; set `{variable}`")]
    MissingKey {
        /// Which one.
        provider: Provider,
        /// Where the key is looked for.
        variable: &'static str,
    },
    /// The key cannot be sent.
    #[error("the key has characters that cannot stand in a header")]
    BadKey,
    /// The address is none.
    #[error("the base URL `{url}` cannot be used: {reason}")]
    BaseUrl {
        /// The address.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The system has no root certificates, for example.
    #[error(transparent)]
    Setup(#[from] toolstile_http::SetupError),
    /// The HTTP client cannot be set up.
    #[error("the HTTP client cannot be set up: {0}")]
    Client(#[from] reqwest::Error),
}
