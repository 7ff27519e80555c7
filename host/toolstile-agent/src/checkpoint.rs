//! What of a run is kept, so that it outlives the process.
//!
//! A run is written down before the model is asked, before a tool starts and after it
//! ended. So after a crash it is known of every call whether it ran, did not run, or
//! may have run; the last kind is asked about.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use toolstile_core::ToolName;

use crate::approval::PendingCall;
use crate::limits::Limit;
use crate::message::{Message, ToolCall};
use crate::outcome::{RunId, Usage};
use crate::tool_choice::ToolChoice;

/// The form of the state below; a state of another form is not read.
pub(crate) const CHECKPOINT_FORMAT: u32 = 1;

/// A run as it is kept: opaque to stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The run.
    pub run: RunId,
    /// Counts the writes of this run, from 1.
    pub revision: u64,
    /// What the run is about, for a list of runs.
    pub summary: String,
    /// The state, JSON text.
    pub state: String,
}

/// An unfinished run in a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StoredRun {
    /// The run.
    pub run: RunId,
    /// What it is about.
    pub summary: String,
}

/// Keeps unfinished runs. Implementations must be durable when `save` returns, and
/// must accept a write only if it follows the one that is there.
#[async_trait]
pub trait CheckpointStore: Send + Sync {
    /// Keeps a state in place of the one before.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] unless the kept revision is the one before this (none,
    /// for revision 1).
    async fn save(&self, checkpoint: &Checkpoint) -> Result<(), StoreError>;

    /// The state of a run.
    ///
    /// # Errors
    /// The store does not work.
    async fn load(&self, run: &RunId) -> Result<Option<Checkpoint>, StoreError>;

    /// Forgets a run.
    ///
    /// # Errors
    /// The store does not work.
    async fn remove(&self, run: &RunId) -> Result<(), StoreError>;

    /// All runs, in the order of their identifiers.
    ///
    /// # Errors
    /// The store does not work.
    async fn list(&self) -> Result<Vec<StoredRun>, StoreError>;
}

/// Why a checkpoint could not be written or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Somebody else went on with the run, or started one of the same identifier.
    #[error("the run `{0}` is gone on with elsewhere; nothing was changed here")]
    Conflict(RunId),
    /// The kept state is not one that this program understands.
    #[error("the kept state of the run `{run}` cannot be read: {detail}")]
    Unreadable {
        /// The run.
        run: RunId,
        /// Why.
        detail: String,
    },
    /// The store does not work.
    #[error("the checkpoint store does not work: {0}")]
    Backend(String),
}

/// A store that ends with the process, for tests and for runs that need not survive.
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<BTreeMap<RunId, Checkpoint>>);

#[async_trait]
impl CheckpointStore for MemoryStore {
    async fn save(&self, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        let mut runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = runs.get(&checkpoint.run).map_or(0, |kept| kept.revision);
        if kept + 1 != checkpoint.revision {
            return Err(StoreError::Conflict(checkpoint.run.clone()));
        }
        runs.insert(checkpoint.run.clone(), checkpoint.clone());
        Ok(())
    }

    async fn load(&self, run: &RunId) -> Result<Option<Checkpoint>, StoreError> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).get(run).cloned())
    }

    async fn remove(&self, run: &RunId) -> Result<(), StoreError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(run);
        Ok(())
    }

    async fn list(&self) -> Result<Vec<StoredRun>, StoreError> {
        let runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let stored =
            runs.values().map(|c| StoredRun { run: c.run.clone(), summary: c.summary.clone() });
        Ok(stored.collect())
    }
}

/// Everything that a run must remember to go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunState {
    pub(crate) format: u32,
    pub(crate) run: RunId,
    pub(crate) revision: u64,
    pub(crate) messages: Vec<Message>,
    /// The tools that the model is shown, by name.
    pub(crate) tools: Vec<ToolName>,
    pub(crate) tool_choice: ToolChoice,
    /// Turns that were begun.
    pub(crate) turns: usize,
    pub(crate) usage: Usage,
    /// Batches in a row in which a call failed.
    pub(crate) failed_batches: usize,
    /// Replies in a row that were empty, or not what the tool choice requires.
    pub(crate) unfit_replies: usize,
    /// The limit for which only the final answer is left to be asked for.
    pub(crate) finishing: Option<Limit>,
    /// Identifiers of calls that a person decided about: none may come again.
    pub(crate) decided: Vec<String>,
    /// The calls of the last reply, while not all have their result.
    pub(crate) batch: Option<Batch>,
}

/// The calls of one reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Batch {
    pub(crate) calls: Vec<BatchCall>,
    /// The tools that the calls may use, by name: those that the model was shown when
    /// it replied.
    pub(crate) tools: Vec<ToolName>,
}

/// One of them, and how far it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BatchCall {
    /// With the identifier under which it can be told from all others.
    pub(crate) call: ToolCall,
    pub(crate) state: CallState,
    /// What a person changed, for the model to read.
    pub(crate) remark: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CallState {
    /// Not looked at yet.
    Waiting,
    /// A person has to decide.
    Pending(PendingCall),
    /// A person approved what has this digest.
    Approved { digest: Option<String> },
    /// A person said no.
    Rejected { reason: Option<String> },
    /// The tool was entered.
    Started,
    /// There is a result.
    Done { text: String, failed: bool },
}

impl RunState {
    pub(crate) fn to_checkpoint(&self) -> Checkpoint {
        let asked = self.messages.iter().rev().find_map(|message| match message {
            Message::User { text } => Some(text.as_str()),
            _ => None,
        });
        Checkpoint {
            run: self.run.clone(),
            revision: self.revision,
            summary: asked.unwrap_or_default().chars().take(100).collect(),
            state: serde_json::to_string(self).expect("the state of a run is JSON"),
        }
    }

    pub(crate) fn read(checkpoint: &Checkpoint) -> Result<Self, StoreError> {
        let unreadable =
            |detail: String| StoreError::Unreadable { run: checkpoint.run.clone(), detail };
        let value: serde_json::Value =
            serde_json::from_str(&checkpoint.state).map_err(|e| unreadable(e.to_string()))?;
        match value.get("format").and_then(serde_json::Value::as_u64) {
            Some(format) if format == u64::from(CHECKPOINT_FORMAT) => {}
            format => {
                let found = format.map_or("none".to_owned(), |format| format.to_string());
                return Err(unreadable(format!(
                    "its format is {found}, this program reads {CHECKPOINT_FORMAT}"
                )));
            }
        }
        let state: Self = serde_json::from_value(value).map_err(|e| unreadable(e.to_string()))?;
        match state.run == checkpoint.run && state.revision == checkpoint.revision {
            true => Ok(state),
            false => Err(unreadable("it belongs to another run or revision".to_owned())),
        }
    }
}
