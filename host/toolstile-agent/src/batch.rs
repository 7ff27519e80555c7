//! The calls of one reply: adjacent calls that may run at the same time do, everything
//! else runs in order, and every call gets exactly one result.

use std::ops::Range;
use std::sync::Arc;

use tokio::task::JoinSet;
use toolstile_core::{
    Call, Completion, Refusal, RegisteredTool, Status, Stop, ToolExecutor, ToolRegistry,
};
use tracing::Instrument as _;

use crate::agent::Parts;
use crate::approval::PendingCall;
use crate::checkpoint::{BatchCall, CallState};
use crate::event::Event;
use crate::message::{Message, ToolCall};
use crate::outcome::{RunError, Step};
use crate::run::{BatchTools, Run};
use crate::telemetry;
use crate::tool_choice::ToolMode;

impl ToolCall {
    /// The call as the gates take it.
    pub(crate) fn to_call(&self) -> Call {
        let mut call = Call::new(self.name.clone(), self.arguments.clone());
        call.id = Some(self.id.clone());
        call
    }
}

impl BatchCall {
    pub(crate) fn to_call(&self) -> Call {
        self.call.to_call()
    }
}

/// Which tools the calls of a batch reach.
impl Run {
    /// The gates over the tools that the model was shown in a turn of this mode. What is
    /// added or removed while the batch runs does not change them.
    pub(crate) async fn executor_for(&mut self, mode: &ToolMode) -> ToolExecutor {
        let revision = self.scope.tools().revision();
        let wanted = BatchTools { revision, mode: mode.clone() };
        if let Some((Some(made_for), executor)) = &self.batch_executor
            && *made_for == wanted
        {
            return executor.clone();
        }
        let choice = self.ledger.state().await.tool_choice.clone();
        let mut tools = self.scope.tools().tools();
        tools.retain(|tool| mode.admits(tool.name().as_str()) && choice.allows(tool.name()));
        self.remember(Some(wanted), tools)
    }

    /// The gates over the tools of the batch that is there; of a batch out of the store
    /// as far as they are known by their names.
    pub(crate) async fn batch_executor(&mut self) -> ToolExecutor {
        if let Some((_, executor)) = &self.batch_executor {
            return executor.clone();
        }
        let live = self.scope.tools();
        let shown = live.tools();
        let registry = self.agent.executor.registry();
        let find = |name: &toolstile_core::ToolName| {
            let shown = shown.iter().find(|tool| tool.name() == name).cloned();
            shown.or_else(|| registry.get(name.as_str()))
        };
        let state = self.ledger.state().await;
        let names = state.batch.iter().flat_map(|batch| &batch.tools);
        let tools = names.filter_map(find).collect();
        drop(state);
        self.remember(None, tools)
    }

    fn remember(
        &mut self,
        made_for: Option<BatchTools>,
        tools: Vec<Arc<RegisteredTool>>,
    ) -> ToolExecutor {
        let registry = Arc::new(ToolRegistry::of(tools));
        let executor = self.executor.to_builder().registry(registry).build();
        self.batch_executor = Some((made_for, executor.clone()));
        executor
    }
}

/// Running them.
impl Run {
    /// Runs what is left of the batch. False: calls wait for a person.
    pub(crate) async fn run_batch(&mut self) -> Result<bool, RunError> {
        let executor = self.batch_executor().await;
        loop {
            let Some(group) = self.next_group(&executor).await else { break };
            if group.is_empty() {
                return self.suspend(&executor).await;
            }
            let completions = self.run_group(&executor, group).await;
            if let Some(failure) = self.ledger.take_failure() {
                return Err(failure.into());
            }
            for (call, completion) in completions {
                self.settle(call, completion).await?;
            }
            let mut state = self.ledger.state().await;
            self.ledger.save(&mut state).await?;
        }
        self.close().await;
        Ok(true)
    }

    /// The calls that come next: one, or several that may run at the same time. Empty
    /// where a person has to decide first; `None` where all have their results.
    async fn next_group(&self, executor: &ToolExecutor) -> Option<Range<usize>> {
        let state = self.ledger.state().await;
        let calls = &state.batch.as_ref()?.calls;
        let first = calls.iter().position(|c| !matches!(c.state, CallState::Done { .. }))?;
        if matches!(calls[first].state, CallState::Pending(_)) {
            return Some(first..first);
        }
        let together = match self.agent.limits.tool_calls {
            // Counted one by one, so that no call goes beyond the limit.
            Some(_) => 0,
            None => calls[first..].iter().take_while(|call| runs_beside(executor, call)).count(),
        };
        Some(first..first + together.max(1))
    }

    async fn run_group(
        &self,
        executor: &ToolExecutor,
        group: Range<usize>,
    ) -> Vec<(ToolCall, Completion)> {
        let calls: Vec<ToolCall> = {
            let state = self.ledger.state().await;
            let batch = state.batch.iter().flat_map(|batch| &batch.calls);
            batch.skip(group.start).take(group.len()).map(|call| call.call.clone()).collect()
        };
        for call in &calls {
            self.ledger.tell(|| Event::ToolRequested { call: call.clone() });
        }
        if let [call] = calls.as_slice() {
            let agent = Arc::clone(&self.agent);
            let completion = run_one(agent, executor.clone(), call.clone()).await;
            return vec![(call.clone(), completion)];
        }
        // Dropping the set stops what still runs in it.
        let mut running = JoinSet::new();
        for (position, call) in calls.iter().cloned().enumerate() {
            let one = run_one(Arc::clone(&self.agent), executor.clone(), call);
            running.spawn(async move { (position, one.await) }.in_current_span());
        }
        let mut completed = running.join_all().await;
        completed.sort_by_key(|(position, _)| *position);
        calls.into_iter().zip(completed.into_iter().map(|(_, completion)| completion)).collect()
    }

    /// Takes the result of a call over.
    async fn settle(&mut self, call: ToolCall, completion: Completion) -> Result<(), RunError> {
        match &completion.result {
            Err(Stop::Aborted { reason }) => {
                return Err(RunError::Aborted { reason: reason.clone() });
            }
            // The gate noted what it waits for.
            Err(Stop::Refused(Refusal::Deferred { .. })) if self.ledger.store.is_some() => {
                return Ok(());
            }
            _ => {}
        }
        let failed = counts_as_failure(&completion);
        let mut text = completion.model_text();
        if let Some(noted) = self.ledger.state().await.call_mut(&call.id) {
            if let Some(remark) = &noted.remark {
                text = format!("[{remark}]\n{text}");
            }
            noted.state = CallState::Done { text: text.clone(), failed };
        }
        let record = Box::new(completion.record);
        self.ledger.tell(|| Event::ToolEnded {
            call_id: call.id,
            record: record.clone(),
            text: text.clone(),
        });
        self.steps.push(Step::Tool { record, text });
        Ok(())
    }

    /// Lists everything of the batch that needs a person, so that one look is enough.
    async fn suspend(&self, executor: &ToolExecutor) -> Result<bool, RunError> {
        let mut state = self.ledger.state().await;
        let calls = state.batch.iter_mut().flat_map(|batch| &mut batch.calls);
        for call in calls.filter(|call| call.state == CallState::Waiting) {
            if let Ok(Some(request)) = executor.confirmation_of(&call.to_call()) {
                call.state = CallState::Pending(PendingCall::of(&call.call.id, &request));
            }
        }
        state.tools = self.scope.tools().names();
        self.ledger.save(&mut state).await?;
        Ok(false)
    }

    /// All calls have their results: the model reads them in the order of its calls.
    async fn close(&mut self) {
        let mut state = self.ledger.state().await;
        let Some(batch) = state.batch.take() else { return };
        let mut any_failed = false;
        for BatchCall { call, state: call_state, .. } in batch.calls {
            let CallState::Done { text, failed } = call_state else { continue };
            any_failed |= failed;
            state.messages.push(Message::Tool { call_id: call.id, name: call.name, text });
        }
        state.failed_batches = if any_failed { state.failed_batches + 1 } else { 0 };
    }
}

/// Whether a call may run beside others: its tool says so, and nobody has to be asked.
fn runs_beside(executor: &ToolExecutor, call: &BatchCall) -> bool {
    let tool = executor.registry().get(&call.call.name);
    call.state == CallState::Waiting
        && tool.is_some_and(|tool| tool.definition.traits.supports_parallel)
        && matches!(executor.confirmation_of(&call.to_call()), Ok(None))
}

async fn run_one(agent: Arc<Parts>, executor: ToolExecutor, call: ToolCall) -> Completion {
    let content = agent.traced_content.as_ref();
    let span = telemetry::tool_span(&call, content);
    let completion = executor.execute(call.to_call()).instrument(span.clone()).await;
    telemetry::completed(&span, &completion, content);
    completion
}

/// What shows that the model is on a wrong track. A person's no does not.
fn counts_as_failure(completion: &Completion) -> bool {
    match &completion.result {
        Ok(response) => response.status == Status::Error,
        Err(Stop::Refused(Refusal::NotConfirmed { .. })) => false,
        Err(_) => true,
    }
}
