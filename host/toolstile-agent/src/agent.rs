//! An agent: a model, tools, and what surrounds them. Runs are started here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;
use toolstile_core::{RunScope, ToolExecutor, ToolName};

use crate::approval::{Approvals, PendingCall};
use crate::builder::AgentBuilder;
use crate::checkpoint::{CheckpointStore, RunState, StoredRun};
use crate::event::Observer;
use crate::guardrail::Guardrail;
use crate::limits::Limits;
use crate::message::Message;
use crate::model::{ChatModel, Sampling};
use crate::outcome::{RunError, RunId, RunResult};
use crate::redaction::TraceRedactor;
use crate::run::Run;
use crate::tool_choice::ToolChoice;

/// A model that calls tools through the gates until it has an answer. Cheap to clone;
/// runs go on at the same time and do not see each other.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use toolstile_agent::{Agent, RunStatus, ScriptedLlm};
///
/// let agent = Agent::builder().model(ScriptedLlm::new().text("hello")).build().unwrap();
/// let result = agent.run("say hello").await.unwrap();
/// assert_eq!(result.status, RunStatus::Answered);
/// assert_eq!(result.final_output.as_deref(), Some("hello"));
/// # });
/// ```
#[derive(Clone)]
pub struct Agent(Arc<Parts>);

pub(crate) struct Parts {
    pub(crate) name: String,
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) executor: ToolExecutor,
    /// The tools that a run begins with; `None` stands for all.
    pub(crate) shown: Option<Vec<ToolName>>,
    pub(crate) system: Option<String>,
    pub(crate) sampling: Sampling,
    pub(crate) limits: Limits,
    pub(crate) streaming: bool,
    /// What of arguments and results stands in spans; `None` stands for nothing.
    pub(crate) traced_content: Option<TraceRedactor>,
    pub(crate) store: Option<Arc<dyn CheckpointStore>>,
    pub(crate) observers: Vec<Arc<dyn Observer>>,
    pub(crate) input_guardrails: Vec<Arc<dyn Guardrail>>,
    pub(crate) output_guardrails: Vec<Arc<dyn Guardrail>>,
    /// The tools of runs that were suspended in this process: objects that tools added
    /// have no name by which another process could find them.
    pub(crate) suspended: Mutex<HashMap<RunId, Arc<RunScope>>>,
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agent")
            .field("name", &self.0.name)
            .field("model", &self.0.model.name())
            .finish_non_exhaustive()
    }
}

/// What a run is started with. A text is one.
#[derive(Clone, Debug, Default)]
pub struct RunRequest {
    input: String,
    pub(crate) history: Vec<Message>,
    pub(crate) tool_choice: ToolChoice,
    pub(crate) cancel: CancellationToken,
    pub(crate) id: Option<RunId>,
}

impl RunRequest {
    /// What a person asks.
    #[must_use]
    pub fn new(input: impl Into<String>) -> Self {
        Self { input: input.into(), ..Self::default() }
    }

    pub(crate) fn input(&self) -> &str {
        &self.input
    }

    /// The conversation before: [`RunResult::messages`] of the run before.
    #[must_use]
    pub fn history(mut self, messages: Vec<Message>) -> Self {
        self.history = messages;
        self
    }

    /// Whether tools must, may or must not be called.
    #[must_use]
    pub fn tool_choice(mut self, choice: ToolChoice) -> Self {
        self.tool_choice = choice;
        self
    }

    /// Cancels the run when the token is cancelled: what runs is stopped, guests within
    /// one tick of the runtime.
    #[must_use]
    pub fn cancel(mut self, token: CancellationToken) -> Self {
        self.cancel = token;
        self
    }

    /// The identifier of the run, in place of a random one.
    #[must_use]
    pub fn id(mut self, id: RunId) -> Self {
        self.id = Some(id);
        self
    }
}

impl From<&str> for RunRequest {
    fn from(input: &str) -> Self {
        Self::new(input)
    }
}

impl From<String> for RunRequest {
    fn from(input: String) -> Self {
        Self::new(input)
    }
}

impl Agent {
    /// An agent to be configured.
    #[must_use]
    pub fn builder() -> AgentBuilder {
        AgentBuilder::default()
    }

    pub(crate) fn of(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The executor through which its tools are called.
    #[must_use]
    pub fn executor(&self) -> &ToolExecutor {
        &self.0.executor
    }

    /// Runs until there is an answer, a limit, or something to wait for.
    ///
    /// # Errors
    /// [`RunError`]. With a checkpoint store the run stays there and can be resumed.
    pub async fn run(&self, request: impl Into<RunRequest>) -> Result<RunResult, RunError> {
        let run = Run::begin(Arc::clone(&self.0), request.into()).await?;
        run.go_on(false).await
    }

    /// Goes on with a run that was suspended, or that broke off.
    ///
    /// # Errors
    /// As [`Agent::run`], and when there is no such run, or arguments that a person gave
    /// are not accepted; then nothing was decided.
    pub async fn resume(&self, id: &RunId, approvals: Approvals) -> Result<RunResult, RunError> {
        self.resume_until(id, approvals, CancellationToken::new()).await
    }

    /// As [`Agent::resume`], until the token is cancelled.
    ///
    /// # Errors
    /// As [`Agent::resume`].
    pub async fn resume_until(
        &self,
        id: &RunId,
        approvals: Approvals,
        cancel: CancellationToken,
    ) -> Result<RunResult, RunError> {
        let state = self.load(id).await?;
        let run = Run::resume(Arc::clone(&self.0), state, &approvals, cancel).await?;
        run.go_on(true).await
    }

    /// The calls of an unfinished run that wait for a person; those that were running
    /// when the process ended are among them.
    ///
    /// # Errors
    /// There is no such run, or the store does not work.
    pub async fn pending(&self, id: &RunId) -> Result<Vec<PendingCall>, RunError> {
        let state = self.load(id).await?;
        Ok(Run::restored(Arc::clone(&self.0), state, CancellationToken::new()).pending().await)
    }

    /// The unfinished runs in the checkpoint store.
    ///
    /// # Errors
    /// There is no store, or it does not work.
    pub async fn unfinished(&self) -> Result<Vec<StoredRun>, RunError> {
        Ok(self.store()?.list().await?)
    }

    /// Forgets an unfinished run; nothing more of it runs.
    ///
    /// # Errors
    /// There is no store, or it does not work.
    pub async fn discard(&self, id: &RunId) -> Result<(), RunError> {
        self.0.take_suspended(id);
        Ok(self.store()?.remove(id).await?)
    }

    async fn load(&self, id: &RunId) -> Result<RunState, RunError> {
        let kept = self.store()?.load(id).await?;
        let kept = kept.ok_or_else(|| RunError::UnknownRun(id.clone()))?;
        Ok(RunState::read(&kept)?)
    }

    fn store(&self) -> Result<&Arc<dyn CheckpointStore>, RunError> {
        self.0.store.as_ref().ok_or(RunError::NoStore)
    }
}

impl Parts {
    pub(crate) fn take_suspended(&self, id: &RunId) -> Option<Arc<RunScope>> {
        self.suspended.lock().unwrap_or_else(PoisonError::into_inner).remove(id)
    }

    pub(crate) fn keep_suspended(&self, id: &RunId, scope: &Arc<RunScope>) {
        let mut suspended = self.suspended.lock().unwrap_or_else(PoisonError::into_inner);
        suspended.insert(id.clone(), Arc::clone(scope));
    }
}
