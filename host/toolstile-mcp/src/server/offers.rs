//! Resources and prompts in the words of the protocol.

use rmcp::ErrorData;
use rmcp::model::{
    GetPromptResult, Prompt, PromptArgument, PromptMessage, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate, Role,
};
use serde_json::json;
use toolstile_core as core;
use toolstile_core::{OfferError, PromptContent, PromptRole, ResourceBody};

use super::tools::{block, contents};

pub(crate) fn resource(resource: core::Resource) -> Resource {
    let mut listed = Resource::new(resource.uri, resource.name);
    listed.title = resource.title;
    listed.description = resource.description;
    listed.mime_type = resource.mime_type;
    listed
}

pub(crate) fn template(template: core::ResourceTemplate) -> ResourceTemplate {
    let mut listed = ResourceTemplate::new(template.uri_template, template.name);
    listed.title = template.title;
    listed.description = template.description;
    listed.mime_type = template.mime_type;
    listed
}

/// What a resource holds. `-32602` or, before 2026-07-28, `-32002` when it is not there.
pub(crate) fn read(
    uri: &str,
    read: Result<Vec<core::ResourceContent>, OfferError>,
) -> Result<ReadResourceResult, ErrorData> {
    let parts = read.map_err(|error| match error {
        OfferError::NotFound(message) => {
            ErrorData::resource_not_found(message, Some(json!({ "uri": uri })))
        }
        error => failed(&error),
    })?;
    Ok(ReadResourceResult::new(parts.into_iter().map(part).collect()))
}

fn part(part: core::ResourceContent) -> ResourceContents {
    match part.body {
        ResourceBody::Bytes(bytes) => contents(&part.uri, part.mime_type.as_deref(), &bytes),
        ResourceBody::Text(text) => {
            let contents = ResourceContents::text(text, part.uri);
            match part.mime_type {
                Some(mime_type) => contents.with_mime_type(mime_type),
                None => contents,
            }
        }
    }
}

pub(crate) fn prompt(prompt: core::PromptDefinition) -> Prompt {
    let argument = |argument: core::PromptArgument| {
        let mut listed = PromptArgument::new(argument.name).with_required(argument.required);
        listed.title = argument.title;
        listed.description = argument.description;
        listed
    };
    let arguments: Vec<_> = prompt.arguments.into_iter().map(argument).collect();
    let mut listed = Prompt::new(prompt.name, prompt.description, Some(arguments));
    listed.title = prompt.title;
    listed
}

pub(crate) fn filled_in(
    got: Result<core::Prompt, OfferError>,
) -> Result<GetPromptResult, ErrorData> {
    let prompt = got.map_err(|error| failed(&error))?;
    let message = |message: core::PromptMessage| {
        let role = match message.role {
            PromptRole::User => Role::User,
            PromptRole::Assistant => Role::Assistant,
        };
        match message.content {
            PromptContent::Text(text) => PromptMessage::new_text(role, text),
            PromptContent::Attachment(attachment) => PromptMessage::new(role, block(&attachment)),
        }
    };
    let mut result = GetPromptResult::new(prompt.messages.into_iter().map(message).collect());
    result.description = prompt.description;
    Ok(result)
}

/// What was asked for cannot be had: `-32602` where something else should be asked,
/// `-32603` where whoever offers it failed.
pub(crate) fn failed(error: &OfferError) -> ErrorData {
    match error {
        OfferError::Failed(_) => ErrorData::internal_error(error.to_string(), None),
        _ => ErrorData::invalid_params(error.to_string(), None),
    }
}
