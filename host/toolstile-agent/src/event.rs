//! What happens in a run, for those who watch it.

use toolstile_core::AuditRecord;

use crate::approval::PendingCall;
use crate::guardrail::Blocked;
use crate::message::ToolCall;
use crate::model::TokenUsage;
use crate::outcome::{RunId, RunStatus};

/// Watches runs. Cannot change anything; must not block, since the run waits.
pub trait Observer: Send + Sync {
    /// Takes an event, right when it happened.
    fn observe(&self, run: &RunId, event: &Event);
}

/// What happened. Each event stands for just that: a tool that was refused never
/// started.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A run begins, or goes on after it was suspended.
    RunStarted {
        /// It goes on.
        resumed: bool,
    },
    /// The model is asked.
    ModelAsked {
        /// The turn, from 1.
        turn: usize,
        /// The names of the tools that it is shown.
        tools: Vec<String>,
    },
    /// A piece of the model's text.
    TextDelta {
        /// The piece.
        text: String,
    },
    /// A request to the model failed and is repeated.
    ModelRetried {
        /// Why.
        reason: String,
    },
    /// The model replied.
    ModelReplied {
        /// Its text.
        text: String,
        /// The calls that it asks for.
        calls: Vec<ToolCall>,
        /// What the reply cost.
        usage: TokenUsage,
    },
    /// A call goes to the gates.
    ToolRequested {
        /// The call.
        call: ToolCall,
    },
    /// Every gate let a call through: its tool starts.
    ToolStarted {
        /// The identifier of the call.
        call_id: String,
        /// The tool.
        tool: String,
    },
    /// A call ended, in whatever way.
    ToolEnded {
        /// The identifier of the call.
        call_id: String,
        /// What the gates and the tool said.
        record: Box<AuditRecord>,
        /// What the model reads.
        text: String,
    },
    /// A guardrail blocked a text.
    GuardrailBlocked(Blocked),
    /// The run waits for a person.
    Suspended {
        /// What for.
        pending: Vec<PendingCall>,
    },
    /// The run ended, or waits.
    RunEnded {
        /// How.
        status: RunStatus,
    },
    /// The run broke off.
    RunFailed {
        /// Why.
        reason: String,
    },
}
