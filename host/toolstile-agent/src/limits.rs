//! How far a run may go.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The limits of a run. What is `None` is not limited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Turns: replies of the model with the calls that they ask for. When they are used
    /// up the model is asked once more, without tools, for a final answer. Default: 20.
    pub turns: usize,
    /// Requests to the model, that last one included.
    pub model_calls: Option<usize>,
    /// Tools that are entered. Calls beyond are refused; then the model is asked for a
    /// final answer.
    pub tool_calls: Option<usize>,
    /// Tokens, in and out, as the provider counts them; checked after each reply.
    pub tokens: Option<u64>,
    /// Wall time, from the start or from the last resumption.
    pub wall_time: Option<Duration>,
    /// Batches of calls in a row in which at least one failed; then the model is asked
    /// for a final answer. Default: 3.
    pub failed_batches: Option<usize>,
    /// How often a request to the model is repeated that failed for a reason that may
    /// pass. Default: 2.
    pub retries: usize,
    /// The longest wait before a repeated request; a provider that asks for more is not
    /// asked again. Default: 30 s.
    pub retry_wait: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            turns: 20,
            model_calls: None,
            tool_calls: None,
            tokens: None,
            wall_time: None,
            failed_batches: Some(3),
            retries: 2,
            retry_wait: Duration::from_secs(30),
        }
    }
}

/// The limit that a run reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Limit {
    /// [`Limits::turns`].
    Turns,
    /// [`Limits::model_calls`].
    ModelCalls,
    /// [`Limits::tool_calls`].
    ToolCalls,
    /// [`Limits::tokens`].
    Tokens,
    /// [`Limits::wall_time`].
    WallTime,
    /// [`Limits::failed_batches`].
    FailedBatches,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Turns => "turns",
            Self::ModelCalls => "model calls",
            Self::ToolCalls => "tool calls",
            Self::Tokens => "tokens",
            Self::WallTime => "wall time",
            Self::FailedBatches => "failed batches of calls",
        })
    }
}
