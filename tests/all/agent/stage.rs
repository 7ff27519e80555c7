//! An agent on a stage: scripted, watched, with tools that remember.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use toolstile::agent::{
    Agent, AgentBuilder, Event, Observer, RunId, RunResult, ScriptedLlm, Step, ToolCall,
};
use toolstile::{AuditRecord, Tool};
use toolstile_tests::RecordingTool;

/// A scripted model that the test can look at.
pub(super) type Scripted = Arc<ScriptedLlm>;

/// Each reply is a text, or a list of calls `[id, name, arguments]`.
pub(super) fn rounds(script: &[Value]) -> Scripted {
    let add = |model: ScriptedLlm, reply: &Value| match reply {
        Value::String(text) => model.text(text.as_str()),
        calls => model.calls(calls.as_array().into_iter().flatten().map(call)),
    };
    Arc::new(script.iter().fold(ScriptedLlm::new(), add))
}

fn call(call: &Value) -> ToolCall {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    ToolCall::new(text(&call[0]), text(&call[1]), text(&call[2]))
}

/// Writes down what happens, one short line for each event.
#[derive(Clone, Default)]
pub(super) struct Watch(Arc<Mutex<Vec<String>>>);

impl Watch {
    pub(super) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn note(&self, line: impl Into<String>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line.into());
    }
}

impl Observer for Watch {
    fn observe(&self, _: &RunId, event: &Event) {
        self.note(match event {
            Event::RunStarted { resumed: false } => "start".to_owned(),
            Event::RunStarted { resumed: true } => "resume".to_owned(),
            Event::ModelAsked { .. } => "asked".to_owned(),
            Event::TextDelta { text } => format!("delta {text}"),
            Event::ModelRetried { .. } => "retry".to_owned(),
            Event::ModelReplied { .. } => "replied".to_owned(),
            Event::ToolRequested { call } => format!("requested {}", call.name),
            Event::ToolStarted { tool, .. } => format!("started {tool}"),
            Event::ToolEnded { record, .. } => format!("ended {} {}", record.tool, record.outcome),
            Event::GuardrailBlocked(blocked) => format!("blocked by {}", blocked.guardrail),
            Event::Suspended { .. } => "suspended".to_owned(),
            Event::RunEnded { status } => format!("end {}", status.as_str()),
            Event::RunFailed { .. } => "failed".to_owned(),
            other => format!("{other:?}"),
        });
    }
}

/// A tool that answers `ran NAME`.
pub(super) fn plain(name: &str) -> RecordingTool {
    let answer = format!("ran {name}");
    RecordingTool::new(name, json!({"type": "object"}))
        .answering(move |_| Ok(toolstile::ToolResponse::success(answer.clone())))
}

pub(super) fn arc(tool: RecordingTool) -> Arc<dyn Tool> {
    Arc::new(tool)
}

/// An agent with these tools and this script.
pub(super) fn agent(model: &Scripted, tools: Vec<Arc<dyn Tool>>) -> AgentBuilder {
    Agent::builder().model(model.clone()).tools(tools)
}

/// The records of the calls of a run.
pub(super) fn records(result: &RunResult) -> Vec<AuditRecord> {
    let record = |step: &Step| match step {
        Step::Tool { record, .. } => Some((**record).clone()),
        _ => None,
    };
    result.steps.iter().filter_map(record).collect()
}

/// What the model read of the calls of a run.
pub(super) fn texts(result: &RunResult) -> Vec<String> {
    let text = |step: &Step| match step {
        Step::Tool { text, .. } => Some(text.clone()),
        _ => None,
    };
    result.steps.iter().filter_map(text).collect()
}
