//! A tool of a component, as the gates know it.

use std::sync::Arc;

use async_trait::async_trait;
use toolstile_core::{
    Arguments, Assessment, Attachment, CallContext, CapabilityUse, FailureKind, JsonLimits, Status,
    Tool, ToolDefinition, ToolError, ToolResponse, Violation, parse_json,
};

use crate::assess;
use crate::bindings::tool::ToolResponse as GuestResponse;
use crate::bindings::types::{Attachment as GuestAttachment, Status as GuestStatus};
use crate::instance::Instantiable;

/// One tool of a loaded component.
#[derive(Debug, Clone)]
pub struct WasmTool {
    pub(crate) definition: ToolDefinition,
    pub(crate) capabilities: CapabilityUse,
    pub(crate) instantiable: Arc<Instantiable>,
}

#[async_trait]
impl Tool for WasmTool {
    fn definition(&self) -> ToolDefinition {
        self.definition.clone()
    }

    fn content_digest(&self) -> Option<String> {
        Some(self.instantiable.component_sha256.to_string())
    }

    fn capabilities(&self) -> CapabilityUse {
        self.capabilities.clone()
    }

    fn assess(&self, arguments: &Arguments) -> Result<Assessment, Vec<Violation>> {
        let Instantiable { grants, plugin, .. } = &*self.instantiable;
        assess::assess(grants, plugin, &self.definition.input_schema, arguments)
    }

    async fn call(
        &self,
        arguments: &Arguments,
        context: &CallContext,
    ) -> Result<ToolResponse, ToolError> {
        let name = self.definition.name.as_str();
        let grants = &self.instantiable.grants;
        let commands = assess::commands(grants, &self.definition.input_schema, arguments);
        let called = self.instantiable.call(name, arguments.to_json(), commands, context);
        let response = called.await?;
        convert(response, self.instantiable.limits.response_bytes)
    }
}

fn convert(response: GuestResponse, max_bytes: u64) -> Result<ToolResponse, ToolError> {
    check_size(&response, max_bytes)?;
    let data = response.data.map(|text| parse_json(&text, JsonLimits::DATA)).transpose();
    let data = data.map_err(|error| {
        ToolError::new(FailureKind::Contract, format!("the data of the response: {error}"))
    })?;
    let status = match response.status {
        GuestStatus::Success => Status::Success,
        GuestStatus::Partial => Status::Partial,
        GuestStatus::Error => Status::Error,
    };
    let attachments = response.attachments.into_iter().map(convert_attachment).collect();
    Ok(ToolResponse { text: response.text, status, data, attachments })
}

fn check_size(response: &GuestResponse, max_bytes: u64) -> Result<(), ToolError> {
    let attachments = response.attachments.iter().map(attachment_bytes).sum::<usize>();
    let data = response.data.as_ref().map_or(0, String::len);
    let bytes = (response.text.len() + data + attachments) as u64;
    if bytes <= max_bytes {
        return Ok(());
    }
    let detail = format!("the response has {bytes} bytes, at most {max_bytes} (`response_bytes`)");
    Err(ToolError::new(FailureKind::HostData, detail))
}

pub(crate) fn attachment_bytes(attachment: &GuestAttachment) -> usize {
    let optional = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    match attachment {
        GuestAttachment::Image(media) | GuestAttachment::Audio(media) => {
            media.mime_type.len() + media.data.len()
        }
        GuestAttachment::ResourceLink(link) => {
            link.uri.len() + link.name.len() + optional(&link.mime_type)
        }
        GuestAttachment::Embedded(resource) => {
            resource.uri.len() + resource.data.len() + optional(&resource.mime_type)
        }
    }
}

pub(crate) fn convert_attachment(attachment: GuestAttachment) -> Attachment {
    match attachment {
        GuestAttachment::Image(media) => {
            Attachment::Image { mime_type: media.mime_type, data: media.data }
        }
        GuestAttachment::Audio(media) => {
            Attachment::Audio { mime_type: media.mime_type, data: media.data }
        }
        GuestAttachment::ResourceLink(link) => {
            Attachment::ResourceLink { uri: link.uri, name: link.name, mime_type: link.mime_type }
        }
        GuestAttachment::Embedded(resource) => Attachment::Embedded {
            uri: resource.uri,
            mime_type: resource.mime_type,
            data: resource.data,
        },
    }
}
