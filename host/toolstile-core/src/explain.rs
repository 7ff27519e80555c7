//! What each gate would decide about a call, without running anything.

use serde::Serialize;

use crate::arguments::Arguments;
use crate::assessment::Assessment;
use crate::call::Call;
use crate::confirm::{ConfirmRequest, ConfirmRule};
use crate::executor::ToolExecutor;
use crate::recorder::Trace;
use crate::refusal::{Gate, Refusal};
use crate::registry::RegisteredTool;

/// What would become of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outlook {
    /// It would run without a question.
    Allow,
    /// It would run after a person confirmed it.
    Confirm,
    /// It would not run.
    Deny,
}

/// What one gate would decide, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Forecast {
    /// The gate.
    pub gate: Gate,
    /// Its decision.
    pub decision: Outlook,
    /// The rule behind it.
    pub reason: String,
}

/// The gates that a call would meet, in order, up to the one that refuses it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// What would become of the call.
    pub verdict: Outlook,
    /// The decision of each gate.
    pub gates: Vec<Forecast>,
}

impl Explanation {
    fn new() -> Self {
        Self { verdict: Outlook::Allow, gates: Vec::new() }
    }

    fn push(&mut self, gate: Gate, decision: Outlook, reason: impl Into<String>) {
        self.verdict = self.verdict.max(decision);
        self.gates.push(Forecast { gate, decision, reason: reason.into() });
    }

    fn refused(&mut self, refusal: &Refusal) {
        self.push(refusal.gate(), Outlook::Deny, refusal.to_string());
    }
}

impl ToolExecutor {
    /// What each gate would decide about a call. Nobody is asked, no middleware and
    /// nothing of the tool runs, no record is written.
    #[must_use]
    pub fn explain(&self, call: &Call) -> Explanation {
        let mut explanation = Explanation::new();
        if let Err(refusal) = self.foresee(call, &mut explanation) {
            explanation.refused(&refusal);
        }
        explanation
    }

    /// What a person would be asked about a call; `None` where nobody would be. Runs
    /// nothing, as [`ToolExecutor::explain`].
    ///
    /// # Errors
    /// The refusal of a gate before that.
    pub fn confirmation_of(&self, call: &Call) -> Result<Option<ConfirmRequest>, Refusal> {
        let trace = Trace::new(false);
        let tool = self.resolve(call, &trace)?;
        self.permit(call, &tool, &trace)?;
        let (arguments, assessment) = self.validate(call, &tool, &trace)?;
        let (decision, _) = confirmation(&tool, &arguments, &assessment);
        let request = || ConfirmRequest::of(&tool, &arguments, &assessment, call.id.as_deref());
        Ok((decision == Outlook::Confirm).then(request))
    }

    fn foresee(&self, call: &Call, explanation: &mut Explanation) -> Result<(), Refusal> {
        // The real gates, with a trace that nobody reads.
        let trace = Trace::new(false);
        let tool = self.resolve(call, &trace)?;
        let found = format!("`{}` of origin `{}`", tool.name(), tool.origin);
        explanation.push(Gate::Registry, Outlook::Allow, found);
        self.permit(call, &tool, &trace)?;
        explanation.push(
            Gate::Permissions,
            Outlook::Allow,
            "no rule of `[permissions]` refuses it",
        );
        let (arguments, assessment) = self.validate(call, &tool, &trace)?;
        let rules = assessment.rules().unwrap_or_else(|| "the arguments are valid".to_owned());
        explanation.push(Gate::Schema, Outlook::Allow, rules);
        if self.has_middleware() {
            let reason = "middlewares are not run to explain a call; one may refuse or change it";
            explanation.push(Gate::Middleware, Outlook::Allow, reason);
        }
        let (decision, reason) = confirmation(&tool, &arguments, &assessment);
        explanation.push(Gate::Confirm, decision, reason);
        explanation.push(Gate::Capabilities, Outlook::Allow, capabilities(&tool));
        Ok(())
    }
}

fn confirmation(
    tool: &RegisteredTool,
    arguments: &Arguments,
    assessment: &Assessment,
) -> (Outlook, String) {
    if let Some(reason) = assessment.needs_confirmation() {
        return (Outlook::Confirm, reason.to_owned());
    }
    match (&tool.confirm, tool.confirm.applies(arguments)) {
        (ConfirmRule::Never, _) => (Outlook::Allow, "no call of the tool needs it".to_owned()),
        (ConfirmRule::Always, _) => {
            (Outlook::Confirm, "every call of the tool needs it".to_owned())
        }
        (ConfirmRule::When(_), true) => {
            (Outlook::Confirm, "the arguments match the tool's `confirm_when`".to_owned())
        }
        (ConfirmRule::When(_), false) => {
            (Outlook::Allow, "the arguments do not match the tool's `confirm_when`".to_owned())
        }
    }
}

fn capabilities(tool: &RegisteredTool) -> String {
    let used = &tool.capabilities;
    let missing: Vec<&str> = used
        .asked
        .iter()
        .filter(|capability| !used.granted.contains(capability))
        .map(String::as_str)
        .collect();
    let granted = match used.granted.as_slice() {
        [] => "nothing is granted".to_owned(),
        granted => format!("granted: {}", granted.join(", ")),
    };
    match missing.as_slice() {
        [] => granted,
        missing => format!("{granted}; asked for and not granted: {}", missing.join(", ")),
    }
}
