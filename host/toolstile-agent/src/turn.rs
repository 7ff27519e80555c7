//! One turn: asking the model, and what its reply means for the run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tracing::Instrument as _;

use crate::checkpoint::{Batch, BatchCall, CallState, RunState};
use crate::event::Event;
use crate::guardrail::GuardrailStage;
use crate::limits::Limit;
use crate::message::{Message, ToolCall};
use crate::model::{ChatReply, ChatRequest, Finish, ModelError};
use crate::outcome::{RunError, RunStatus, Step};
use crate::run::{End, Run};
use crate::telemetry;
use crate::tool_choice::ToolMode;

/// The first wait before a request is repeated; it doubles each time.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// Replies in a row that do not fit before the run gives up.
const MAX_UNFIT: usize = 2;

const NUDGE_FOR_TEXT: &str = "Your reply was empty. Answer in text, or call a tool.";
const CUT_REPLY: &str = "Error: the reply was cut at the token limit, so none of its calls ran. \
                         Call again, with shorter arguments or fewer calls.";

/// Asking.
impl Run {
    /// Asks the model, after the run was written down.
    pub(crate) async fn ask(&mut self) -> Result<(ChatReply, ToolMode), RunError> {
        let (tools, mode) = self.offer().await?;
        let mut state = self.ledger.state().await;
        if state.finishing.is_none() {
            state.turns += 1;
        }
        state.tools = self.scope.tools().names();
        self.ledger.save(&mut state).await?;
        self.ledger.tell(|| Event::ModelAsked {
            turn: state.turns,
            tools: tools.iter().map(|tool| tool.name().to_string()).collect(),
        });
        let started = Instant::now();
        let request = ChatRequest {
            system: self.agent.system.as_deref(),
            messages: &state.messages,
            tools: &tools,
            tool_choice: &mode,
            sampling: self.agent.sampling,
        };
        let span = telemetry::chat_span(&self.agent);
        let reply = self.ask_until_answered(&request).instrument(span.clone()).await;
        telemetry::replied(&span, &reply);
        let reply = reply?;
        state.usage.model_calls += 1;
        let tokens = &mut state.usage.tokens;
        tokens.input_tokens = tokens.input_tokens.saturating_add(reply.usage.input_tokens);
        tokens.output_tokens = tokens.output_tokens.saturating_add(reply.usage.output_tokens);
        drop(state);
        self.note(&reply, started.elapsed());
        Ok((reply, mode))
    }

    fn note(&mut self, reply: &ChatReply, duration: Duration) {
        self.steps.push(Step::Model {
            text: reply.text.clone(),
            calls: reply.calls.len(),
            usage: reply.usage,
            duration,
        });
        self.ledger.tell(|| Event::ModelReplied {
            text: reply.text.clone(),
            calls: reply.calls.clone(),
            usage: reply.usage,
        });
    }

    /// Repeats a request that failed for a reason that may pass, unless some of the
    /// answer was handed out already.
    async fn ask_until_answered(&self, request: &ChatRequest<'_>) -> Result<ChatReply, ModelError> {
        let limits = &self.agent.limits;
        let mut wait = FIRST_WAIT;
        for retries_left in (0..=limits.retries).rev() {
            let (reply, handed_out) = self.ask_once(request).await;
            let error = match reply {
                Err(error) if error.is_transient() && !handed_out && retries_left > 0 => error,
                other => return other,
            };
            let asked_for = match &error {
                ModelError::RateLimited { retry_after, .. } => *retry_after,
                _ => None,
            };
            let pause = asked_for.unwrap_or(wait);
            if pause > limits.retry_wait {
                return Err(error);
            }
            self.ledger.tell(|| Event::ModelRetried { reason: error.to_string() });
            tokio::time::sleep(pause).await;
            wait *= 2;
        }
        unreachable!("the last try is returned whatever it gave")
    }

    async fn ask_once(&self, request: &ChatRequest<'_>) -> (Result<ChatReply, ModelError>, bool) {
        if !self.agent.streaming || !self.agent.output_guardrails.is_empty() {
            return (self.agent.model.reply(request).await, false);
        }
        let handed_out = AtomicBool::new(false);
        let on_text = |text: &str| {
            handed_out.store(true, Ordering::Relaxed);
            self.ledger.tell(|| Event::TextDelta { text: text.to_owned() });
        };
        let reply = self.agent.model.stream(request, &on_text).await;
        (reply, handed_out.load(Ordering::Relaxed))
    }
}

/// What a reply means.
impl Run {
    /// Takes a reply over: an answer ends the run, calls become the next batch.
    pub(crate) async fn take(
        &mut self,
        (reply, mode): (ChatReply, ToolMode),
    ) -> Result<Option<End>, RunError> {
        let finishing = self.ledger.state().await.finishing;
        if let Some(limit) = finishing {
            // Calls are dropped: this was asked for as the last word.
            return Ok(Some(self.answer(reply, RunStatus::LimitReached(limit)).await));
        }
        if reply.calls.is_empty() {
            return self.take_text(reply, &mode).await;
        }
        if self.out_of_tokens().await {
            self.begin_batch(reply, &mode).await?;
            return Ok(Some(End::of(RunStatus::LimitReached(Limit::Tokens))));
        }
        self.begin_batch(reply, &mode).await?;
        Ok(None)
    }

    async fn take_text(
        &mut self,
        reply: ChatReply,
        mode: &ToolMode,
    ) -> Result<Option<End>, RunError> {
        let blank = reply.text.trim().is_empty();
        if !blank && !matches!(mode, ToolMode::Required(_)) {
            return Ok(Some(self.answer(reply, RunStatus::Answered).await));
        }
        let mut state = self.ledger.state().await;
        state.unfit_replies += 1;
        if state.unfit_replies >= MAX_UNFIT {
            return match mode {
                ToolMode::Required(_) => Err(ignored(mode, reply.text)),
                _ => Ok(Some(End::of(RunStatus::NoAnswer))),
            };
        }
        if self.out_of_tokens_in(&state) {
            return Ok(Some(End::of(RunStatus::LimitReached(Limit::Tokens))));
        }
        if !blank {
            let ChatReply { text, state: provider, .. } = reply;
            state.messages.push(Message::Assistant { text, calls: Vec::new(), state: provider });
        }
        let nudge = match mode {
            ToolMode::Required(_) => format!("Call {} now.", wanted(mode)),
            _ => NUDGE_FOR_TEXT.to_owned(),
        };
        state.messages.push(Message::user(nudge));
        Ok(None)
    }

    /// The last word of the model, checked before anybody reads it.
    async fn answer(&self, reply: ChatReply, status: RunStatus) -> End {
        let text = reply.text.clone();
        if text.trim().is_empty() {
            return End::of(status);
        }
        if let Some(blocked) = self.check_text(GuardrailStage::Output, &text).await {
            return blocked;
        }
        if self.agent.streaming && !self.agent.output_guardrails.is_empty() {
            self.ledger.tell(|| Event::TextDelta { text: text.clone() });
        }
        let state = if reply.calls.is_empty() { reply.state } else { None };
        let message = Message::Assistant { text: text.clone(), calls: Vec::new(), state };
        self.ledger.state().await.messages.push(message);
        End { status, output: Some(text) }
    }

    async fn out_of_tokens(&self) -> bool {
        let state = self.ledger.state().await;
        self.out_of_tokens_in(&state)
    }

    fn out_of_tokens_in(&self, state: &RunState) -> bool {
        let used = state.usage.tokens.total() - self.begun_at.tokens.total();
        self.agent.limits.tokens.is_some_and(|limit| used >= limit)
    }

    /// The calls of a reply become a batch, each under an identifier of its own.
    async fn begin_batch(&mut self, mut reply: ChatReply, mode: &ToolMode) -> Result<(), RunError> {
        let cut = reply.finish == Finish::Length;
        let executor = self.executor_for(mode).await;
        let mut state = self.ledger.state().await;
        if self.ledger.store.is_some() {
            for call in ambiguous(&reply.calls) {
                // Who approves must know what.
                if matches!(executor.confirmation_of(&call.to_call()), Ok(Some(_))) {
                    let id = if call.id.is_empty() { "none".into() } else { call.id.clone() };
                    let detail = format!("`{}` has the identifier {id}", call.name);
                    return Err(RunError::CallIds { detail });
                }
            }
        }
        if make_distinct(&mut reply.calls, &state) {
            // It names the calls by other identifiers than we do now.
            reply.state = None;
        }
        let names = executor.registry().tools();
        let calls = reply.calls.iter().map(|call| BatchCall {
            call: call.clone(),
            state: match cut {
                true => CallState::Done { text: CUT_REPLY.to_owned(), failed: true },
                false => CallState::Waiting,
            },
            remark: None,
        });
        let (calls, tools) = (calls.collect(), names.iter().map(|t| t.name().clone()).collect());
        state.batch = Some(Batch { calls, tools });
        judge_choice(&mut state, &reply, mode)?;
        state.messages.push(Message::Assistant {
            text: reply.text,
            calls: reply.calls,
            state: reply.state,
        });
        Ok(())
    }
}

/// `required` holds until a call that it admits was made; a reply that makes none is
/// borne once.
fn judge_choice(state: &mut RunState, reply: &ChatReply, mode: &ToolMode) -> Result<(), RunError> {
    if matches!(mode, ToolMode::Required(_)) {
        if !reply.calls.iter().any(|call| mode.admits(&call.name)) {
            state.unfit_replies += 1;
            return match state.unfit_replies >= MAX_UNFIT {
                true => Err(ignored(mode, reply.text.clone())),
                false => Ok(()),
            };
        }
        state.tool_choice.mode = ToolMode::Auto;
    }
    state.unfit_replies = 0;
    Ok(())
}

fn ignored(mode: &ToolMode, text: String) -> RunError {
    RunError::ToolChoiceIgnored { wanted: wanted(mode), text }
}

fn wanted(mode: &ToolMode) -> String {
    match mode {
        ToolMode::Required(Some(name)) => format!("the tool `{name}`"),
        _ => "a tool".to_owned(),
    }
}

/// Calls whose identifier is missing, or is that of another call of the reply.
fn ambiguous(calls: &[ToolCall]) -> impl Iterator<Item = &ToolCall> {
    calls.iter().filter(|call| {
        call.id.is_empty() || calls.iter().filter(|other| other.id == call.id).count() > 1
    })
}

/// Gives calls another identifier where theirs is missing, is taken in this batch, or
/// was decided about before. Says whether any was changed.
fn make_distinct(calls: &mut [ToolCall], state: &RunState) -> bool {
    let mut changed = false;
    for index in 0..calls.len() {
        let (before, rest) = calls.split_at_mut(index);
        let call = &mut rest[0];
        let taken = |id: &str| {
            before.iter().any(|other| other.id == id) || state.decided.iter().any(|d| d == id)
        };
        if !call.id.is_empty() && !taken(&call.id) {
            continue;
        }
        let stem = if call.id.is_empty() { "call" } else { &call.id };
        let base = format!("{stem}#t{}-{index}", state.turns);
        let numbered = (1..).map(|number| format!("{base}-{number}"));
        let free = std::iter::once(base.clone()).chain(numbered).find(|id| !taken(id));
        call.id = free.unwrap_or(base);
        changed = true;
    }
    changed
}
