//! What an agent is made of, set part by part.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use toolstile_core::{
    AuditSink, Confirm, Middleware, NameError, OnConflict, Origin, RegisteredTool, RegistryError,
    Tool, ToolExecutor, ToolName, ToolPermissions, ToolRegistry,
};

use crate::agent::{Agent, Parts};
use crate::checkpoint::CheckpointStore;
use crate::event::Observer;
use crate::guardrail::Guardrail;
use crate::limits::Limits;
use crate::model::{ChatModel, Sampling};
use crate::redaction::TraceRedactor;

/// Configures an [`Agent`]. Only the model is needed: an agent without tools just
/// answers.
#[derive(Default)]
pub struct AgentBuilder {
    name: Option<String>,
    model: Option<Arc<dyn ChatModel>>,
    source: Source,
    shown: Option<Vec<String>>,
    permissions: Option<ToolPermissions>,
    confirm: Option<Arc<dyn Confirm>>,
    middleware: Vec<Arc<dyn Middleware>>,
    audit: Option<Arc<dyn AuditSink>>,
    system: Option<String>,
    sampling: Sampling,
    limits: Limits,
    streaming: bool,
    traced_content: Option<TraceRedactor>,
    store: Option<Arc<dyn CheckpointStore>>,
    observers: Vec<Arc<dyn Observer>>,
    input_guardrails: Vec<Arc<dyn Guardrail>>,
    output_guardrails: Vec<Arc<dyn Guardrail>>,
}

/// Where the tools come from.
#[derive(Default)]
enum Source {
    #[default]
    Nothing,
    Tools(Vec<Arc<dyn Tool>>),
    Registry(Arc<ToolRegistry>),
    Executor(ToolExecutor),
    Two,
}

impl Source {
    fn or(&mut self, other: Self) {
        *self = match std::mem::take(self) {
            Self::Nothing => other,
            _ => Self::Two,
        };
    }
}

/// Why there is no agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// No model was given.
    #[error("an agent needs a model")]
    NoModel,
    /// The tools were given twice.
    #[error("give the tools once: as `tools`, as `registry` or as `executor`")]
    TwoSources,
    /// Two tools have the same name.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// A tool to begin with has a name that no tool can have.
    #[error(transparent)]
    Name(#[from] NameError),
    /// There is no such tool to begin with.
    #[error("the agent is to begin with the tool `{0}`, and there is no such tool")]
    UnknownTool(ToolName),
}

impl std::fmt::Debug for AgentBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentBuilder").field("name", &self.name).finish_non_exhaustive()
    }
}

impl AgentBuilder {
    /// The name, for records. Default: `agent`.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The model.
    #[must_use]
    pub fn model(self, model: impl ChatModel + 'static) -> Self {
        self.shared_model(Arc::new(model))
    }

    /// The model, shared with others.
    #[must_use]
    pub fn shared_model(mut self, model: Arc<dyn ChatModel>) -> Self {
        self.model = Some(model);
        self
    }

    /// Tools of the embedding program (origin `native`).
    #[must_use]
    pub fn tools(mut self, tools: Vec<Arc<dyn Tool>>) -> Self {
        self.source.or(Source::Tools(tools));
        self
    }

    /// Tools that are registered already, under gates of the agent's own.
    #[must_use]
    pub fn registry(mut self, registry: Arc<ToolRegistry>) -> Self {
        self.source.or(Source::Registry(registry));
        self
    }

    /// Tools with the gates of a host: what is set here goes on top of them.
    #[must_use]
    pub fn executor(mut self, executor: ToolExecutor) -> Self {
        self.source.or(Source::Executor(executor));
        self
    }

    /// The tools that a run begins with, by name and in this order; the others can be
    /// added while it goes on. Default: all.
    #[must_use]
    pub fn shown<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.shown = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Permissions that every call has to pass, on top of those of the executor.
    #[must_use]
    pub fn permissions(mut self, permissions: ToolPermissions) -> Self {
        self.permissions = Some(permissions);
        self
    }

    /// Who confirms. With a checkpoint store nobody is asked: the run is suspended.
    /// Default: that of the executor; without one nobody, so that calls which need
    /// confirmation are refused.
    #[must_use]
    pub fn confirm(mut self, confirm: impl Confirm + 'static) -> Self {
        self.confirm = Some(Arc::new(confirm));
        self
    }

    /// Adds a middleware inside those that were added before.
    #[must_use]
    pub fn middleware(mut self, middleware: impl Middleware + 'static) -> Self {
        self.middleware.push(Arc::new(middleware));
        self
    }

    /// Where the records of calls go.
    #[must_use]
    pub fn audit(mut self, sink: Arc<dyn AuditSink>) -> Self {
        self.audit = Some(sink);
        self
    }

    /// Who the model is and what it should mind.
    #[must_use]
    pub fn system(mut self, prompt: impl Into<String>) -> Self {
        self.system = Some(prompt.into());
        self
    }

    /// How the model chooses its words.
    #[must_use]
    pub fn sampling(mut self, sampling: Sampling) -> Self {
        self.sampling = sampling;
        self
    }

    /// How far a run may go.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Whether the model's text is handed to observers piece by piece. With guardrails
    /// on the output it comes whole, after they passed it. Default: no.
    #[must_use]
    pub fn streaming(mut self, streaming: bool) -> Self {
        self.streaming = streaming;
        self
    }

    /// Puts arguments and results of calls into the spans, as far as the redactor leaves
    /// them. Default: neither stands there.
    #[must_use]
    pub fn trace_content(mut self, redactor: TraceRedactor) -> Self {
        self.traced_content = Some(redactor);
        self
    }

    /// Where runs are kept while they wait for a person, and against crashes.
    #[must_use]
    pub fn checkpoints(mut self, store: impl CheckpointStore + 'static) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// Adds somebody who watches.
    #[must_use]
    pub fn observer(mut self, observer: impl Observer + 'static) -> Self {
        self.observers.push(Arc::new(observer));
        self
    }

    /// Adds a check on what a person asks.
    #[must_use]
    pub fn input_guardrail(mut self, guardrail: impl Guardrail + 'static) -> Self {
        self.input_guardrails.push(Arc::new(guardrail));
        self
    }

    /// Adds a check on the final answer.
    #[must_use]
    pub fn output_guardrail(mut self, guardrail: impl Guardrail + 'static) -> Self {
        self.output_guardrails.push(Arc::new(guardrail));
        self
    }

    /// The agent.
    ///
    /// # Errors
    /// [`AgentError`] names what is missing or does not fit together.
    pub fn build(self) -> Result<Agent, AgentError> {
        let model = self.model.ok_or(AgentError::NoModel)?;
        let mut executor = executor_of(self.source)?.to_builder().repair_arguments(true);
        if let Some(permissions) = self.permissions {
            executor = executor.narrowed(permissions);
        }
        if let Some(confirm) = self.confirm {
            executor = executor.confirm(confirm);
        }
        if let Some(audit) = self.audit {
            executor = executor.audit(audit);
        }
        executor = self.middleware.into_iter().fold(executor, |e, m| e.middleware(m));
        let executor = executor.build();
        let shown = self.shown.map(|names| names_of(&names, executor.registry())).transpose()?;
        Ok(Agent::of(Parts {
            name: self.name.unwrap_or_else(|| "agent".to_owned()),
            model,
            executor,
            shown,
            system: self.system,
            sampling: self.sampling,
            limits: self.limits,
            streaming: self.streaming,
            traced_content: self.traced_content,
            store: self.store,
            observers: self.observers,
            input_guardrails: self.input_guardrails,
            output_guardrails: self.output_guardrails,
            suspended: Mutex::new(HashMap::new()),
        }))
    }
}

fn executor_of(source: Source) -> Result<ToolExecutor, AgentError> {
    let registry = match source {
        Source::Executor(executor) => return Ok(executor),
        Source::Two => return Err(AgentError::TwoSources),
        Source::Registry(registry) => registry,
        Source::Nothing => Arc::default(),
        Source::Tools(tools) => {
            let registry = ToolRegistry::default();
            let native = |tool| RegisteredTool::new(tool, Origin::Native);
            registry.register_all(tools.into_iter().map(native).collect(), OnConflict::Error)?;
            Arc::new(registry)
        }
    };
    Ok(ToolExecutor::builder(registry).build())
}

fn names_of(names: &[String], registry: &ToolRegistry) -> Result<Vec<ToolName>, AgentError> {
    let known = |name: &String| {
        let name = ToolName::parse(name)?;
        match registry.get(name.as_str()) {
            Some(_) => Ok(name),
            None => Err(AgentError::UnknownTool(name)),
        }
    };
    names.iter().map(known).collect()
}
