//! A person decides about calls, now or after the process was started anew.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolstile_core::ConfirmRequest;

/// A call that waits for a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PendingCall {
    /// The identifier to decide by.
    pub call_id: String,
    /// The tool.
    pub tool: String,
    /// The arguments that would run.
    pub arguments: Value,
    /// Why a person is asked.
    pub reason: PendingReason,
    /// What is to be approved, in full, for a person to read: control and invisible
    /// characters escaped.
    pub text: String,
    /// What an approval is bound to: the tool's fingerprint, the arguments, the grants
    /// and what the arguments mean to them. `None` where only the interruption is asked
    /// about.
    pub digest: Option<String>,
}

/// Why a person is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PendingReason {
    /// The call needs confirmation.
    Confirmation,
    /// The process ended while the call ran: nobody knows how far it came, and it runs
    /// again only if a person says so.
    Interrupted,
}

impl PendingCall {
    pub(crate) fn of(call_id: &str, request: &ConfirmRequest) -> Self {
        Self {
            call_id: call_id.to_owned(),
            tool: request.tool.to_string(),
            arguments: request.arguments.as_value().clone(),
            reason: PendingReason::Confirmation,
            text: request.render(),
            digest: Some(request.digest()),
        }
    }
}

/// What a person decides about one call.
#[derive(Clone, Debug, PartialEq)]
pub enum Approval {
    /// Run it, once, exactly as it was shown.
    Approve,
    /// Do not run it; the model reads the reason.
    Reject {
        /// Why.
        reason: Option<String>,
    },
    /// Run it with these arguments in place of the model's. They pass all gates again;
    /// giving them is their approval.
    Edit {
        /// An object.
        arguments: Value,
    },
}

/// What a person decided about the pending calls of a run. Calls without a decision
/// stay pending; identifiers that no pending call has decide nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Approvals {
    by_id: BTreeMap<String, Approval>,
    rest: Option<Approval>,
}

impl Approvals {
    /// No decision: what was pending is pending again, and what was interrupted is asked
    /// about.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// All pending calls are approved.
    #[must_use]
    pub fn approve_all() -> Self {
        Self { rest: Some(Approval::Approve), ..Self::default() }
    }

    /// All pending calls are rejected.
    #[must_use]
    pub fn reject_all(reason: Option<String>) -> Self {
        Self { rest: Some(Approval::Reject { reason }), ..Self::default() }
    }

    /// Decides about one call; the last word counts.
    #[must_use]
    pub fn decide(mut self, call_id: impl Into<String>, approval: Approval) -> Self {
        self.by_id.insert(call_id.into(), approval);
        self
    }

    /// Approves one call.
    #[must_use]
    pub fn approve(self, call_id: impl Into<String>) -> Self {
        self.decide(call_id, Approval::Approve)
    }

    /// Rejects one call.
    #[must_use]
    pub fn reject(self, call_id: impl Into<String>, reason: impl Into<String>) -> Self {
        self.decide(call_id, Approval::Reject { reason: Some(reason.into()) })
    }

    /// Approves one call with other arguments.
    #[must_use]
    pub fn edit(self, call_id: impl Into<String>, arguments: Value) -> Self {
        self.decide(call_id, Approval::Edit { arguments })
    }

    pub(crate) fn of(&self, call_id: &str) -> Option<&Approval> {
        self.by_id.get(call_id).or(self.rest.as_ref())
    }
}
