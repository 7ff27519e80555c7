//! One tool call, from top to bottom.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime};

use futures_util::FutureExt as _;

use crate::arguments::{Arguments, ArgumentsText};
use crate::audit::{AuditRecord, AuditSink, GateDecision, NoSink, Verdict};
use crate::confirm::{Confirm, ConfirmRequest, Decision, DenyAll};
use crate::escape::escape_invisible;
use crate::guard::{ResultGuard, wrap_external};
use crate::middleware::{Invocation, Middleware, Next};
use crate::permissions::ToolPermissions;
use crate::refusal::{Gate, Refusal};
use crate::registry::{RegisteredTool, ToolRegistry};
use crate::response::{Status, ToolResponse};
use crate::schema::Violation;
use crate::strict_json::JsonLimits;
use crate::suggest::nearest;
use crate::tool::{FailureKind, ToolError};

/// Names that a refusal lists at most.
const MAX_LISTED: usize = 20;

/// A call as it was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The caller's identifier of the call, for the audit log.
    pub id: Option<String>,
    /// The name of the tool.
    pub tool: String,
    /// The arguments, not looked at yet.
    pub arguments: ArgumentsText,
}

impl Call {
    /// A call without an identifier.
    #[must_use]
    pub fn new(tool: impl Into<String>, arguments: impl Into<ArgumentsText>) -> Self {
        Self { id: None, tool: tool.into(), arguments: arguments.into() }
    }
}

/// Why a call ended without an answer of its tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// A gate refused it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The tool did not answer.
    #[error(transparent)]
    Failed(#[from] ToolError),
}

/// What became of a call.
#[derive(Clone, Debug)]
pub struct Completion {
    /// The answer, or why there is none.
    pub result: Result<ToolResponse, Stop>,
    /// The record that went to the audit log.
    pub record: AuditRecord,
    /// The tool, where there is one.
    pub tool: Option<Arc<RegisteredTool>>,
}

impl Completion {
    /// The answer; for a call without one, an error that says why.
    #[must_use]
    pub fn response(&self) -> ToolResponse {
        match &self.result {
            Ok(response) => response.clone(),
            // Property names of the model's own arguments may stand in it.
            Err(Stop::Refused(refusal)) => {
                ToolResponse::error(escape_invisible(&refusal.to_string()))
            }
            Err(Stop::Failed(error)) => {
                let name = &self.record.tool;
                ToolResponse::error(format!("the tool `{name}` gave no answer: {}", error.kind))
            }
        }
    }

    /// The text for a model: an error says so, and what strangers may have written
    /// stands between markers that they cannot guess.
    #[must_use]
    pub fn model_text(&self) -> String {
        let response = self.response();
        let body = match (&self.result, &self.tool) {
            (Ok(_), Some(tool)) if tool.definition.traits.external_content => {
                wrap_external(tool.name().as_str(), &tool.origin_text, &response.text)
            }
            _ => response.text,
        };
        match response.status {
            Status::Error => format!("Error: {body}"),
            Status::Partial => format!("Incomplete result: {body}"),
            Status::Success => body,
        }
    }
}

/// Passes calls through the gates to their tools.
#[derive(Clone)]
pub struct ToolExecutor(Arc<Parts>);

struct Parts {
    registry: Arc<ToolRegistry>,
    permissions: ToolPermissions,
    middleware: Vec<Arc<dyn Middleware>>,
    confirm: Arc<dyn Confirm>,
    guard: ResultGuard,
    audit: Arc<dyn AuditSink>,
    argument_limits: JsonLimits,
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
            permissions: ToolPermissions::default(),
            middleware: Vec::new(),
            confirm: Arc::new(DenyAll),
            guard: ResultGuard::default(),
            audit: Arc::new(NoSink),
            argument_limits: JsonLimits::ARGUMENTS,
        })
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
    pub fn check_permissions(&self, tool: &RegisteredTool) -> Result<(), crate::PermissionDenial> {
        self.0.permissions.check(tool.name().as_str(), Some(&tool.origin_text))
    }

    /// Runs one call through all gates. Every call that is started leaves exactly
    /// one audit record, also when this future is dropped before it ends.
    pub async fn execute(&self, call: Call) -> Completion {
        let mut recorder = Recorder::start(&self.0, &call);
        let result = self.pass(&call, &mut recorder).await;
        let result = result.map(|response| self.0.guard.apply(response));
        recorder.finish(result)
    }

    async fn pass(&self, call: &Call, recorder: &mut Recorder<'_>) -> Result<ToolResponse, Stop> {
        let tool = self.resolve(call, &recorder.trace)?;
        recorder.tool = Some(Arc::clone(&tool));
        self.permit(call, &tool, &recorder.trace)?;
        let arguments = self.validate(call, &tool, &recorder.trace)?;
        let checked = Protected {
            parts: &self.0,
            trace: &recorder.trace,
            tool: &tool,
            // Only a middleware can change them, so only then is a copy kept.
            validated: (!self.0.middleware.is_empty()).then(|| arguments.clone()),
        };
        let call_id = call.id.clone();
        let invocation = Invocation { call_id, tool: Arc::clone(&tool), arguments };
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
    fn resolve(&self, call: &Call, trace: &Trace) -> Result<Arc<RegisteredTool>, Refusal> {
        if let Some(tool) = self.0.registry.get(&call.tool) {
            trace.passed(Gate::Registry, None);
            return Ok(tool);
        }
        let name = call.tool.clone();
        if let Err(reason) = self.0.permissions.check(&name, None) {
            return Err(trace.refused(Refusal::NotPermitted { name, reason }));
        }
        let mut known: Vec<String> =
            self.permitted_tools().iter().map(|tool| tool.name().to_string()).collect();
        let nearest = nearest(&name, known.iter().map(String::as_str)).map(str::to_owned);
        known.truncate(MAX_LISTED);
        Err(trace.refused(Refusal::UnknownTool { name, nearest, known }))
    }

    /// Gate 2.
    fn permit(&self, call: &Call, tool: &RegisteredTool, trace: &Trace) -> Result<(), Refusal> {
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
    fn validate(
        &self,
        call: &Call,
        tool: &RegisteredTool,
        trace: &Trace,
    ) -> Result<Arguments, Refusal> {
        let name = || tool.name().to_string();
        let given = Arguments::read(&call.arguments, self.0.argument_limits).map_err(|reason| {
            trace.refused(Refusal::MalformedArguments { tool: name(), reason })
        })?;
        let arguments = complete(tool, given).map_err(|violations| {
            trace.refused(Refusal::InvalidArguments { tool: name(), violations })
        })?;
        trace.passed(Gate::Schema, None);
        Ok(arguments)
    }
}

fn complete(tool: &RegisteredTool, given: Arguments) -> Result<Arguments, Vec<Violation>> {
    let value = tool.definition.input_schema.complete(given.into_object().into())?;
    match value {
        serde_json::Value::Object(object) => Ok(Arguments::from_object(object)),
        _ => unreachable!("completing an object gives an object"),
    }
}

/// A refusal that no gate noted, and an answer that the tool did not give, are a
/// middleware's own.
fn note_middleware(trace: &Trace, result: &Result<ToolResponse, Stop>) {
    match result {
        Err(Stop::Refused(refusal)) if !trace.ends_with(refusal) => {
            trace.push(Gate::Middleware, Verdict::Refused, Some(refusal.kind().into()));
        }
        Err(Stop::Refused(_)) => {}
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
    validated: Option<Arguments>,
}

impl Protected<'_> {
    pub(crate) async fn run(&self, invocation: Invocation) -> Result<ToolResponse, Stop> {
        let (tool, mut arguments) = (self.tool, invocation.arguments);
        self.trace.note_arguments(&arguments);
        self.revalidate(tool, &mut arguments)?;
        self.confirm(tool, &arguments).await?;
        self.trace.passed(Gate::Capabilities, granted_text(tool));
        // What was validated and confirmed is what runs: nothing below can change it.
        let answer = AssertUnwindSafe(tool.tool.call(&arguments)).catch_unwind().await;
        let response = answer.unwrap_or_else(|panic| Err(panicked(&*panic)))?;
        check_output(tool, &response)?;
        Ok(response)
    }

    /// Gate 4 ends here, gate 5 checks what it changed.
    fn revalidate(&self, tool: &RegisteredTool, arguments: &mut Arguments) -> Result<(), Refusal> {
        match &self.validated {
            None => return Ok(()),
            Some(validated) if validated == arguments => {
                self.trace.passed(Gate::Middleware, None);
                return Ok(());
            }
            Some(_) => self.trace.push(Gate::Middleware, Verdict::Changed, None),
        }
        let limits = self.parts.argument_limits;
        let name = || tool.name().to_string();
        limits.check(arguments.as_value()).map_err(|error| {
            let reason = error.into();
            self.trace.refused(Refusal::MalformedArguments { tool: name(), reason })
        })?;
        *arguments = complete(tool, arguments.clone()).map_err(|violations| {
            self.trace.refused(Refusal::InvalidArguments { tool: name(), violations })
        })?;
        self.trace.note_arguments(arguments);
        self.trace.passed(Gate::Schema, Some("again".into()));
        Ok(())
    }

    /// Gate 6. A confirmer gets a copy; one that panics refuses.
    async fn confirm(&self, tool: &RegisteredTool, arguments: &Arguments) -> Result<(), Refusal> {
        if !tool.confirm.applies(arguments) {
            self.trace.passed(Gate::Confirm, Some("not needed".into()));
            return Ok(());
        }
        let request = ConfirmRequest {
            tool: tool.name().clone(),
            origin: tool.origin.clone(),
            fingerprint: tool.fingerprint.clone(),
            arguments: arguments.clone(),
            granted: tool.capabilities.granted.clone(),
        };
        let asked = AssertUnwindSafe(self.parts.confirm.confirm(&request)).catch_unwind().await;
        let name = tool.name().to_string();
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

/// What the gates decided so far, shared with the middlewares' `Next`.
pub(crate) struct Trace {
    gates: Mutex<Vec<GateDecision>>,
    arguments: Mutex<Option<Arguments>>,
    keep_arguments: bool,
}

impl Trace {
    fn new(keep_arguments: bool) -> Self {
        let gates = Mutex::new(Vec::with_capacity(6));
        Self { gates, arguments: Mutex::new(None), keep_arguments }
    }

    fn push(&self, gate: Gate, verdict: Verdict, detail: Option<String>) {
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        gates.push(GateDecision { gate, verdict, detail });
    }

    fn passed(&self, gate: Gate, detail: Option<String>) {
        self.push(gate, Verdict::Passed, detail);
    }

    fn refused(&self, refusal: Refusal) -> Refusal {
        self.push(refusal.gate(), Verdict::Refused, Some(refusal.kind().into()));
        refusal
    }

    fn note_arguments(&self, arguments: &Arguments) {
        if self.keep_arguments {
            let mut kept = self.arguments.lock().unwrap_or_else(PoisonError::into_inner);
            *kept = Some(arguments.clone());
        }
    }

    fn met(&self, gate: Gate) -> bool {
        let gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        gates.iter().any(|decision| decision.gate == gate)
    }

    /// Whether the last decision is this refusal.
    fn ends_with(&self, refusal: &Refusal) -> bool {
        let gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        gates.last().is_some_and(|decision| {
            decision.verdict == Verdict::Refused
                && decision.detail.as_deref() == Some(refusal.kind())
        })
    }
}

/// Writes the record of a call: when it ends, or when it is dropped before.
struct Recorder<'a> {
    parts: &'a Parts,
    call: &'a Call,
    tool: Option<Arc<RegisteredTool>>,
    trace: Trace,
    time: SystemTime,
    started: Instant,
    finished: bool,
}

impl<'a> Recorder<'a> {
    fn start(parts: &'a Parts, call: &'a Call) -> Self {
        let keep = parts.audit.argument_detail() != crate::ArgumentDetail::Omit;
        Self {
            parts,
            call,
            tool: None,
            trace: Trace::new(keep),
            time: SystemTime::now(),
            started: Instant::now(),
            finished: false,
        }
    }

    fn finish(mut self, result: Result<ToolResponse, Stop>) -> Completion {
        self.finished = true;
        let record = self.record(Some(&result));
        Completion { result, record, tool: self.tool.take() }
    }

    fn record(&self, result: Option<&Result<ToolResponse, Stop>>) -> AuditRecord {
        let (outcome, reason, detail) = match result {
            None => ("cancelled", None, None),
            Some(Ok(response)) => (response.status.as_str(), None, None),
            Some(Err(Stop::Refused(r))) => ("refused", Some(r.kind()), Some(r.to_string())),
            Some(Err(Stop::Failed(e))) => ("failed", Some(e.kind.as_str()), Some(e.detail.clone())),
        };
        let tool = self.tool.as_ref();
        let mut gates = self.trace.gates.lock().unwrap_or_else(PoisonError::into_inner);
        let mut record = AuditRecord {
            v: 1,
            time: self.time,
            call_id: self.call.id.clone(),
            tool: self.call.tool.chars().take(256).collect(),
            origin: tool.map(|tool| tool.origin.clone()),
            fingerprint: tool.map(|tool| tool.fingerprint.clone()),
            arguments_sha256: None,
            arguments: None,
            gates: std::mem::take(&mut gates),
            outcome,
            reason,
            detail,
            duration: self.started.elapsed(),
        };
        self.note_arguments(&mut record);
        self.parts.audit.record(&record);
        record
    }

    fn note_arguments(&self, record: &mut AuditRecord) {
        if !self.trace.keep_arguments {
            return;
        }
        let kept = self.trace.arguments.lock().unwrap_or_else(PoisonError::into_inner).take();
        let read = || Arguments::read(&self.call.arguments, self.parts.argument_limits).ok();
        if let Some(arguments) = kept.or_else(read) {
            record.note_arguments(&arguments, self.parts.audit.argument_detail());
        }
    }
}

impl Drop for Recorder<'_> {
    fn drop(&mut self) {
        if !self.finished {
            self.record(None);
        }
    }
}

/// Configures a [`ToolExecutor`].
pub struct ToolExecutorBuilder(Parts);

impl std::fmt::Debug for ToolExecutorBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolExecutorBuilder").finish_non_exhaustive()
    }
}

impl ToolExecutorBuilder {
    /// Which tools may be called. Default: all.
    #[must_use]
    pub fn permissions(mut self, permissions: ToolPermissions) -> Self {
        self.0.permissions = permissions;
        self
    }

    /// Adds a middleware inside those that were added before.
    #[must_use]
    pub fn middleware(mut self, middleware: Arc<dyn Middleware>) -> Self {
        self.0.middleware.push(middleware);
        self
    }

    /// Who confirms. Default: nobody, so that what needs confirmation is refused.
    #[must_use]
    pub fn confirm(mut self, confirm: Arc<dyn Confirm>) -> Self {
        self.0.confirm = confirm;
        self
    }

    /// The bounds of answers.
    #[must_use]
    pub fn guard(mut self, guard: ResultGuard) -> Self {
        self.0.guard = guard;
        self
    }

    /// Where records go. Default: nowhere.
    #[must_use]
    pub fn audit(mut self, audit: Arc<dyn AuditSink>) -> Self {
        self.0.audit = audit;
        self
    }

    /// How much JSON the arguments of a call may be. Default:
    /// [`JsonLimits::ARGUMENTS`].
    #[must_use]
    pub fn argument_limits(mut self, limits: JsonLimits) -> Self {
        self.0.argument_limits = limits;
        self
    }

    /// The executor.
    #[must_use]
    pub fn build(self) -> ToolExecutor {
        ToolExecutor(Arc::new(self.0))
    }
}
