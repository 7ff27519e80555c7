//! The prompts of a component: texts that a person begins a conversation with.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use toolstile_core::{
    CallContext, CompletionOf, FailureKind, OfferError, Prompt, PromptArgument, PromptContent,
    PromptDefinition, PromptMessage, PromptRole, Prompts, Redactor, ToolError, ToolName,
};

use crate::bindings::prompts as guest;
use crate::bindings::types::Error;
use crate::error::LoadError;
use crate::grants::Grants;
use crate::instance::Instantiable;
use crate::offer::{check_size, refused, short};
use crate::tool::{attachment_bytes, convert_attachment};

/// Prompts of one plugin.
const MAX_PROMPTS: usize = 128;
/// Arguments of one prompt.
const MAX_ARGUMENTS: usize = 32;
/// Completions that one answer may hold; the protocol shows no more (MCP 2026-07-28,
/// `completion/complete`).
const MAX_COMPLETIONS: usize = 100;

/// The prompts of a loaded component.
#[derive(Debug, Clone)]
pub struct WasmPrompts {
    instantiable: Arc<Instantiable>,
    /// What filling in may use.
    grants: Arc<Grants>,
    definitions: Vec<PromptDefinition>,
}

impl WasmPrompts {
    /// Asks for the prompts; `None` for a component that has none.
    pub(crate) async fn of(instantiable: &Arc<Instantiable>) -> Result<Option<Self>, LoadError> {
        if instantiable.exports.prompts.is_none() {
            return Ok(None);
        }
        let listed = instantiable.list_prompts().await;
        let listed = listed.map_err(|error| LoadError::ListOffers { what: "prompts", error })?;
        if listed.len() > MAX_PROMPTS {
            let (what, count, max) = ("prompts", listed.len(), MAX_PROMPTS);
            return Err(LoadError::OfferCount { what, count, max });
        }
        let definitions = listed.into_iter().map(definition).collect::<Option<Vec<_>>>();
        let definitions = definitions.ok_or(LoadError::Offer("prompt"))?;
        let names: BTreeSet<&str> = definitions.iter().map(|prompt| prompt.name.as_str()).collect();
        if names.len() < definitions.len() {
            return Err(LoadError::Offer("prompt"));
        }
        let grants = Arc::clone(&instantiable.grants);
        Ok(Some(Self { instantiable: Arc::clone(instantiable), grants, definitions }))
    }

    /// The same with nothing granted that reaches out of the call.
    #[must_use]
    pub fn without_grants(&self) -> Self {
        Self { grants: Arc::new(self.grants.harmless()), ..self.clone() }
    }

    fn check_arguments(
        &self,
        name: &str,
        arguments: &[(String, String)],
    ) -> Result<(), OfferError> {
        let prompt = self.definitions.iter().find(|prompt| prompt.name == name);
        let missing = || OfferError::NotFound(format!("there is no prompt `{name}`"));
        let known = &prompt.ok_or_else(missing)?.arguments;
        let given = |argument: &PromptArgument| arguments.iter().any(|(n, _)| *n == argument.name);
        if let Some(absent) = known.iter().find(|argument| argument.required && !given(argument)) {
            let text = format!("the prompt `{name}` needs the argument `{}`", absent.name);
            return Err(OfferError::Refused(text));
        }
        match arguments.iter().find(|(n, _)| known.iter().all(|argument| argument.name != *n)) {
            None => Ok(()),
            Some((unknown, _)) => {
                let text = format!("the prompt `{name}` has no argument `{unknown}`");
                Err(OfferError::Refused(text))
            }
        }
    }
}

#[async_trait]
impl Prompts for WasmPrompts {
    fn list(&self) -> Vec<PromptDefinition> {
        self.definitions.clone()
    }

    async fn get(
        &self,
        name: &str,
        arguments: Vec<(String, String)>,
        context: &CallContext,
    ) -> Result<Prompt, OfferError> {
        self.check_arguments(name, &arguments)?;
        let redactor = &self.instantiable.shared.redactor;
        let got = self.instantiable.get_prompt(name, &arguments, &self.grants, context).await;
        let prompt = got.map_err(OfferError::Failed)?.map_err(|error| refused(error, redactor))?;
        let sizes = prompt.messages.iter().map(|message| match &message.content {
            guest::PromptContent::Text(text) => text.len(),
            guest::PromptContent::Attachment(attachment) => attachment_bytes(attachment),
        });
        check_size(sizes, &self.instantiable.limits)?;
        let messages = prompt.messages.into_iter().map(|said| message(said, redactor)).collect();
        Ok(Prompt { description: prompt.description, messages })
    }

    async fn complete(
        &self,
        of: CompletionOf,
        argument: &str,
        value: &str,
        given: Vec<(String, String)>,
        context: &CallContext,
    ) -> Result<Vec<String>, OfferError> {
        let of = match of {
            CompletionOf::Prompt(name) => guest::Reference::Prompt(name),
            CompletionOf::ResourceTemplate(uri) => guest::Reference::ResourceTemplate(uri),
        };
        let question = (&of, argument, value, &given[..]);
        let values = self.instantiable.complete(question, &self.grants, context).await;
        let mut values = values.map_err(OfferError::Failed)?;
        values.truncate(MAX_COMPLETIONS);
        check_size(values.iter().map(String::len), &self.instantiable.limits)?;
        Ok(values)
    }
}

/// What is to be completed: of what, which argument, its beginning, and what is given.
type Unfinished<'a> = (&'a guest::Reference, &'a str, &'a str, &'a [(String, String)]);

impl Instantiable {
    async fn list_prompts(&self) -> Result<Vec<guest::PromptDefinition>, ToolError> {
        let Some(prompts) = &self.exports.prompts else { return Ok(Vec::new()) };
        self.listing(async |store, instance| {
            prompts.load(&mut *store, instance)?.call_list_prompts(store).await
        })
        .await
    }

    async fn get_prompt(
        &self,
        name: &str,
        arguments: &[(String, String)],
        grants: &Arc<Grants>,
        context: &CallContext,
    ) -> Result<Result<guest::Prompt, Error>, ToolError> {
        let Some(prompts) = &self.exports.prompts else { return Err(none()) };
        self.asking(grants, context, async |store, instance| {
            prompts.load(&mut *store, instance)?.call_get_prompt(store, name, arguments).await
        })
        .await
    }

    async fn complete(
        &self,
        (of, argument, value, given): Unfinished<'_>,
        grants: &Arc<Grants>,
        context: &CallContext,
    ) -> Result<Vec<String>, ToolError> {
        let Some(prompts) = &self.exports.prompts else { return Ok(Vec::new()) };
        self.asking(grants, context, async |store, instance| {
            let prompts = prompts.load(&mut *store, instance)?;
            prompts.call_complete(store, of, argument, value, given).await
        })
        .await
    }
}

fn none() -> ToolError {
    ToolError::new(FailureKind::Contract, "it has no prompts")
}

fn definition(listed: guest::PromptDefinition) -> Option<PromptDefinition> {
    if listed.arguments.len() > MAX_ARGUMENTS {
        return None;
    }
    Some(PromptDefinition {
        name: ToolName::parse(&listed.name).ok()?.to_string(),
        title: short(listed.title)?,
        description: short(listed.description)?,
        arguments: listed.arguments.into_iter().map(argument).collect::<Option<_>>()?,
    })
}

fn argument(listed: guest::PromptArgument) -> Option<PromptArgument> {
    Some(PromptArgument {
        name: ToolName::parse(&listed.name).ok()?.to_string(),
        title: short(listed.title)?,
        description: short(listed.description)?,
        required: listed.required,
    })
}

fn message(message: guest::PromptMessage, redactor: &Redactor) -> PromptMessage {
    PromptMessage {
        role: match message.role {
            guest::Role::User => PromptRole::User,
            guest::Role::Assistant => PromptRole::Assistant,
        },
        content: match message.content {
            guest::PromptContent::Text(text) => PromptContent::Text(redactor.owned(text)),
            guest::PromptContent::Attachment(attachment) => {
                PromptContent::Attachment(redactor.attachment(convert_attachment(attachment)))
            }
        },
    }
}
