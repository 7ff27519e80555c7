//! Tools and their answers in the words of the protocol.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, ContentBlock, JsonObject, MetaObject, Resource, ResourceContents, Tool,
    ToolAnnotations,
};
use serde_json::Value;
use toolstile_core::{
    Attachment, Completion, Gate, RegisteredTool, Status, Stop, ToolSchema, ToolTraits,
};

/// A tool as clients list it: what it says about itself, and where it came from.
pub(crate) fn listed(tool: &RegisteredTool) -> Tool {
    let definition = &tool.definition;
    let description = definition.description.clone();
    let mut listed =
        Tool::new(definition.name.to_string(), description, object(&definition.input_schema));
    if let Some(title) = &definition.title {
        listed = listed.with_title(title.clone());
    }
    if let Some(schema) = &definition.output_schema {
        listed = listed.with_raw_output_schema(object(schema));
    }
    if let Some(annotations) = annotations(definition.traits) {
        listed = listed.with_annotations(annotations);
    }
    let mut meta = MetaObject::new();
    meta.insert("toolstile/origin".to_owned(), Value::String(tool.origin.to_string()));
    listed.with_meta(meta)
}

fn object(schema: &ToolSchema) -> Arc<JsonObject> {
    Arc::new(schema.as_value().as_object().cloned().unwrap_or_default())
}

/// What the tool claims, and nothing for what it does not mention.
fn annotations(traits: ToolTraits) -> Option<ToolAnnotations> {
    let claimed = |is: bool| is.then_some(true);
    let annotations = ToolAnnotations::from_raw(
        None,
        claimed(traits.read_only),
        claimed(traits.destructive),
        claimed(traits.idempotent),
        claimed(traits.open_world),
    );
    (annotations != ToolAnnotations::new()).then_some(annotations)
}

/// What became of a call. What the tool or a gate says is for the model to read; only a
/// tool that is not there is an error of the protocol (MCP 2026-07-28, "Error Handling").
/// Before that revision structured content is an object or is not there.
pub(crate) fn result(
    completion: &Completion,
    objects_only: bool,
) -> Result<CallToolResult, ErrorData> {
    if let Err(Stop::Refused(refusal)) = &completion.result
        && matches!(refusal.gate(), Gate::Registry | Gate::Permissions)
    {
        return Err(ErrorData::invalid_params(completion.response().text, None));
    }
    let response = completion.response();
    let text = match response.status {
        Status::Partial => completion.model_text(),
        Status::Success | Status::Error => completion.model_body(),
    };
    let mut content = Vec::new();
    if !text.is_empty() || response.attachments.is_empty() {
        content.push(ContentBlock::text(text));
    }
    content.extend(response.attachments.iter().map(block));
    let described = completion.tool.as_ref().is_some_and(|t| t.definition.output_schema.is_some());
    if let Some(data) = response.data.as_ref().filter(|_| described) {
        // For clients that do not know structured content.
        let json = data.to_string();
        if json != response.text && data.as_str() != Some(&response.text) {
            content.push(ContentBlock::text(json));
        }
    }
    let mut result = match response.status {
        Status::Error => CallToolResult::error(content),
        Status::Success | Status::Partial => CallToolResult::success(content),
    };
    result.structured_content = response.data.filter(|data| data.is_object() || !objects_only);
    Ok(result)
}

/// Content beside the text.
pub(crate) fn block(attachment: &Attachment) -> ContentBlock {
    match attachment {
        Attachment::Image { mime_type, data } => {
            ContentBlock::image(BASE64_STANDARD.encode(data), mime_type)
        }
        Attachment::Audio { mime_type, data } => {
            ContentBlock::audio(BASE64_STANDARD.encode(data), mime_type)
        }
        Attachment::ResourceLink { uri, name, mime_type } => {
            let link = Resource::new(uri, name);
            ContentBlock::resource_link(match mime_type {
                Some(mime_type) => link.with_mime_type(mime_type),
                None => link,
            })
        }
        Attachment::Embedded { uri, mime_type, data } => {
            ContentBlock::resource(contents(uri, mime_type.as_deref(), data))
        }
    }
}

/// A resource with its content: as text where it is text.
pub(crate) fn contents(uri: &str, mime_type: Option<&str>, data: &[u8]) -> ResourceContents {
    let textual = mime_type.is_some_and(is_text);
    let contents = match std::str::from_utf8(data) {
        Ok(text) if textual => ResourceContents::text(text, uri),
        _ => ResourceContents::blob(BASE64_STANDARD.encode(data), uri),
    };
    match mime_type {
        Some(mime_type) => contents.with_mime_type(mime_type),
        None => contents,
    }
}

fn is_text(mime_type: &str) -> bool {
    let essence = mime_type.split(';').next().unwrap_or_default().trim();
    essence.starts_with("text/")
        || ["json", "xml", "yaml", "javascript"].iter().any(|kind| {
            essence.strip_prefix("application/").is_some_and(|rest| rest.ends_with(kind))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_from_bytes_by_its_media_type() {
        for (mime_type, text) in [
            ("text/plain", true),
            ("text/html; charset=utf-8", true),
            ("application/json", true),
            ("application/ld+json", true),
            ("application/octet-stream", false),
            ("image/svg+xml", false),
        ] {
            assert_eq!(is_text(mime_type), text, "{mime_type}");
        }
        let blob = contents("a:b", Some("text/plain"), b"\xff");
        assert!(matches!(blob, ResourceContents::BlobResourceContents { .. }));
    }
}
