//! The loop in which a language model calls tools through the gates of toolstile.
//!
//! Start reading at [`Agent`]; a run is `run.rs`, one turn of it `turn.rs`, the calls of
//! one reply `batch.rs`. Nothing here calls a tool but [`toolstile_core::ToolExecutor`].

mod agent;
mod approval;
mod batch;
mod builder;
mod checkpoint;
mod event;
mod guardrail;
mod ledger;
mod limits;
mod message;
mod model;
mod outcome;
mod redaction;
mod run;
mod scripted;
mod sqlite;
mod telemetry;
mod tool_choice;
mod turn;

/// The example of the README compiles and holds.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use agent::{Agent, RunRequest};
pub use approval::{Approval, Approvals, PendingCall, PendingReason};
pub use builder::{AgentBuilder, AgentError};
pub use checkpoint::{Checkpoint, CheckpointStore, MemoryStore, StoreError, StoredRun};
pub use event::{Event, Observer};
pub use guardrail::{Blocked, Guardrail, GuardrailStage, GuardrailVerdict};
pub use limits::{Limit, Limits};
pub use message::{Message, ToolCall};
pub use model::{
    ChatModel, ChatReply, ChatRequest, Finish, ModelError, OnText, Sampling, TokenUsage,
};
pub use outcome::{InvalidRunId, RunError, RunId, RunResult, RunStatus, Step, Usage};
pub use redaction::TraceRedactor;
pub use scripted::{ScriptedLlm, Seen};
pub use sqlite::SqliteStore;
pub use tokio_util::sync::CancellationToken;
pub use tool_choice::{ToolChoice, ToolChoiceError, ToolMode};
