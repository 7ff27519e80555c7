//! What is kept of a call while it runs, and the record that it leaves.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime};

use crate::arguments::Arguments;
use crate::audit::{AuditRecord, GateDecision, Verdict};
use crate::call::{Call, Completion, Stop};
use crate::executor::Parts;
use crate::refusal::{Gate, Refusal};
use crate::registry::RegisteredTool;
use crate::response::ToolResponse;

/// What the gates decided so far, shared with the middlewares' `Next`.
pub(crate) struct Trace {
    gates: Mutex<Vec<GateDecision>>,
    arguments: Mutex<Option<Arguments>>,
    keep_arguments: bool,
}

impl Trace {
    pub(crate) fn new(keep_arguments: bool) -> Self {
        let gates = Mutex::new(Vec::with_capacity(6));
        Self { gates, arguments: Mutex::new(None), keep_arguments }
    }

    pub(crate) fn push(&self, gate: Gate, verdict: Verdict, detail: Option<String>) {
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        gates.push(GateDecision { gate, verdict, detail });
    }

    pub(crate) fn passed(&self, gate: Gate, detail: Option<String>) {
        self.push(gate, Verdict::Passed, detail);
    }

    pub(crate) fn refused(&self, refusal: Refusal) -> Refusal {
        self.push(refusal.gate(), Verdict::Refused, Some(refusal.kind().into()));
        refusal
    }

    pub(crate) fn stopped(&self, stop: Stop) -> Stop {
        match stop {
            Stop::Refused(refusal) => Stop::Refused(self.refused(refusal)),
            other => other,
        }
    }

    pub(crate) fn note_arguments(&self, arguments: &Arguments) {
        if self.keep_arguments {
            let mut kept = self.arguments.lock().unwrap_or_else(PoisonError::into_inner);
            *kept = Some(arguments.clone());
        }
    }

    pub(crate) fn met(&self, gate: Gate) -> bool {
        let gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        gates.iter().any(|decision| decision.gate == gate)
    }

    /// Whether the last decision is this refusal.
    pub(crate) fn ends_with(&self, refusal: &Refusal) -> bool {
        let gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        gates.last().is_some_and(|decision| {
            decision.verdict == Verdict::Refused
                && decision.detail.as_deref() == Some(refusal.kind())
        })
    }
}

/// Writes the record of a call: when it ends, or when it is dropped before.
pub(crate) struct Recorder<'a> {
    parts: &'a Parts,
    call: &'a Call,
    pub(crate) tool: Option<Arc<RegisteredTool>>,
    pub(crate) trace: Trace,
    time: SystemTime,
    started: Instant,
    finished: bool,
}

impl<'a> Recorder<'a> {
    pub(crate) fn start(parts: &'a Parts, call: &'a Call) -> Self {
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

    pub(crate) fn finish(mut self, result: Result<ToolResponse, Stop>) -> Completion {
        self.finished = true;
        let record = self.record(Some(&result));
        Completion { result, record, tool: self.tool.take() }
    }

    fn record(&self, result: Option<&Result<ToolResponse, Stop>>) -> AuditRecord {
        let (outcome, reason, detail) = match result {
            None => ("cancelled", None, None),
            Some(Ok(response)) => (response.status.as_str(), None, None),
            Some(Err(Stop::Refused(r))) => ("refused", Some(r.kind()), Some(r.to_string())),
            Some(Err(Stop::Aborted { reason })) => ("aborted", None, Some(reason.clone())),
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
        self.parts.redactor.redact_record(&mut record);
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
