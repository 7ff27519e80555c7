//! What an executor is made of, set part by part.

use std::sync::Arc;
use std::time::Duration;

use crate::audit::AuditSink;
use crate::caller::Caller;
use crate::confirm::Confirm;
use crate::context::RunScope;
use crate::executor::{Parts, ToolExecutor};
use crate::guard::ResultGuard;
use crate::journal::Journal;
use crate::middleware::Middleware;
use crate::permissions::ToolPermissions;
use crate::redactor::Redactor;
use crate::registry::ToolRegistry;
use crate::strict_json::JsonLimits;

/// Configures a [`ToolExecutor`].
pub struct ToolExecutorBuilder(pub(crate) Parts);

impl std::fmt::Debug for ToolExecutorBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolExecutorBuilder").finish_non_exhaustive()
    }
}

impl ToolExecutorBuilder {
    /// The tools, in place of those that were there.
    #[must_use]
    pub fn registry(mut self, registry: Arc<ToolRegistry>) -> Self {
        self.0.registry = registry;
        self
    }

    /// Which tools may be called, in place of what was said before. Default: all.
    #[must_use]
    pub fn permissions(mut self, permissions: ToolPermissions) -> Self {
        self.0.permissions = vec![permissions];
        self
    }

    /// Permissions that a call has to pass as well: less can be called, never more.
    #[must_use]
    pub fn narrowed(mut self, permissions: ToolPermissions) -> Self {
        self.0.permissions.push(permissions);
        self
    }

    /// Adds a middleware inside those that were added before.
    #[must_use]
    pub fn middleware(mut self, middleware: Arc<dyn Middleware>) -> Self {
        self.0.middleware.push(middleware);
        self
    }

    /// Adds a middleware outside those that were added before.
    #[must_use]
    pub fn outermost(mut self, middleware: Arc<dyn Middleware>) -> Self {
        self.0.middleware.insert(0, middleware);
        self
    }

    /// Who confirms. Default: nobody, so that what needs confirmation is refused.
    #[must_use]
    pub fn confirm(mut self, confirm: Arc<dyn Confirm>) -> Self {
        self.0.confirm = confirm;
        self
    }

    /// How long a person may take to answer; after that the call is refused. Default: 10
    /// minutes.
    #[must_use]
    pub fn confirm_timeout(mut self, timeout: Duration) -> Self {
        self.0.confirm_timeout = timeout;
        self
    }

    /// The bounds of answers.
    #[must_use]
    pub fn guard(mut self, guard: ResultGuard) -> Self {
        self.0.guard = guard;
        self
    }

    /// What must appear in no answer and no record. Default: nothing.
    #[must_use]
    pub fn redactor(mut self, redactor: Redactor) -> Self {
        self.0.redactor = redactor;
        self
    }

    /// Whether arguments that a model garbled are mended where that leaves one reading
    /// only: an object, a number or a boolean inside a string. What was mended stands
    /// in the audit record. Default: no.
    #[must_use]
    pub fn repair_arguments(mut self, repair: bool) -> Self {
        self.0.repair_arguments = repair;
        self
    }

    /// Who is told of each call right before its tool runs. Default: nobody.
    #[must_use]
    pub fn journal(mut self, journal: Arc<dyn Journal>) -> Self {
        self.0.journal = Some(journal);
        self
    }

    /// The run of an agent that the calls belong to. Default: none.
    #[must_use]
    pub fn run(mut self, run: Arc<RunScope>) -> Self {
        self.0.run = Some(run);
        self
    }

    /// Who listens to calls while they run. Default: nobody.
    #[must_use]
    pub fn caller(mut self, caller: Arc<dyn Caller>) -> Self {
        self.0.caller = Some(caller);
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
        ToolExecutor::of(self.0)
    }
}
