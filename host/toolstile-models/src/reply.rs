//! What a model answered, in the words of the agent.

use std::collections::HashMap;

use rig_core::completion::{CompletionResponse, FinishReason};
use rig_core::message::{AssistantContent, CallId, Message, StopReason, ToolCall};
use rig_core::streaming::StreamEvent;
use serde_json::Value;
use toolstile_agent::{ChatReply, Finish, TokenUsage, ToolCall as Call};

use crate::profile::NameMap;

/// The arguments of streamed calls as they came, letter by letter: what was decoded from
/// them no longer shows a key that stood there twice.
#[derive(Debug, Default)]
pub(crate) struct RawArguments {
    open: HashMap<usize, String>,
    /// In the order of their ends: identifiers need not be unique.
    ended: Vec<(CallId, String)>,
}

impl RawArguments {
    pub(crate) fn note(&mut self, event: &StreamEvent) {
        match event {
            StreamEvent::Arguments { part, json } => {
                self.open.entry(part.index()).or_default().push_str(json);
            }
            StreamEvent::End { part, content: AssistantContent::ToolCall(call) } => {
                if let Some(text) = self.open.remove(&part.index()) {
                    self.ended.push((call.id.clone(), text));
                }
            }
            _ => {}
        }
    }

    /// The text of the arguments, as near to what the model wrote as there is. A text
    /// that is no JSON object stays what it is.
    fn take(&mut self, call: &ToolCall, written: Option<&str>) -> String {
        let place = self.ended.iter().position(|(id, _)| *id == call.id);
        let streamed = place.map(|place| self.ended.remove(place).1);
        let invalid = call.function.invalid_arguments.clone();
        let text = invalid.or(streamed.filter(|text| !text.is_empty()));
        text.or(written.map(str::to_owned))
            .unwrap_or_else(|| Value::Object(call.function.arguments.clone()).to_string())
    }
}

/// The arguments of calls in Chat Completions, where they are text: decoded, a text that
/// holds an object in quotation marks looks like the object. Empty for other interfaces.
fn written_arguments(raw: &Value) -> Vec<Option<&str>> {
    let calls = raw.pointer("/choices/0/message/tool_calls").and_then(Value::as_array);
    let texts = calls.into_iter().flatten();
    texts.map(|call| call.pointer("/function/arguments").and_then(Value::as_str)).collect()
}

/// The reply; `names` leads back to the names of the tools.
pub(crate) fn chat_reply(
    response: CompletionResponse,
    names: &NameMap,
    mut raw: RawArguments,
) -> ChatReply {
    let written = written_arguments(&response.raw);
    // Calls of a kind that nobody can answer are no calls; then places do not tell.
    let in_place = written.len() == response.tool_calls().count();
    let calls = response.tool_calls().enumerate().map(|(place, call)| {
        let written = written.get(place).copied().flatten().filter(|_| in_place);
        Call {
            id: call.id.wire().into_owned(),
            name: names.from_wire(call.function.name.as_str()).to_owned(),
            arguments: raw.take(call, written),
        }
    });
    let calls: Vec<Call> = calls.collect();
    ChatReply {
        text: response.text(),
        finish: finish(&response, !calls.is_empty()),
        usage: TokenUsage {
            input_tokens: response.usage.input_tokens.unwrap_or_default(),
            output_tokens: response.usage.output_tokens.unwrap_or_default(),
        },
        state: state(&response),
        calls,
    }
}

fn finish(response: &CompletionResponse, has_calls: bool) -> Finish {
    match response.finish_reason() {
        Some(FinishReason::Stop) | None if response.error.is_some() => Finish::ContentFilter,
        Some(FinishReason::ToolCalls) => Finish::ToolCalls,
        Some(FinishReason::Length) => Finish::Length,
        Some(FinishReason::ContentFilter) => Finish::ContentFilter,
        Some(FinishReason::Other(reason)) => Finish::Other(reason),
        _ if has_calls => Finish::ToolCalls,
        _ => Finish::Stop,
    }
}

/// The turn as the library understood it, with what the provider signed.
fn state(response: &CompletionResponse) -> Option<Value> {
    let Some(Message::Assistant(mut turn)) = response.message() else { return None };
    // A turn marked as failed would be left out of the next request, and with it the
    // results of its calls. Whether to go on was decided by whoever sends it back.
    if turn.stop.as_ref().is_some_and(StopReason::is_failure) {
        turn = turn.with_stop(StopReason::Stop);
    }
    serde_json::to_value(turn).ok()
}
