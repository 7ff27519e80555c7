//! One record for every call, refusals included.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::arguments::Arguments;
use crate::fingerprint::Fingerprint;
use crate::origin::Origin;
use crate::redact::redacted;
use crate::refusal::Gate;

/// What a gate decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GateDecision {
    /// The gate.
    pub gate: Gate,
    /// Its decision.
    pub verdict: Verdict,
    /// More, where there is more to say; for operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// The decision of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The call may go on.
    Passed,
    /// The call may go on, with other arguments than it came with.
    Changed,
    /// The gate answered in place of the tool.
    Answered,
    /// The call ends here.
    Refused,
}

impl Verdict {
    /// The verdict's word, in lower case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Changed => "changed",
            Self::Answered => "answered",
            Self::Refused => "refused",
        }
    }
}

/// How much of the arguments a sink wants to see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArgumentDetail {
    /// Nothing.
    Omit,
    /// SHA-256 of the RFC 8785 form.
    #[default]
    Digest,
    /// The digest and the arguments, with secrets masked.
    Full,
}

/// What happened to one call. One JSON line of the audit log.
#[derive(Clone, Debug, Serialize)]
pub struct AuditRecord {
    /// Version of this format: 1.
    pub v: u8,
    /// When the call came in (RFC 3339, UTC).
    #[serde(serialize_with = "rfc3339")]
    pub time: SystemTime,
    /// The caller's identifier of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// The name that was asked for.
    pub tool: String,
    /// Where the tool came from; absent when there is no such tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// What the tool is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// SHA-256 of the arguments that ran, or were last looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments_sha256: Option<String>,
    /// The arguments, secrets masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// The decision of each gate that the call met, in order.
    pub gates: Vec<GateDecision>,
    /// `success`, `partial`, `error`, `refused`, `failed`, `aborted` or `cancelled`.
    pub outcome: &'static str,
    /// The kind of refusal or failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// All that is known of a refusal or failure; for operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// From the call to the answer, in microseconds.
    #[serde(rename = "duration_us", serialize_with = "microseconds")]
    pub duration: Duration,
}

impl AuditRecord {
    pub(crate) fn note_arguments(&mut self, arguments: &Arguments, detail: ArgumentDetail) {
        if detail != ArgumentDetail::Omit {
            self.arguments_sha256 = Some(arguments.digest());
        }
        if detail == ArgumentDetail::Full {
            self.arguments = Some(redacted(arguments.as_value()));
        }
    }
}

fn rfc3339<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&humantime::format_rfc3339_millis(*time))
}

fn microseconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX))
}

/// Where records go. Called once for each call, after it ended; must not block for
/// long, since the caller waits for it.
pub trait AuditSink: Send + Sync {
    /// Takes a record.
    fn record(&self, record: &AuditRecord);

    /// How much of the arguments records should carry.
    fn argument_detail(&self) -> ArgumentDetail {
        ArgumentDetail::Digest
    }
}

/// Drops every record.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NoSink;

impl AuditSink for NoSink {
    fn record(&self, _: &AuditRecord) {}

    fn argument_detail(&self) -> ArgumentDetail {
        ArgumentDetail::Omit
    }
}

/// Keeps every record in memory, for tests and embedders.
#[derive(Debug, Default)]
pub struct MemorySink {
    records: Mutex<Vec<AuditRecord>>,
    detail: ArgumentDetail,
}

impl MemorySink {
    /// A sink that asks for this much of the arguments.
    #[must_use]
    pub fn with_detail(detail: ArgumentDetail) -> Self {
        Self { detail, ..Self::default() }
    }

    /// The records so far, oldest first.
    #[must_use]
    pub fn records(&self) -> Vec<AuditRecord> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl AuditSink for MemorySink {
    fn record(&self, record: &AuditRecord) {
        self.records.lock().unwrap_or_else(PoisonError::into_inner).push(record.clone());
    }

    fn argument_detail(&self) -> ArgumentDetail {
        self.detail
    }
}
