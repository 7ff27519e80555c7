//! A call, and what became of it.

use std::sync::Arc;

use crate::arguments::ArgumentsText;
use crate::audit::AuditRecord;
use crate::escape::escape_invisible;
use crate::guard::wrap_external;
use crate::refusal::{Gate, Refusal};
use crate::registry::RegisteredTool;
use crate::response::{Status, ToolResponse};
use crate::tool::ToolError;

/// A call as it was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The caller's identifier of the call, for the audit log.
    pub id: Option<String>,
    /// The name of the tool.
    pub tool: String,
    /// The arguments, not looked at yet.
    pub arguments: ArgumentsText,
}

impl Call {
    /// A call without an identifier.
    #[must_use]
    pub fn new(tool: impl Into<String>, arguments: impl Into<ArgumentsText>) -> Self {
        Self { id: None, tool: tool.into(), arguments: arguments.into() }
    }
}

/// Why a call ended without an answer of its tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// A gate refused it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The tool did not answer.
    #[error(transparent)]
    Failed(#[from] ToolError),
    /// A middleware wants no more of this: an agent's run ends with an error.
    #[error("aborted: {reason}")]
    Aborted {
        /// Why, for whoever started the run; never shown to the model.
        reason: String,
    },
}

/// What became of a call.
#[derive(Clone, Debug)]
pub struct Completion {
    /// The answer, or why there is none.
    pub result: Result<ToolResponse, Stop>,
    /// The record that went to the audit log.
    pub record: AuditRecord,
    /// The tool, where there is one.
    pub tool: Option<Arc<RegisteredTool>>,
}

impl Completion {
    /// Whether the tool was entered: every gate had let the call through.
    #[must_use]
    pub fn entered(&self) -> bool {
        self.record.gates.iter().any(|decision| decision.gate == Gate::Capabilities)
    }

    /// The answer; for a call without one, an error that says why.
    #[must_use]
    pub fn response(&self) -> ToolResponse {
        match &self.result {
            Ok(response) => response.clone(),
            // Property names of the model's own arguments may stand in it.
            Err(Stop::Refused(refusal)) => {
                ToolResponse::error(escape_invisible(&refusal.to_string()))
            }
            Err(Stop::Failed(error)) => {
                let name = &self.record.tool;
                ToolResponse::error(format!("the tool `{name}` gave no answer: {}", error.kind))
            }
            Err(Stop::Aborted { .. }) => ToolResponse::error("the call was aborted"),
        }
    }

    /// The text for a model: [`Completion::model_body`], and an error says so.
    #[must_use]
    pub fn model_text(&self) -> String {
        let body = self.model_body();
        match self.status() {
            Status::Error => format!("Error: {body}"),
            Status::Partial => format!("Incomplete result: {body}"),
            Status::Success => body,
        }
    }

    /// The text for a model, for whoever says by other means how the call ended: what
    /// strangers may have written stands between markers that they cannot guess.
    #[must_use]
    pub fn model_body(&self) -> String {
        match (&self.result, &self.tool) {
            (Ok(response), Some(tool)) if tool.external_content => {
                wrap_external(tool.name().as_str(), &tool.origin_text, &response.text)
            }
            _ => self.response().text,
        }
    }

    /// How the call ended; without an answer, in an error.
    #[must_use]
    pub fn status(&self) -> Status {
        self.result.as_ref().map_or(Status::Error, |response| response.status)
    }
}
