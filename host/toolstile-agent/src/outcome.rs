//! What a run leaves behind.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use toolstile_core::{AuditRecord, Refusal};

use crate::approval::PendingCall;
use crate::checkpoint::StoreError;
use crate::guardrail::Blocked;
use crate::limits::Limit;
use crate::message::Message;
use crate::model::{ModelError, TokenUsage};
use crate::tool_choice::ToolChoiceError;

/// The identifier of a run: 1 to 64 letters, digits, `_` and `-`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunId(String);

impl RunId {
    /// A fresh one, 128 random bits in hexadecimal digits.
    #[must_use]
    pub fn random() -> Self {
        let mut bytes = [0_u8; 16];
        getrandom::fill(&mut bytes).expect("the operating system provides random bytes");
        Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Accepts a valid identifier.
    ///
    /// # Errors
    /// What would be valid.
    pub fn parse(text: &str) -> Result<Self, InvalidRunId> {
        let valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let fits = (1..=64).contains(&text.len()) && text.chars().all(valid);
        fits.then(|| Self(text.to_owned())).ok_or(InvalidRunId)
    }

    /// The identifier as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// No identifier of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the identifier of a run has 1 to 64 letters, digits, `_` and `-`")]
pub struct InvalidRunId;

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl TryFrom<String> for RunId {
    type Error = InvalidRunId;

    fn try_from(text: String) -> Result<Self, InvalidRunId> {
        Self::parse(&text)
    }
}

impl From<RunId> for String {
    fn from(id: RunId) -> Self {
        id.0
    }
}

/// How a run ended, or why it stands still.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunStatus {
    /// The model answered.
    Answered,
    /// The model gave an empty answer, and again when it was asked for text.
    NoAnswer,
    /// Calls wait for a person: see [`RunResult::pending`] and
    /// [`Agent::resume`](crate::Agent::resume).
    AwaitingApproval,
    /// A limit was reached. There may be a final answer all the same.
    LimitReached(Limit),
    /// Whoever started the run cancelled it.
    Cancelled,
    /// A tool or a middleware ended the run.
    StoppedByTool,
    /// A guardrail blocked what went in or came out.
    Blocked(Blocked),
}

impl RunStatus {
    /// A short word for programs.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::NoAnswer => "no_answer",
            Self::AwaitingApproval => "awaiting_approval",
            Self::LimitReached(_) => "limit_reached",
            Self::Cancelled => "cancelled",
            Self::StoppedByTool => "stopped_by_tool",
            Self::Blocked(_) => "blocked",
        }
    }
}

/// What a run gave.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// The run.
    pub id: RunId,
    /// How it ended.
    pub status: RunStatus,
    /// The final answer, where there is one.
    pub final_output: Option<String>,
    /// What happened in this process, in order.
    pub steps: Vec<Step>,
    /// What the run cost so far, all resumptions together.
    pub usage: Usage,
    /// The calls that wait for a person.
    pub pending: Vec<PendingCall>,
    /// The conversation, fit to be the history of the next run: every call in it has
    /// its result.
    pub messages: Vec<Message>,
}

/// What a run cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Requests to the model that were answered.
    pub model_calls: usize,
    /// Tools that were entered.
    pub tool_calls: usize,
    /// Tokens.
    pub tokens: TokenUsage,
}

/// One thing that happened in a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Step {
    /// The model replied.
    Model {
        /// Its text.
        text: String,
        /// How many calls it asked for.
        calls: usize,
        /// What it cost.
        usage: TokenUsage,
        /// How long it took.
        duration: Duration,
    },
    /// A call ended.
    Tool {
        /// What the gates and the tool said; the identifier of the call is in it.
        record: Box<AuditRecord>,
        /// What the model reads.
        text: String,
    },
}

/// Why a run broke off. With a checkpoint store it can be resumed from where it was.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The model gave no answer.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The checkpoint could not be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A middleware aborted the run.
    #[error("the run was aborted: {reason}")]
    Aborted {
        /// In the middleware's words.
        reason: String,
    },
    /// The tool choice does not fit the tools.
    #[error(transparent)]
    ToolChoice(#[from] ToolChoiceError),
    /// The model did not call what it had to, twice.
    #[error("the model was required to call {wanted} and did not, twice")]
    ToolChoiceIgnored {
        /// What it had to call.
        wanted: String,
        /// What it said instead.
        text: String,
    },
    /// A call that needs approval has no identifier, or one that another call has too,
    /// so that an approval could not be told to belong to it.
    #[error("the model's calls cannot be told apart for approval: {detail}")]
    CallIds {
        /// Which.
        detail: String,
    },
    /// There is no such run in the checkpoint store.
    #[error("there is no unfinished run `{0}`")]
    UnknownRun(RunId),
    /// The run of that identifier is not finished.
    #[error("the run `{0}` is not finished; resume or discard it first")]
    Unfinished(RunId),
    /// Resuming needs a checkpoint store.
    #[error("the agent has no checkpoint store, so no run can be resumed")]
    NoStore,
    /// Arguments that a person gave are not accepted.
    #[error("the new arguments of call `{call_id}` are not accepted: {refusal}")]
    InvalidEdit {
        /// The call.
        call_id: String,
        /// Why.
        refusal: Refusal,
    },
}

impl RunError {
    /// A short word for programs, and for `error.type` in traces.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Model(error) => error.kind(),
            Self::Store(_) => "checkpoint_store",
            Self::Aborted { .. } => "aborted",
            Self::ToolChoice(_) => "tool_choice",
            Self::ToolChoiceIgnored { .. } => "tool_choice_ignored",
            Self::CallIds { .. } => "call_ids",
            Self::UnknownRun(_) => "unknown_run",
            Self::Unfinished(_) => "unfinished",
            Self::NoStore => "no_store",
            Self::InvalidEdit { .. } => "invalid_edit",
        }
    }
}
