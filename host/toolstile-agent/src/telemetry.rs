//! Spans after the OpenTelemetry semantic conventions for generative AI: `invoke_agent`
//! around a run, `chat` around a request to a model, `execute_tool` around a call.
//!
//! What people and models say does not stand in them. Arguments and results of calls are
//! opt-in, as the conventions want it, and pass a [`TraceRedactor`](crate::TraceRedactor).

use toolstile_core::Completion;
use tracing::{Span, field, info_span};

use crate::agent::Parts;
use crate::message::ToolCall;
use crate::model::{ChatReply, ModelError};
use crate::outcome::{RunError, RunId};
use crate::redaction::TraceRedactor;

pub(crate) fn run_span(agent: &Parts, run: &RunId) -> Span {
    info_span!(
        "invoke_agent",
        otel.name = format!("invoke_agent {}", agent.name),
        otel.kind = "internal",
        otel.status_code = field::Empty,
        gen_ai.operation.name = "invoke_agent",
        gen_ai.provider.name = agent.model.provider(),
        gen_ai.request.model = agent.model.name(),
        gen_ai.agent.name = agent.name,
        gen_ai.conversation.id = run.as_str(),
        error.r#type = field::Empty,
    )
}

pub(crate) fn failed(span: &Span, error: &RunError) {
    span.record("otel.status_code", "error");
    span.record("error.type", error.kind());
}

pub(crate) fn chat_span(agent: &Parts) -> Span {
    info_span!(
        "chat",
        otel.name = format!("chat {}", agent.model.name()),
        otel.kind = "client",
        otel.status_code = field::Empty,
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = agent.model.provider(),
        gen_ai.request.model = agent.model.name(),
        gen_ai.response.finish_reasons = field::Empty,
        gen_ai.usage.input_tokens = field::Empty,
        gen_ai.usage.output_tokens = field::Empty,
        error.r#type = field::Empty,
    )
}

pub(crate) fn replied(span: &Span, reply: &Result<ChatReply, ModelError>) {
    match reply {
        Ok(reply) => {
            span.record("gen_ai.response.finish_reasons", reply.finish.as_str());
            span.record("gen_ai.usage.input_tokens", reply.usage.input_tokens);
            span.record("gen_ai.usage.output_tokens", reply.usage.output_tokens);
        }
        Err(error) => {
            span.record("otel.status_code", "error");
            span.record("error.type", error.kind());
        }
    }
}

/// The span of a call, with its arguments where they are wanted.
pub(crate) fn tool_span(call: &ToolCall, content: Option<&TraceRedactor>) -> Span {
    let name: String = call.name.chars().take(64).collect();
    let span = info_span!(
        "execute_tool",
        otel.name = format!("execute_tool {name}"),
        otel.kind = "internal",
        otel.status_code = field::Empty,
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = name,
        gen_ai.tool.r#type = "function",
        gen_ai.tool.call.id = call.id,
        gen_ai.tool.call.arguments = field::Empty,
        gen_ai.tool.call.result = field::Empty,
        toolstile.tool.origin = field::Empty,
        toolstile.outcome = field::Empty,
        error.r#type = field::Empty,
    );
    if let Some(redactor) = content {
        // Read as JSON, so that the names of members count.
        let arguments = match serde_json::from_str(&call.arguments) {
            Ok(arguments) => redactor.export(&arguments).to_string(),
            Err(_) => redactor.text(&call.arguments),
        };
        span.record("gen_ai.tool.call.arguments", arguments);
    }
    span
}

pub(crate) fn completed(span: &Span, completion: &Completion, content: Option<&TraceRedactor>) {
    if let Some(redactor) = content {
        span.record("gen_ai.tool.call.result", redactor.text(&completion.response().text));
    }
    let record = &completion.record;
    if let Some(origin) = &record.origin {
        span.record("toolstile.tool.origin", origin.to_string());
    }
    span.record("toolstile.outcome", record.outcome);
    if let Some(reason) = record.reason {
        span.record("otel.status_code", "error");
        span.record("error.type", reason);
    }
}
