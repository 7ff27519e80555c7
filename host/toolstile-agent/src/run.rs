//! One run: the model is asked, its calls run, and again, until something ends it.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolstile_core::{LiveTools, RegisteredTool, RunScope, ToolExecutor, ToolName};
use tracing::Instrument as _;

use crate::agent::{Parts, RunRequest};
use crate::approval::{Approval, Approvals, PendingCall, PendingReason};
use crate::checkpoint::{BatchCall, CHECKPOINT_FORMAT, CallState, RunState};
use crate::event::Event;
use crate::guardrail::{self, GuardrailStage};
use crate::ledger::{ByCheckpoint, Ledger, RunGate};
use crate::limits::Limit;
use crate::message::Message;
use crate::outcome::{RunError, RunId, RunResult, RunStatus, Step, Usage};
use crate::telemetry;
use crate::tool_choice::{ToolChoiceError, ToolMode};

/// A run that goes on.
pub(crate) struct Run {
    pub(crate) agent: Arc<Parts>,
    pub(crate) scope: Arc<RunScope>,
    pub(crate) ledger: Arc<Ledger>,
    /// The gates of this run, over all of its tools.
    pub(crate) executor: ToolExecutor,
    /// The gates over the tools of the batch that runs, and what they were made for where
    /// they may serve another batch.
    pub(crate) batch_executor: Option<(Option<BatchTools>, ToolExecutor)>,
    pub(crate) steps: Vec<Step>,
    cancel: CancellationToken,
    /// What the run had cost when this process took it up: limits count from there.
    pub(crate) begun_at: Usage,
    /// Nothing was asked yet, so the input is still to be checked.
    fresh: Option<String>,
}

/// What the tools of a batch depend on.
#[derive(PartialEq)]
pub(crate) struct BatchTools {
    pub(crate) revision: u64,
    pub(crate) mode: ToolMode,
}

/// How the loop ended.
pub(crate) struct End {
    pub(crate) status: RunStatus,
    pub(crate) output: Option<String>,
}

impl End {
    pub(crate) fn of(status: RunStatus) -> Self {
        Self { status, output: None }
    }
}

/// Starting, and taking up again.
impl Run {
    pub(crate) async fn begin(agent: Arc<Parts>, request: RunRequest) -> Result<Self, RunError> {
        let run = request.id.clone().unwrap_or_else(RunId::random);
        if let (Some(store), true) = (&agent.store, request.id.is_some())
            && store.load(&run).await?.is_some()
        {
            return Err(RunError::Unfinished(run));
        }
        let input = request.input().to_owned();
        let mut messages = request.history;
        messages.push(Message::user(input.clone()));
        let registry = agent.executor.registry();
        let tools: Vec<Arc<RegisteredTool>> = match &agent.shown {
            None => registry.tools(),
            Some(names) => names.iter().filter_map(|name| registry.get(name.as_str())).collect(),
        };
        let state = RunState {
            format: CHECKPOINT_FORMAT,
            run,
            revision: 0,
            messages,
            tools: tools.iter().map(|tool| tool.name().clone()).collect(),
            tool_choice: request.tool_choice,
            turns: 0,
            usage: Usage::default(),
            failed_batches: 0,
            unfit_replies: 0,
            finishing: None,
            decided: Vec::new(),
            batch: None,
        };
        let scope = scope_over(&agent, tools);
        let mut begun = Self::new(agent, state, scope, request.cancel);
        begun.fresh = Some(input);
        Ok(begun)
    }

    /// A run out of the store, not decided about yet. Tools whose names are known no
    /// longer are not shown any more.
    pub(crate) fn restored(
        agent: Arc<Parts>,
        mut state: RunState,
        cancel: CancellationToken,
    ) -> Self {
        let scope = agent.take_suspended(&state.run).unwrap_or_else(|| {
            let registry = agent.executor.registry();
            let known = state.tools.iter().filter_map(|name| registry.get(name.as_str()));
            scope_over(&agent, known.collect())
        });
        agent.keep_suspended(&state.run, &scope);
        mark_interrupted(&mut state);
        Self::new(agent, state, scope, cancel)
    }

    pub(crate) async fn resume(
        agent: Arc<Parts>,
        state: RunState,
        approvals: &Approvals,
        cancel: CancellationToken,
    ) -> Result<Self, RunError> {
        let mut run = Self::restored(agent, state, cancel);
        run.decide(approvals).await?;
        // The write is the claim: of two processes that resume one run, one goes on.
        let mut state = run.ledger.state().await;
        run.ledger.save(&mut state).await?;
        drop(state);
        run.agent.take_suspended(&run.ledger.run);
        Ok(run)
    }

    fn new(
        agent: Arc<Parts>,
        state: RunState,
        scope: Arc<RunScope>,
        cancel: CancellationToken,
    ) -> Self {
        let begun_at = state.usage;
        let tool_calls = agent.limits.tool_calls.map(|limit| begun_at.tool_calls + limit);
        let (store, observers) = (agent.store.clone(), agent.observers.clone());
        let ledger = Arc::new(Ledger::new(state, store, observers, tool_calls));
        let mut gates = agent.executor.to_builder().run(Arc::clone(&scope));
        let journal: Arc<Ledger> = Arc::clone(&ledger);
        gates = gates.journal(journal);
        if ledger.store.is_some() {
            gates = gates.confirm(Arc::new(ByCheckpoint(Arc::clone(&ledger))));
        }
        if ledger.store.is_some() || tool_calls.is_some() {
            gates = gates.outermost(Arc::new(RunGate(Arc::clone(&ledger))));
        }
        let executor = gates.build();
        let (steps, fresh) = (Vec::new(), None);
        Self {
            agent,
            scope,
            ledger,
            executor,
            batch_executor: None,
            steps,
            cancel,
            begun_at,
            fresh,
        }
    }

    pub(crate) async fn pending(&self) -> Vec<PendingCall> {
        self.ledger.state().await.pending()
    }

    /// Takes a person's decisions over, all or none.
    async fn decide(&mut self, approvals: &Approvals) -> Result<(), RunError> {
        let executor = self.batch_executor().await;
        let mut state = self.ledger.state().await;
        let Some(mut batch) = state.batch.clone() else { return Ok(()) };
        let mut decided = Vec::new();
        for call in &mut batch.calls {
            let CallState::Pending(pending) = &call.state else { continue };
            let Some(approval) = approvals.of(&call.call.id) else { continue };
            decided.push(call.call.id.clone());
            let digest = pending.digest.clone();
            match approval {
                Approval::Approve => call.state = CallState::Approved { digest },
                Approval::Reject { reason } => {
                    call.state = CallState::Rejected { reason: reason.clone() };
                }
                Approval::Edit { arguments } => edit(call, arguments, &executor)?,
            }
        }
        state.decided.extend(decided);
        state.batch = Some(batch);
        Ok(())
    }
}

fn scope_over(agent: &Parts, tools: Vec<Arc<RegisteredTool>>) -> Arc<RunScope> {
    let live = LiveTools::new(agent.executor.clone());
    // The names of a registry are unique, and a list that is empty takes all.
    let added = live.add_registered(tools);
    debug_assert!(added.is_ok(), "the tools of a registry have different names");
    Arc::new(RunScope::new(live))
}

/// What was running when the process ended may have run; a person has to decide.
fn mark_interrupted(state: &mut RunState) {
    for call in state.batch.iter_mut().flat_map(|batch| &mut batch.calls) {
        if call.state != CallState::Started {
            continue;
        }
        let arguments = serde_json::from_str(&call.call.arguments).unwrap_or_default();
        let tool = call.call.name.clone();
        call.state = CallState::Pending(PendingCall {
            call_id: call.call.id.clone(),
            text: format!("{tool} {}\n  it was interrupted and may have run", call.call.arguments),
            tool,
            arguments,
            reason: PendingReason::Interrupted,
            digest: None,
        });
    }
}

/// Puts a person's arguments in place of the model's, when the gates accept them.
fn edit(
    call: &mut BatchCall,
    arguments: &serde_json::Value,
    executor: &ToolExecutor,
) -> Result<(), RunError> {
    call.call.arguments = arguments.to_string();
    let asked = executor.confirmation_of(&call.to_call());
    let refused = |refusal| RunError::InvalidEdit { call_id: call.call.id.clone(), refusal };
    let digest = asked.map_err(refused)?.map(|request| request.digest());
    call.state = CallState::Approved { digest };
    call.remark = Some(format!("a person changed the arguments of this call to {arguments}"));
    Ok(())
}

/// The loop.
impl Run {
    pub(crate) async fn go_on(mut self, resumed: bool) -> Result<RunResult, RunError> {
        let span = telemetry::run_span(&self.agent, &self.ledger.run);
        let ledger = Arc::clone(&self.ledger);
        ledger.tell(|| Event::RunStarted { resumed });
        let ended = self.until_ended().instrument(span.clone()).await;
        let result = match ended {
            Ok(end) => self.finish(end).await,
            Err(error) => Err(error),
        };
        if let Err(error) = &result {
            telemetry::failed(&span, error);
            ledger.tell(|| Event::RunFailed { reason: error.to_string() });
        }
        result
    }

    /// What is stopped from outside is dropped where it stands, guests included.
    async fn until_ended(&mut self) -> Result<End, RunError> {
        let cancel = self.cancel.clone();
        let wall_time = self.agent.limits.wall_time;
        tokio::select! {
            biased;
            () = cancel.cancelled() => Ok(End::of(RunStatus::Cancelled)),
            () = passed(wall_time) => Ok(End::of(RunStatus::LimitReached(Limit::WallTime))),
            ended = self.turns() => ended,
        }
    }

    async fn turns(&mut self) -> Result<End, RunError> {
        if let Some(input) = self.fresh.take()
            && let Some(end) = self.check_text(GuardrailStage::Input, &input).await
        {
            return Ok(end);
        }
        loop {
            if self.ledger.state().await.batch.is_some() {
                if !self.run_batch().await? {
                    return Ok(End::of(RunStatus::AwaitingApproval));
                }
                if self.scope.ended() {
                    return Ok(End::of(RunStatus::StoppedByTool));
                }
            }
            if let Some(end) = self.check_limits().await {
                return Ok(end);
            }
            let reply = self.ask().await?;
            if let Some(end) = self.take(reply).await? {
                return Ok(end);
            }
        }
    }

    /// Before the model is asked. Where a limit leaves room for a final answer the run
    /// is set to ask for it.
    async fn check_limits(&self) -> Option<End> {
        let (limits, mut state) = (&self.agent.limits, self.ledger.state().await);
        let asked = state.usage.model_calls - self.begun_at.model_calls;
        if limits.model_calls.is_some_and(|limit| asked >= limit) {
            return Some(End::of(RunStatus::LimitReached(Limit::ModelCalls)));
        }
        let called = state.usage.tool_calls - self.begun_at.tool_calls;
        let finishing = if state.turns >= limits.turns {
            Some(Limit::Turns)
        } else if limits.tool_calls.is_some_and(|limit| limit > 0 && called >= limit) {
            Some(Limit::ToolCalls)
        } else if limits.failed_batches.is_some_and(|limit| state.failed_batches >= limit.max(1)) {
            Some(Limit::FailedBatches)
        } else {
            None
        };
        state.finishing = state.finishing.or(finishing);
        None
    }

    /// The tools that the model is shown, and whether it has to call one.
    pub(crate) async fn offer(&self) -> Result<(Vec<Arc<RegisteredTool>>, ToolMode), RunError> {
        let state = self.ledger.state().await;
        let mut tools = self.scope.tools().tools();
        tools.retain(|tool| {
            state.tool_choice.allows(tool.name())
                && self.executor.check_permissions(tool).is_ok()
                && self.agent.limits.tool_calls != Some(0)
        });
        if state.finishing.is_some() {
            return Ok((tools, ToolMode::None));
        }
        let mode = state.tool_choice.mode.clone();
        let shown = |name: &ToolName| tools.iter().any(|tool| tool.name() == name);
        match &mode {
            ToolMode::Required(Some(name)) if !shown(name) => {
                Err(ToolChoiceError::NotShown(name.clone()).into())
            }
            ToolMode::Required(None) if tools.is_empty() => {
                Err(ToolChoiceError::NothingShown.into())
            }
            _ => Ok((tools, mode)),
        }
    }

    pub(crate) async fn check_text(&self, stage: GuardrailStage, text: &str) -> Option<End> {
        let guardrails = match stage {
            GuardrailStage::Input => &self.agent.input_guardrails,
            GuardrailStage::Output => &self.agent.output_guardrails,
        };
        let blocked = guardrail::check(guardrails, stage, text).await.err()?;
        self.ledger.tell(|| Event::GuardrailBlocked(blocked.clone()));
        Some(End::of(RunStatus::Blocked(blocked)))
    }

    async fn finish(self, end: End) -> Result<RunResult, RunError> {
        let mut state = self.ledger.state().await;
        let pending = match end.status {
            RunStatus::AwaitingApproval => state.pending(),
            _ => Vec::new(),
        };
        match (&end.status, &self.ledger.store) {
            (RunStatus::AwaitingApproval, _) => {
                self.agent.keep_suspended(&self.ledger.run, &self.scope);
                self.ledger.tell(|| Event::Suspended { pending: pending.clone() });
            }
            // What was stopped from outside can be taken up again.
            (RunStatus::Cancelled | RunStatus::LimitReached(Limit::WallTime), _) => {}
            (_, Some(store)) => store.remove(&self.ledger.run).await?,
            (_, None) => {}
        }
        if end.status != RunStatus::AwaitingApproval {
            close_batch(&mut state, &end.status);
        }
        self.ledger.tell(|| Event::RunEnded { status: end.status.clone() });
        Ok(RunResult {
            id: self.ledger.run.clone(),
            status: end.status,
            final_output: end.output,
            steps: self.steps,
            usage: state.usage,
            pending,
            messages: std::mem::take(&mut state.messages),
        })
    }
}

async fn passed(wall_time: Option<Duration>) {
    match wall_time {
        Some(wall_time) => tokio::time::sleep(wall_time).await,
        None => pending().await,
    }
}

/// A history in which a call has no result is one that no provider accepts.
fn close_batch(state: &mut RunState, status: &RunStatus) {
    let Some(batch) = state.batch.take() else { return };
    for BatchCall { call, state: call_state, .. } in batch.calls {
        let text = match call_state {
            CallState::Done { text, .. } => text,
            CallState::Started => "Error: the run ended while this call ran".to_owned(),
            _ => format!("Error: the run ended before this call ran ({})", status.as_str()),
        };
        state.messages.push(Message::Tool { call_id: call.id, name: call.name, text });
    }
}
