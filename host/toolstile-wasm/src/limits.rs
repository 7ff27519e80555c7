//! The limits of a plugin, all on by default, and the limiter of one call's memory.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use wasmtime::ResourceLimiter;

/// What a plugin may use. Times are in milliseconds, sizes in bytes; a limit holds
/// for one call unless it says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PluginLimits {
    /// Wall time of a call, waiting and host calls included.
    pub deadline_ms: u64,
    /// Wall time of `list-tools` when the plugin is loaded.
    pub list_tools_ms: u64,
    /// Wall time of compiling the component when it is loaded.
    pub compile_ms: u64,
    /// Size of the component file.
    pub component_bytes: u64,
    /// Sum of all linear memories.
    pub memory_bytes: u64,
    /// Sum of the elements of all tables.
    pub table_elements: u64,
    /// Data that one crossing between guest and host may copy.
    pub crossing_bytes: u64,
    /// Host calls.
    pub host_calls: u64,
    /// Data that the guest hands to the host interfaces, in all.
    pub host_call_bytes: u64,
    /// Log lines that are kept; more are dropped and counted.
    pub log_lines: u64,
    /// Bytes of log text that are kept.
    pub log_bytes: u64,
    /// Bytes of a response: text, data and attachments.
    pub response_bytes: u64,
    /// Calls of the plugin that run at the same time; more wait.
    pub concurrent_calls: u64,
}

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

impl Default for PluginLimits {
    fn default() -> Self {
        Self {
            deadline_ms: 30_000,
            list_tools_ms: 2_000,
            compile_ms: 30_000,
            component_bytes: 8 * MIB,
            memory_bytes: 64 * MIB,
            table_elements: 20_000,
            crossing_bytes: 8 * MIB,
            host_calls: 200_000,
            host_call_bytes: 32 * MIB,
            log_lines: 256,
            log_bytes: 64 * KIB,
            response_bytes: 4 * MIB,
            concurrent_calls: 32,
        }
    }
}

impl PluginLimits {
    /// The deadline of a call.
    #[must_use]
    pub fn deadline(&self) -> Duration {
        Duration::from_millis(self.deadline_ms)
    }
}

/// A number of bytes as the machine counts them.
pub(crate) fn to_usize(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// Core instances, memories and tables of one call. A component of several
/// languages' runtimes stays far below.
pub(crate) const MAX_CORE_INSTANCES: usize = 40;
pub(crate) const MAX_MEMORIES: usize = 4;
pub(crate) const MAX_TABLES: usize = 40;

/// Bounds the sum of memories and the sum of tables of one store.
#[derive(Debug)]
pub(crate) struct Limiter {
    memory_left: usize,
    elements_left: usize,
    /// A growth was refused: the reason behind the crash that often follows.
    pub(crate) refused: bool,
}

impl Limiter {
    pub(crate) fn new(limits: &PluginLimits) -> Self {
        Self {
            memory_left: to_usize(limits.memory_bytes),
            elements_left: to_usize(limits.table_elements),
            refused: false,
        }
    }
}

fn take(left: &mut usize, wanted: usize) -> bool {
    match left.checked_sub(wanted) {
        Some(rest) => {
            *left = rest;
            true
        }
        None => false,
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let granted = take(&mut self.memory_left, desired.saturating_sub(current));
        self.refused |= !granted;
        Ok(granted)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let granted = take(&mut self.elements_left, desired.saturating_sub(current));
        self.refused |= !granted;
        Ok(granted)
    }

    fn instances(&self) -> usize {
        MAX_CORE_INSTANCES
    }

    fn memories(&self) -> usize {
        MAX_MEMORIES
    }

    fn tables(&self) -> usize {
        MAX_TABLES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_share_one_budget() {
        let limits = PluginLimits { memory_bytes: 3 * 65_536, ..Default::default() };
        let mut limiter = Limiter::new(&limits);
        assert!(limiter.memory_growing(0, 65_536, None).unwrap());
        assert!(limiter.memory_growing(0, 65_536, None).unwrap());
        assert!(!limiter.memory_growing(65_536, 3 * 65_536, None).unwrap());
        assert!(limiter.refused);
        assert!(limiter.memory_growing(65_536, 2 * 65_536, None).unwrap(), "what is left is left");
    }
}
