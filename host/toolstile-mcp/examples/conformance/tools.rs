//! The tools that answer by themselves.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use toolstile_core::{Attachment, CallContext, Level, Progress, ToolRegistry, ToolResponse};

use crate::native::Native;

/// One red pixel.
pub(crate) const PIXEL: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52, 0, 0, 0,
    1, 0, 0, 0, 1, 8, 2, 0, 0, 0, 0x90, 0x77, 0x53, 0xde, 0, 0, 0, 0x0c, 0x49, 0x44, 0x41, 0x54,
    0x08, 0xd7, 0x63, 0xf8, 0xcf, 0xc0, 0, 0, 0x03, 0x01, 0x01, 0, 0x18, 0xdd, 0x8d, 0xb0, 0, 0, 0,
    0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];

/// No sound at all.
const SILENCE: &[u8] =
    b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\0\0\0\0";

const PAUSE: Duration = Duration::from_millis(50);

pub(crate) fn all(registry: &Arc<ToolRegistry>, more_prompts: &Arc<AtomicBool>) -> Vec<Native> {
    let text = || ToolResponse::success("This is a simple text response for testing.");
    let error = || ToolResponse::error("This tool intentionally returns an error for testing");
    let mixed = || {
        let mut answer = with("Multiple content types test:", image());
        let data = br#"{"test":"data","value":123}"#;
        answer.attachments.push(embedded(
            "test://mixed-content-resource",
            "application/json",
            data,
        ));
        answer
    };
    let resource = || {
        let data = b"This is an embedded resource content.";
        with("", embedded("test://embedded-resource", "text/plain", data))
    };
    let sound = || {
        let (mime_type, data) = ("audio/wav".to_owned(), SILENCE.to_vec());
        with("", Attachment::Audio { mime_type, data })
    };
    vec![
        constant("test_simple_text", text),
        constant("test_image_content", || with("", image())),
        constant("test_audio_content", sound),
        constant("test_embedded_resource", resource),
        constant("test_multiple_content_types", mixed),
        constant("test_error_handling", error),
        constant("test_reconnection", || ToolResponse::success("still here")),
        Native::new("test_tool_with_progress", "Reports.", none(), |_, c| Box::pin(progress(c))),
        Native::new("test_tool_with_logging", "Logs.", none(), |_, c| Box::pin(logging(c))),
        Native::new("test_logging_tool", "Logs.", none(), |_, c| Box::pin(logging(c))),
        Native::new("json_schema_2020_12_tool", "Has a rich schema.", rich_schema(), |_, _| {
            Box::pin(async { ToolResponse::success("valid") })
        }),
        Native::new("test_custom_header", "Has an argument in a header.", header(), |_, _| {
            Box::pin(async { ToolResponse::success("called") })
        }),
        tool_change(registry),
        prompt_change(registry, more_prompts),
    ]
}

pub(crate) fn none() -> Value {
    json!({"type": "object", "properties": {}})
}

fn constant(name: &str, answer: impl Fn() -> ToolResponse + Send + Sync + 'static) -> Native {
    Native::new(name, "Answers the same every time.", none(), move |_, _| {
        let answer = answer();
        Box::pin(async move { answer })
    })
}

fn with(text: &str, attachment: Attachment) -> ToolResponse {
    let mut answer = ToolResponse::success(text);
    answer.attachments.push(attachment);
    answer
}

pub(crate) fn image() -> Attachment {
    Attachment::Image { mime_type: "image/png".to_owned(), data: PIXEL.to_vec() }
}

pub(crate) fn embedded(uri: &str, mime_type: &str, data: &[u8]) -> Attachment {
    let (uri, mime_type) = (uri.to_owned(), Some(mime_type.to_owned()));
    Attachment::Embedded { uri, mime_type, data: data.to_vec() }
}

async fn progress(context: CallContext) -> ToolResponse {
    for done in [0.0, 50.0, 100.0] {
        context.report(&Progress { done, total: Some(100.0), message: None });
        tokio::time::sleep(PAUSE).await;
    }
    ToolResponse::success("done")
}

async fn logging(context: CallContext) -> ToolResponse {
    for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        context.log(Level::Info, line);
        tokio::time::sleep(PAUSE).await;
    }
    ToolResponse::success("done")
}

fn rich_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {
            "$anchor": "addressDef", "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }},
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}

fn header() -> Value {
    let region = json!({"type": "string", "x-mcp-header": "Region"});
    json!({"type": "object", "properties": {"region": region}})
}

/// Comes and goes with each call.
fn tool_change(registry: &Arc<ToolRegistry>) -> Native {
    let registry = Arc::downgrade(registry);
    Native::new("test_trigger_tool_change", "Changes the tools.", none(), move |_, _| {
        if let Some(registry) = registry.upgrade() {
            toggle(&registry);
        }
        Box::pin(async { ToolResponse::success("changed") })
    })
}

/// Lists are looked at again when the tools change.
fn prompt_change(registry: &Arc<ToolRegistry>, more: &Arc<AtomicBool>) -> Native {
    let (registry, more) = (Arc::downgrade(registry), Arc::clone(more));
    Native::new("test_trigger_prompt_change", "Changes the prompts.", none(), move |_, _| {
        more.fetch_xor(true, Ordering::SeqCst);
        if let Some(registry) = registry.upgrade() {
            toggle(&registry);
        }
        Box::pin(async { ToolResponse::success("changed") })
    })
}

fn toggle(registry: &ToolRegistry) {
    if registry.unregister("test_late").is_none() {
        let late = constant("test_late", || ToolResponse::success("late"));
        // Another call may have been quicker, which is a change too.
        let _ = registry.register(late.registered());
    }
}
