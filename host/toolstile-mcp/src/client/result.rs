//! What a server answers to a call, within bounds.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;
use toolstile_core::{Attachment, JsonLimits, Status, ToolResponse};

use super::clean::clean;

/// Blocks of one answer.
const MAX_BLOCKS: usize = 512;

/// Characters of a name or a URI.
const MAX_LABEL: usize = 500;

/// What stands in place of an answer without text.
const NO_TEXT: &str = "(the tool answered without text)";

/// An answer for the model: its texts in order, a line for everything else, which is
/// attached; structured content as data. What was cut makes the answer incomplete.
pub(crate) fn response(result: CallToolResult, max_chars: usize) -> ToolResponse {
    let mut cut = result.content.len() > MAX_BLOCKS;
    let (mut text, mut attachments) = (String::new(), Vec::new());
    for block in result.content.into_iter().take(MAX_BLOCKS) {
        let (line, attachment) = read(block);
        attachments.extend(attachment);
        cut |= !append(&mut text, &line, max_chars);
    }
    let data = result.structured_content.filter(|data| {
        let fits = fits(data, max_chars);
        cut |= !fits;
        fits
    });
    if text.is_empty() {
        text.push_str(NO_TEXT);
    }
    let status = match (result.is_error, cut) {
        (Some(true), _) => Status::Error,
        (_, true) => Status::Partial,
        _ => Status::Success,
    };
    ToolResponse { text, status, data, attachments }
}

/// Appends a line, or as much of it as there is room for; `false` when something is lost.
fn append(text: &mut String, line: &str, max_chars: usize) -> bool {
    let separator = usize::from(!text.is_empty());
    let room = max_chars.saturating_sub(text.chars().count());
    if line.is_empty() {
        return true;
    }
    if room <= separator {
        return false;
    }
    if separator == 1 {
        text.push('\n');
    }
    let (line, cut) = clean(line, room - separator);
    text.push_str(&line);
    !cut
}

fn fits(data: &Value, max_chars: usize) -> bool {
    let bytes = max_chars.saturating_mul(4).clamp(64, JsonLimits::DATA.bytes);
    JsonLimits::DATA.check(data).is_ok() && data.to_string().len() <= bytes
}

/// A block as a line of text, and as an attachment where it is more than text.
fn read(block: ContentBlock) -> (String, Option<Attachment>) {
    match block {
        ContentBlock::Text(text) => (text.text, None),
        ContentBlock::Image(image) => media("image", &image.data, image.mime_type, |m, data| {
            Attachment::Image { mime_type: m, data }
        }),
        ContentBlock::Audio(audio) => media("audio", &audio.data, audio.mime_type, |m, data| {
            Attachment::Audio { mime_type: m, data }
        }),
        ContentBlock::ResourceLink(link) => {
            let (uri, name) = (label(&link.uri), label(&link.name));
            let mime_type = link.mime_type.map(|mime_type| label(&mime_type));
            let line = format!("[link to `{name}`: {uri}]");
            (line, Some(Attachment::ResourceLink { uri, name, mime_type }))
        }
        ContentBlock::Resource(resource) => embedded(resource.resource),
        _ => ("[content of a kind that is not known]".to_owned(), None),
    }
}

fn media(
    kind: &str,
    encoded: &str,
    mime_type: String,
    attach: impl FnOnce(String, Vec<u8>) -> Attachment,
) -> (String, Option<Attachment>) {
    let mime_type = label(&mime_type);
    match BASE64_STANDARD.decode(encoded) {
        Ok(data) => {
            let line = format!("[{kind}: {mime_type}, {} bytes]", data.len());
            (line, Some(attach(mime_type, data)))
        }
        Err(_) => (format!("[{kind}: {mime_type}, not valid base64]"), None),
    }
}

/// A contained resource: its text belongs into the text.
fn embedded(resource: ResourceContents) -> (String, Option<Attachment>) {
    match resource {
        ResourceContents::TextResourceContents { uri, mime_type, text, .. } => {
            let (uri, mime_type) = (label(&uri), mime_type.map(|mime_type| label(&mime_type)));
            let line = format!("[resource {uri}]\n{text}");
            let data = text.into_bytes();
            (line, Some(Attachment::Embedded { uri, mime_type, data }))
        }
        ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
            let (uri, mime_type) = (label(&uri), mime_type.map(|mime_type| label(&mime_type)));
            match BASE64_STANDARD.decode(blob) {
                Ok(data) => {
                    let line = format!("[resource {uri}, {} bytes]", data.len());
                    (line, Some(Attachment::Embedded { uri, mime_type, data }))
                }
                Err(_) => (format!("[resource {uri}, not valid base64]"), None),
            }
        }
        _ => ("[resource of a kind that is not known]".to_owned(), None),
    }
}

fn label(text: &str) -> String {
    clean(text, MAX_LABEL).0
}
