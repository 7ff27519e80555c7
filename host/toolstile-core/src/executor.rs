//! One tool call, from top to bottom.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;

use serde_json::Value;

use crate::arguments::{Arguments, ArgumentsError, ArgumentsText};
use crate::assessment::Assessment;
use crate::audit::{AuditSink, NoSink, Verdict};
use crate::builder::ToolExecutorBuilder;
use crate::call::{Call, Completion, Stop};
use crate::caller::Caller;
use crate::confirm::{Confirm, ConfirmRequest, Decision, DenyAll};
use crate::context::{CallContext, RunScope};
use crate::guard::ResultGuard;
use crate::journal::Journal;
use crate::middleware::{Invocation, Middleware, Next};
use crate::permissions::{PermissionDenial, ToolPermissions};
use crate::recorder::{Recorder, Trace};
use crate::redactor::Redactor;
use crate::refusal::{Gate, Refusal};
use crate::registry::{RegisteredTool, ToolRegistry};
use crate::repair;
use crate::response::{Status, ToolResponse};
use crate::schema::Violation;
use crate::strict_json::JsonLimits;
use crate::suggest::nearest;
use crate::tool::{FailureKind, ToolError};

/// How long a person may take to answer.
const CONFIRM_TIMEOUT: Duration = Duration::from_secs(600);

/// Names that a refusal lists at most.
const MAX_LISTED: usize = 20;

/// Passes calls through the gates to their tools.
#[derive(Clone)]
pub struct ToolExecutor(Arc<Parts>);

#[derive(Clone)]
pub(crate) struct Parts {
    pub(crate) registry: Arc<ToolRegistry>,
    /// A call has to pass all of them.
    pub(crate) permissions: Vec<ToolPermissions>,
    pub(crate) middleware: Vec<Arc<dyn Middleware>>,
    pub(crate) confirm: Arc<dyn Confirm>,
    pub(crate) confirm_timeout: Duration,
    pub(crate) guard: ResultGuard,
    pub(crate) redactor: Redactor,
    pub(crate) audit: Arc<dyn AuditSink>,
    pub(crate) argument_limits: JsonLimits,
    pub(crate) repair_arguments: bool,
    pub(crate) journal: Option<Arc<dyn Journal>>,
    pub(crate) run: Option<Arc<RunScope>>,
    pub(crate) caller: Option<Arc<dyn Caller>>,
}

impl std::fmt::Debug for ToolExecutor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolExecutor")
            .field("registry", &self.0.registry)
            .field("permissions", &self.0.permissions)
            .finish_non_exhaustive()
    }
}

impl ToolExecutor {
    /// An executor to be configured; without more it permits everything, confirms
    /// nothing and keeps no records.
    #[must_use]
    pub fn builder(registry: Arc<ToolRegistry>) -> ToolExecutorBuilder {
        ToolExecutorBuilder(Parts {
            registry,
            permissions: Vec::new(),
            middleware: Vec::new(),
            confirm: Arc::new(DenyAll),
            confirm_timeout: CONFIRM_TIMEOUT,
            guard: ResultGuard::default(),
            redactor: Redactor::default(),
            audit: Arc::new(NoSink),
            argument_limits: JsonLimits::ARGUMENTS,
            repair_arguments: false,
            journal: None,
            run: None,
            caller: None,
        })
    }

    /// An executor that is as this one but for what is set on the builder.
    #[must_use]
    pub fn to_builder(&self) -> ToolExecutorBuilder {
        ToolExecutorBuilder(Parts::clone(&self.0))
    }

    pub(crate) fn of(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// The tools.
    #[must_use]
    pub fn registry(&self) -> &Arc<ToolRegistry> {
        &self.0.registry
    }

    /// The tools that may be called, in order.
    #[must_use]
    pub fn permitted_tools(&self) -> Vec<Arc<RegisteredTool>> {
        let mut tools = self.0.registry.tools();
        tools.retain(|tool| self.check_permissions(tool).is_ok());
        tools
    }

    /// Whether the permissions let a tool through.
    ///
    /// # Errors
    /// The rule that refuses it.
    pub fn check_permissions(&self, tool: &RegisteredTool) -> Result<(), PermissionDenial> {
        self.check_name(tool.name().as_str(), Some(&tool.origin_text))
    }

    fn check_name(&self, name: &str, origin: Option<&str>) -> Result<(), PermissionDenial> {
        self.0.permissions.iter().try_for_each(|permissions| permissions.check(name, origin))
    }

    pub(crate) fn has_middleware(&self) -> bool {
        !self.0.middleware.is_empty()
    }

    /// Runs one call through all gates. Every call that is started leaves exactly
    /// one audit record, also when this future is dropped before it ends.
    pub async fn execute(&self, call: Call) -> Completion {
        let mut recorder = Recorder::start(&self.0, &call);
        let result = self.pass(&call, &mut recorder).await;
        // Before the guard cuts: half a secret would not be found.
        let result = self.0.redactor.redact_result(result);
        let result = result.map(|response| self.0.guard.apply(response));
        recorder.finish(result)
    }

    async fn pass(&self, call: &Call, recorder: &mut Recorder<'_>) -> Result<ToolResponse, Stop> {
        let tool = self.resolve(call, &recorder.trace)?;
        recorder.tool = Some(Arc::clone(&tool));
        self.permit(call, &tool, &recorder.trace)?;
        let (arguments, assessment) = self.validate(call, &tool, &recorder.trace)?;
        let checked = Protected {
            parts: &self.0,
            trace: &recorder.trace,
            tool: &tool,
            assessment,
            // Only a middleware can change them, so only then is a copy kept.
            validated: (!self.0.middleware.is_empty()).then(|| arguments.clone()),
        };
        let context =
            CallContext::new(call.id.as_deref(), self.0.run.as_ref(), self.0.caller.as_ref());
        let invocation = Invocation { context, tool: Arc::clone(&tool), arguments };
        if self.0.middleware.is_empty() {
            return checked.run(invocation).await;
        }
        let next = Next { chain: &self.0.middleware, last: &checked };
        let result = next.run(invocation).await;
        note_middleware(&recorder.trace, &result);
        result
    }

    /// Gate 1. A name that no tool has is judged by the name lists first, so that
    /// a refusal does not tell which names exist.
    pub(crate) fn resolve(
        &self,
        call: &Call,
        trace: &Trace,
    ) -> Result<Arc<RegisteredTool>, Refusal> {
        if let Some(tool) = self.0.registry.get(&call.tool) {
            trace.passed(Gate::Registry, None);
            return Ok(tool);
        }
        let name = call.tool.clone();
        if let Err(reason) = self.check_name(&name, None) {
            return Err(trace.refused(Refusal::NotPermitted { name, reason }));
        }
        let mut known: Vec<String> =
            self.permitted_tools().iter().map(|tool| tool.name().to_string()).collect();
        let nearest = nearest(&name, known.iter().map(String::as_str)).map(str::to_owned);
        known.truncate(MAX_LISTED);
        Err(trace.refused(Refusal::UnknownTool { name, nearest, known }))
    }

    /// Gate 2.
    pub(crate) fn permit(
        &self,
        call: &Call,
        tool: &RegisteredTool,
        trace: &Trace,
    ) -> Result<(), Refusal> {
        match self.check_permissions(tool) {
            Ok(()) => trace.passed(Gate::Permissions, None),
            Err(reason) => {
                let name = call.tool.clone();
                return Err(trace.refused(Refusal::NotPermitted { name, reason }));
            }
        }
        Ok(())
    }

    /// Gate 3. The value that is validated is the value that runs.
    pub(crate) fn validate(
        &self,
        call: &Call,
        tool: &RegisteredTool,
        trace: &Trace,
    ) -> Result<(Arguments, Assessment), Refusal> {
        let name = || tool.name().to_string();
        let mut repairs = Vec::new();
        let given = self.read(&call.arguments, &mut repairs).map_err(|reason| {
            trace.refused(Refusal::MalformedArguments { tool: name(), reason })
        })?;
        let completed = self.complete_repaired(tool, given, &mut repairs);
        let (arguments, assessment) = completed.map_err(|violations| {
            trace.refused(Refusal::InvalidArguments { tool: name(), violations })
        })?;
        let repaired = (!repairs.is_empty()).then(|| format!("repaired: {}", repairs.join("; ")));
        let notes: Vec<String> = assessment.rules().into_iter().chain(repaired).collect();
        trace.passed(Gate::Schema, (!notes.is_empty()).then(|| notes.join("; ")));
        Ok((arguments, assessment))
    }
}

/// Reading the arguments of a model, and mending them where that is switched on.
impl ToolExecutor {
    fn read(
        &self,
        given: &ArgumentsText,
        repairs: &mut Vec<String>,
    ) -> Result<Arguments, ArgumentsError> {
        let limits = self.0.argument_limits;
        let read = Arguments::read(given, limits);
        let (Err(ArgumentsError::NotAnObject(_)), ArgumentsText::Text(text), true) =
            (&read, given, self.0.repair_arguments)
        else {
            return read;
        };
        let Some(Value::Object(object)) = repair::unwrap_object(text, limits) else { return read };
        repairs.push("the arguments were an object as text".to_owned());
        Ok(Arguments::from_object(object))
    }

    fn complete_repaired(
        &self,
        tool: &RegisteredTool,
        given: Arguments,
        repairs: &mut Vec<String>,
    ) -> Result<(Arguments, Assessment), Vec<Violation>> {
        if !self.0.repair_arguments {
            return complete(tool, given);
        }
        let schema = &tool.definition.input_schema;
        let original = given.clone();
        let violations = match complete(tool, given) {
            Err(violations) => violations,
            completed => return completed,
        };
        let limits = self.0.argument_limits;
        match repair::repair(schema, original.as_value(), &violations, limits) {
            Some((Value::Object(object), notes)) => {
                repairs.extend(notes);
                complete(tool, Arguments::from_object(object))
            }
            _ => Err(violations),
        }
    }
}

/// Validates against the schema, then against what the tool was granted.
fn complete(
    tool: &RegisteredTool,
    given: Arguments,
) -> Result<(Arguments, Assessment), Vec<Violation>> {
    let value = tool.definition.input_schema.complete(given.into_object().into())?;
    let Value::Object(object) = value else { unreachable!("completing an object gives an object") };
    let arguments = Arguments::from_object(object);
    let assessment = AssertUnwindSafe(|| tool.tool.assess(&arguments));
    // What cannot be assessed is not acceptable.
    let assessed = std::panic::catch_unwind(assessment);
    let assessment = assessed.unwrap_or_else(|_| Err(vec![Violation::not_assessed()]))?;
    Ok((arguments, assessment))
}

/// A refusal that no gate noted, and an answer that the tool did not give, are a
/// middleware's own.
fn note_middleware(trace: &Trace, result: &Result<ToolResponse, Stop>) {
    match result {
        Err(Stop::Refused(refusal)) if !trace.ends_with(refusal) => {
            trace.push(Gate::Middleware, Verdict::Refused, Some(refusal.kind().into()));
        }
        Err(Stop::Refused(_)) => {}
        Err(Stop::Aborted { .. }) => {
            trace.push(Gate::Middleware, Verdict::Refused, Some("aborted".into()));
        }
        _ if trace.met(Gate::Capabilities) => {}
        _ => trace.push(Gate::Middleware, Verdict::Answered, None),
    }
}

/// What lies behind the middlewares: the gates that protect the tool, and the tool.
pub(crate) struct Protected<'a> {
    parts: &'a Parts,
    trace: &'a Trace,
    /// The tool that was permitted: it runs, whatever a middleware passes on.
    tool: &'a RegisteredTool,
    /// What gate 3 made of the arguments.
    assessment: Assessment,
    validated: Option<Arguments>,
}

impl Protected<'_> {
    pub(crate) async fn run(&self, invocation: Invocation) -> Result<ToolResponse, Stop> {
        let Invocation { context, mut arguments, .. } = invocation;
        let tool = self.tool;
        self.trace.note_arguments(&arguments);
        let again = self.revalidate(tool, &mut arguments)?;
        let assessment = again.as_ref().unwrap_or(&self.assessment);
        self.confirm(tool, &arguments, assessment, &context).await?;
        if let Some(journal) = &self.parts.journal {
            let noted = journal.starting(tool, &arguments, &context).await;
            noted.map_err(|stop| self.trace.stopped(stop))?;
        }
        self.trace.passed(Gate::Capabilities, granted_text(tool));
        // What was validated and confirmed is what runs: nothing below can change it.
        let answer = AssertUnwindSafe(tool.tool.call(&arguments, &context)).catch_unwind().await;
        let response = answer.unwrap_or_else(|panic| Err(panicked(&*panic)))?;
        check_output(tool, &response)?;
        Ok(response)
    }

    /// Gate 4 ends here, gate 5 checks what it changed and assesses it anew.
    fn revalidate(
        &self,
        tool: &RegisteredTool,
        arguments: &mut Arguments,
    ) -> Result<Option<Assessment>, Refusal> {
        match &self.validated {
            None => return Ok(None),
            Some(validated) if validated == arguments => {
                self.trace.passed(Gate::Middleware, None);
                return Ok(None);
            }
            Some(_) => self.trace.push(Gate::Middleware, Verdict::Changed, None),
        }
        let limits = self.parts.argument_limits;
        let name = || tool.name().to_string();
        limits.check(arguments.as_value()).map_err(|error| {
            let reason = error.into();
            self.trace.refused(Refusal::MalformedArguments { tool: name(), reason })
        })?;
        let assessment;
        (*arguments, assessment) = complete(tool, arguments.clone()).map_err(|violations| {
            self.trace.refused(Refusal::InvalidArguments { tool: name(), violations })
        })?;
        self.trace.note_arguments(arguments);
        self.trace.passed(Gate::Schema, Some("again".into()));
        Ok(Some(assessment))
    }

    /// Gate 6. A confirmer gets a copy; one that panics refuses.
    async fn confirm(
        &self,
        tool: &RegisteredTool,
        arguments: &Arguments,
        assessment: &Assessment,
        context: &CallContext,
    ) -> Result<(), Refusal> {
        if !tool.confirm.applies(arguments) && assessment.needs_confirmation().is_none() {
            self.trace.passed(Gate::Confirm, Some("not needed".into()));
            return Ok(());
        }
        let request = ConfirmRequest::of(tool, arguments, assessment, context.call_id());
        let asked = AssertUnwindSafe(self.parts.confirm.confirm(&request)).catch_unwind();
        let name = tool.name().to_string();
        let Ok(asked) = tokio::time::timeout(self.parts.confirm_timeout, asked).await else {
            let reason = Some("nobody answered in time".into());
            return Err(self.trace.refused(Refusal::NotConfirmed { tool: name, reason }));
        };
        match asked {
            Ok(Decision::Approve) => {
                self.trace.passed(Gate::Confirm, Some("approved".into()));
                Ok(())
            }
            Ok(Decision::Deny { reason }) => {
                Err(self.trace.refused(Refusal::NotConfirmed { tool: name, reason }))
            }
            Ok(Decision::Defer) => {
                let digest = request.digest();
                Err(self.trace.refused(Refusal::Deferred { tool: name, digest }))
            }
            Err(_) => {
                let reason = Some("asking for it failed".into());
                Err(self.trace.refused(Refusal::NotConfirmed { tool: name, reason }))
            }
        }
    }
}

fn granted_text(tool: &RegisteredTool) -> Option<String> {
    let granted = &tool.capabilities.granted;
    (!granted.is_empty()).then(|| granted.join(", "))
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> ToolError {
    let message = panic.downcast_ref::<&str>().copied();
    let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    ToolError::new(FailureKind::Crash, format!("panicked: {}", message.unwrap_or("no message")))
}

/// Data that breaks the tool's own output schema is no answer.
fn check_output(tool: &RegisteredTool, response: &ToolResponse) -> Result<(), ToolError> {
    let (Some(schema), Some(data)) = (&tool.definition.output_schema, &response.data) else {
        return Ok(());
    };
    if response.status == Status::Error {
        return Ok(());
    }
    schema.validate(data).map_err(|violations| {
        let list: Vec<String> = violations.iter().map(ToString::to_string).collect();
        let detail = format!("the data breaks the tool's output schema: {}", list.join("; "));
        ToolError::new(FailureKind::Contract, detail)
    })
}
