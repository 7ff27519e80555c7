//! The state of a run while it goes on, and who writes to it: the loop between calls,
//! the gates during a call.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use tokio::sync::MutexGuard;
use toolstile_core::{
    Arguments, CallContext, Confirm, ConfirmRequest, Decision, FailureKind, Invocation, Journal,
    Middleware, Next, Refusal, RegisteredTool, Stop, ToolError, ToolResponse,
};

use crate::approval::PendingCall;
use crate::checkpoint::{BatchCall, CallState, CheckpointStore, RunState, StoreError};
use crate::event::{Event, Observer};
use crate::outcome::RunId;

/// The state of a run, its store, and those who watch.
pub(crate) struct Ledger {
    pub(crate) run: RunId,
    pub(crate) store: Option<Arc<dyn CheckpointStore>>,
    pub(crate) observers: Vec<Arc<dyn Observer>>,
    /// Tools that may be entered in all, counted as [`crate::Usage::tool_calls`].
    pub(crate) tool_calls: Option<usize>,
    state: tokio::sync::Mutex<RunState>,
    /// Why a tool could not be started: the run breaks off.
    failure: Mutex<Option<StoreError>>,
}

impl Ledger {
    pub(crate) fn new(
        state: RunState,
        store: Option<Arc<dyn CheckpointStore>>,
        observers: Vec<Arc<dyn Observer>>,
        tool_calls: Option<usize>,
    ) -> Self {
        let run = state.run.clone();
        let state = tokio::sync::Mutex::new(state);
        Self { run, store, observers, tool_calls, state, failure: Mutex::default() }
    }

    pub(crate) async fn state(&self) -> MutexGuard<'_, RunState> {
        self.state.lock().await
    }

    /// Writes the state down. Where another process went on with the run, or the store
    /// fails, the state counts as not written.
    pub(crate) async fn save(&self, state: &mut RunState) -> Result<(), StoreError> {
        let Some(store) = &self.store else { return Ok(()) };
        state.revision += 1;
        let saved = store.save(&state.to_checkpoint()).await;
        if saved.is_err() {
            state.revision -= 1;
        }
        saved
    }

    /// Tells everybody who watches; costs nothing where nobody does.
    pub(crate) fn tell(&self, event: impl FnOnce() -> Event) {
        if !self.observers.is_empty() {
            let event = event();
            self.observers.iter().for_each(|observer| observer.observe(&self.run, &event));
        }
    }

    pub(crate) fn take_failure(&self) -> Option<StoreError> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A tool starts: written down first, so that after a crash it is known that it may
/// have run. An approval is used up in the same write.
#[async_trait]
impl Journal for Ledger {
    async fn starting(
        &self,
        tool: &RegisteredTool,
        _: &Arguments,
        context: &CallContext,
    ) -> Result<(), Stop> {
        let call_id = context.call_id().unwrap_or_default();
        let mut state = self.state().await;
        state.usage.tool_calls += 1;
        if let Some(call) = state.call_mut(call_id) {
            call.state = CallState::Started;
        }
        if let Err(error) = self.save(&mut state).await {
            let detail = error.to_string();
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            return Err(Stop::Failed(ToolError::new(FailureKind::Host, detail)));
        }
        drop(state);
        self.tell(|| Event::ToolStarted {
            call_id: call_id.to_owned(),
            tool: tool.name().to_string(),
        });
        Ok(())
    }
}

/// With a checkpoint store: what was approved runs, exactly that; the rest waits.
pub(crate) struct ByCheckpoint(pub(crate) Arc<Ledger>);

#[async_trait]
impl Confirm for ByCheckpoint {
    async fn confirm(&self, request: &ConfirmRequest) -> Decision {
        let call_id = request.call_id.as_deref().unwrap_or_default();
        let mut state = self.0.state().await;
        let Some(call) = state.call_mut(call_id) else {
            return Decision::Deny { reason: None };
        };
        match &call.state {
            CallState::Approved { digest: Some(digest) } if *digest == request.digest() => {
                Decision::Approve
            }
            _ => {
                call.state = CallState::Pending(PendingCall::of(call_id, request));
                Decision::Defer
            }
        }
    }
}

/// Outside all other middlewares: what a person rejected, and what lies beyond the limit
/// of calls, goes no further.
pub(crate) struct RunGate(pub(crate) Arc<Ledger>);

#[async_trait]
impl Middleware for RunGate {
    fn name(&self) -> &str {
        "run"
    }

    async fn handle(&self, invocation: Invocation, next: Next<'_>) -> Result<ToolResponse, Stop> {
        let call_id = invocation.context.call_id().unwrap_or_default();
        let mut state = self.0.state().await;
        if let Some(limit) = self.0.tool_calls.filter(|limit| state.usage.tool_calls >= *limit) {
            return Err(invocation.reject(format!("the limit of {limit} tool calls is reached")));
        }
        if let Some(CallState::Rejected { reason }) = state.call_mut(call_id).map(|c| &c.state) {
            let (tool, reason) = (invocation.tool.name().to_string(), reason.clone());
            return Err(Stop::Refused(Refusal::NotConfirmed { tool, reason }));
        }
        drop(state);
        next.run(invocation).await
    }
}

impl RunState {
    pub(crate) fn call_mut(&mut self, call_id: &str) -> Option<&mut BatchCall> {
        let calls = &mut self.batch.as_mut()?.calls;
        calls.iter_mut().find(|call| call.call.id == call_id)
    }

    /// The calls that wait for a person.
    pub(crate) fn pending(&self) -> Vec<PendingCall> {
        let calls = self.batch.iter().flat_map(|batch| &batch.calls);
        calls
            .filter_map(|call| match &call.state {
                CallState::Pending(pending) => Some(pending.clone()),
                _ => None,
            })
            .collect()
    }
}
