//! What an error of wasmtime means for the model and the operator.

use std::time::Duration;

use toolstile_core::{FailureKind, ToolError};
use wasmtime::{PoolConcurrencyLimitError, Trap};
use wasmtime_wasi::I32Exit;

use crate::limits::PluginLimits;
use crate::state::{HostBudgetSpent, PluginState};

/// Bytes of detail that go into a record; a backtrace of endless recursion is long.
const MAX_DETAIL: usize = 2_000;

/// Turns an error of a call into its kind and the operator's detail.
pub(crate) fn classify(
    error: &wasmtime::Error,
    state: &PluginState,
    limits: &PluginLimits,
) -> ToolError {
    ToolError::new(kind_of(error, state, limits), bounded(&format!("{error:#}")))
}

/// The call did not end within the limit of that name.
pub(crate) fn deadline(limit: &str, deadline: Duration) -> ToolError {
    let detail = format!("stopped after {} ms (limit `{limit}`)", deadline.as_millis());
    ToolError::new(FailureKind::Deadline(deadline), detail)
}

fn kind_of(error: &wasmtime::Error, state: &PluginState, limits: &PluginLimits) -> FailureKind {
    if error.downcast_ref::<I32Exit>().is_some() {
        return FailureKind::Exit;
    }
    if error.downcast_ref::<PoolConcurrencyLimitError>().is_some() {
        return FailureKind::Busy;
    }
    if error.downcast_ref::<HostBudgetSpent>().is_some() || is_crossing_limit(error) {
        return FailureKind::HostData;
    }
    if error.downcast_ref::<std::io::Error>().is_some() {
        return FailureKind::Host;
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::StackOverflow) => FailureKind::Stack,
        Some(Trap::Interrupt) => FailureKind::Deadline(limits.deadline()),
        // Guests abort when they get no memory; say what was behind it.
        _ if state.limiter.refused => FailureKind::Memory,
        Some(_) => FailureKind::Crash,
        None => FailureKind::Contract,
    }
}

/// wasmtime 48 has no type for this error, only its text.
fn is_crossing_limit(error: &wasmtime::Error) -> bool {
    format!("{error:#}").contains("fuel allocated for hostcalls has been exhausted")
}

fn bounded(detail: &str) -> String {
    match detail.len() > MAX_DETAIL {
        true => format!("{}…", &detail[..detail.floor_char_boundary(MAX_DETAIL)]),
        false => detail.to_owned(),
    }
}
