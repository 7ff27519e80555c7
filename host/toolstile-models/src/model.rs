//! A model of a provider, from settings to replies.

use std::fmt;

use async_trait::async_trait;
use futures_util::StreamExt;
use rig_core::DynModel;
use rig_core::completion::CompletionRequest;
use rig_core::message::ToolChoice;
use rig_core::operation::Completion;
use rig_core::providers::anthropic::wire::AnthropicConfig;
use rig_core::providers::gemini::GeminiConfig;
use rig_core::providers::ollama::OllamaConfig;
use rig_core::providers::openai::OpenAIConfig;
use rig_core::providers::openai::wire::Auth;
use rig_core::streaming::{Item, StreamEvent};
use toolstile_agent::{ChatModel, ChatReply, ChatRequest, ModelError, OnText};

use crate::error::Failures;
use crate::profile::NameMap;
use crate::provider::Provider;
use crate::reply::{RawArguments, chat_reply};
use crate::request::RequestBuilder;
use crate::settings::{ConnectError, ModelSettings};
use crate::transport::Transport;

/// Tokens of a reply where Anthropic wants a number, the caller gave none and the model
/// is not known.
const ANTHROPIC_MAX_TOKENS: u64 = 8192;

/// A model of a provider.
pub struct ProviderModel {
    provider: Provider,
    name: String,
    model: DynModel<Completion>,
    default_max_tokens: Option<u64>,
    failures: Failures,
}

/// Sets a model up. Nothing is sent yet.
///
/// # Errors
/// [`ConnectError`].
pub fn connect(settings: ModelSettings) -> Result<ProviderModel, ConnectError> {
    let key = settings.checked_key()?;
    let url = settings.checked_base_url()?;
    let transport = Transport::new(&url)?;
    let base = url.as_str().trim_end_matches('/').to_owned();
    let secret = key.clone().unwrap_or_default();
    let ModelSettings { provider, name, .. } = settings;
    let mut default_max_tokens = None;
    let model = match provider {
        Provider::OpenAi => {
            let config = OpenAIConfig::new(secret).with_base_url(base);
            config.with_auth(Auth::OptionalBearer).connect(transport).chat(&name).erase()
        }
        Provider::Anthropic => {
            let config = AnthropicConfig::new(secret).with_base_url(base);
            if config.dialect.default_max_tokens(&name).is_none() {
                default_max_tokens = Some(ANTHROPIC_MAX_TOKENS);
            }
            config.connect(transport).completion(&name).erase()
        }
        Provider::Gemini => {
            // The library writes the key into the URL; it gets none to write.
            let transport = transport.with_google_key(&secret)?;
            let config = GeminiConfig::new(String::new()).with_base_url(base);
            config.connect(transport).completion(&name).erase()
        }
        Provider::Ollama => {
            let config = OllamaConfig::new().with_base_url(base).with_api_key(secret);
            config.connect(transport).native_completion(&name).erase()
        }
    };
    Ok(ProviderModel { provider, name, model, default_max_tokens, failures: Failures::new(key) })
}

impl ProviderModel {
    fn prepare(
        &self,
        request: &ChatRequest<'_>,
    ) -> Result<(CompletionRequest, NameMap), ModelError> {
        let names = self.provider.profile().names(request.tools);
        let mut built = RequestBuilder::new(self.provider, &names)
            .build(request)
            .map_err(|text| self.failures.refused(&text))?;
        built.max_tokens = built.max_tokens.or(self.default_max_tokens);
        // Such a model would refuse the whole request. The agent does not rely on the
        // provider for what it requires.
        if self.model.capabilities().completion.rejects_forced_tool_choice {
            built.tool_choice = built.tool_choice.filter(|choice| *choice == ToolChoice::None);
        }
        Ok((built, names))
    }
}

#[async_trait]
impl ChatModel for ProviderModel {
    fn provider(&self) -> &str {
        self.provider.as_str()
    }

    fn name(&self) -> &str {
        &self.name
    }

    async fn reply(&self, request: &ChatRequest<'_>) -> Result<ChatReply, ModelError> {
        let (built, names) = self.prepare(request)?;
        let response = self.model.call(built).await;
        let response = response.map_err(|error| self.failures.map_whole(error))?;
        Ok(chat_reply(response, &names, RawArguments::default()))
    }

    async fn stream(
        &self,
        request: &ChatRequest<'_>,
        on_text: OnText<'_>,
    ) -> Result<ChatReply, ModelError> {
        let (built, names) = self.prepare(request)?;
        let mut stream = self.model.stream(built).map_err(|error| self.failures.map(error))?;
        let mut raw = RawArguments::default();
        while let Some(item) = stream.next().await {
            let Item::Event(event) = item.map_err(|error| self.failures.map(error))? else {
                continue;
            };
            if let StreamEvent::Text { text, .. } = &event
                && !text.is_empty()
            {
                on_text(text);
            }
            raw.note(&event);
        }
        let response = stream.finish().await.map_err(|error| self.failures.map(error))?;
        Ok(chat_reply(response, &names, raw))
    }
}

impl fmt::Debug for ProviderModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderModel")
            .field("provider", &self.provider)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
