//! A tool that remembers with what it was called.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::Value;
use toolstile::core::CallContext;
use toolstile::{Arguments, Tool, ToolDefinition, ToolError, ToolName, ToolResponse, ToolSchema};

type Answer = dyn Fn(&Arguments, &CallContext) -> Result<ToolResponse, ToolError> + Send + Sync;

/// A tool with any definition and any answer. Without more it answers `ran`, with
/// its arguments as data.
pub struct RecordingTool {
    /// What it says about itself.
    pub definition: ToolDefinition,
    answer: Box<Answer>,
    calls: Mutex<Vec<Value>>,
}

impl RecordingTool {
    /// A tool with a schema of its arguments.
    ///
    /// # Panics
    /// The name or the schema is refused.
    #[must_use]
    pub fn new(name: &str, schema: Value) -> Self {
        let name = ToolName::parse(name).expect("a tool name");
        let schema = ToolSchema::compile(schema).expect("a schema");
        let echo = |arguments: &Arguments, _: &CallContext| {
            Ok(ToolResponse::success("ran").with_data(arguments.as_value().clone()))
        };
        Self {
            definition: ToolDefinition::new(name, "Records calls", schema),
            answer: Box::new(echo),
            calls: Mutex::default(),
        }
    }

    /// The same tool with another answer.
    #[must_use]
    pub fn answering(
        self,
        answer: impl Fn(&Arguments) -> Result<ToolResponse, ToolError> + Send + Sync + 'static,
    ) -> Self {
        self.acting(move |arguments, _| answer(arguments))
    }

    /// The same tool with an answer that depends on the run, or changes it.
    #[must_use]
    pub fn acting(
        mut self,
        answer: impl Fn(&Arguments, &CallContext) -> Result<ToolResponse, ToolError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.answer = Box::new(answer);
        self
    }

    /// The arguments of the calls so far, oldest first.
    #[must_use]
    pub fn calls(&self) -> Vec<Value> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Tool for RecordingTool {
    fn definition(&self) -> ToolDefinition {
        self.definition.clone()
    }

    async fn call(
        &self,
        arguments: &Arguments,
        context: &CallContext,
    ) -> Result<ToolResponse, ToolError> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push(arguments.as_value().clone());
        drop(calls);
        (self.answer)(arguments, context)
    }
}

impl fmt::Debug for RecordingTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordingTool").field("calls", &self.calls).finish_non_exhaustive()
    }
}
