//! What the host keeps for one call.

use std::sync::Arc;
use std::time::Instant;

use toolstile_core::{CallContext, Redactor};

use crate::deadline::Deadline;
use crate::grants::Grants;
use crate::interfaces::{LogBudget, Progress, WasiState};
use crate::limits::{Limiter, PluginLimits};

/// The state of one call: its budgets and the plugin's name. Lives and dies with
/// the instance.
#[derive(Debug)]
pub(crate) struct PluginState {
    pub(crate) plugin: Arc<str>,
    pub(crate) grants: Arc<Grants>,
    pub(crate) component_sha256: Arc<str>,
    /// What surrounds the call.
    pub(crate) context: CallContext,
    /// The commands among the arguments: each passed the gates of this call.
    pub(crate) passed_commands: Vec<Vec<String>>,
    /// When host functions must be back, so that the guest can still answer.
    pub(crate) host_deadline: Instant,
    /// When the call must have ended.
    pub(crate) deadline: Deadline,
    pub(crate) redactor: Redactor,
    pub(crate) limiter: Limiter,
    pub(crate) log: LogBudget,
    pub(crate) progress: Progress,
    pub(crate) wasi: WasiState,
    host_calls_left: u64,
    host_bytes_left: u64,
}

/// What one call may use.
#[derive(Debug)]
pub(crate) struct Rights {
    pub(crate) grants: Arc<Grants>,
    pub(crate) component_sha256: Arc<str>,
    pub(crate) context: CallContext,
    pub(crate) passed_commands: Vec<Vec<String>>,
    pub(crate) host_deadline: Instant,
    pub(crate) deadline: Deadline,
}

/// A guest called the host too often, or handed it too much.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the budget of host calls is used up (limits `host_calls`, `host_call_bytes`)")]
pub(crate) struct HostBudgetSpent;

impl PluginState {
    pub(crate) fn new(
        plugin: Arc<str>,
        limits: &PluginLimits,
        rights: Rights,
        redactor: Redactor,
    ) -> Self {
        Self {
            plugin,
            grants: rights.grants,
            component_sha256: rights.component_sha256,
            context: rights.context,
            passed_commands: rights.passed_commands,
            host_deadline: rights.host_deadline,
            deadline: rights.deadline,
            redactor,
            limiter: Limiter::new(limits),
            log: LogBudget::new(limits),
            progress: Progress::default(),
            wasi: WasiState::default(),
            host_calls_left: limits.host_calls,
            host_bytes_left: limits.host_call_bytes,
        }
    }

    /// Pays for one host call with arguments of this size. Epochs interrupt guests
    /// only, so without this a guest could keep the host busy with its calls.
    pub(crate) fn spend(&mut self, argument_bytes: usize) -> Result<(), HostBudgetSpent> {
        let calls = self.host_calls_left.checked_sub(1).ok_or(HostBudgetSpent)?;
        let bytes = self.host_bytes_left.checked_sub(argument_bytes as u64);
        self.host_calls_left = calls;
        self.host_bytes_left = bytes.ok_or(HostBudgetSpent)?;
        Ok(())
    }

    /// Writes what is left to say when the call ends.
    pub(crate) fn finish(&mut self) {
        self.wasi.finish(&mut self.log, &self.plugin);
        self.log.finish(&self.plugin);
    }
}
