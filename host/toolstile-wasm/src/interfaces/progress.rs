//! `progress`: how far a call has come. Reports go to whoever called, and to the log at
//! debug level.

use crate::bindings::progress::Host;
use crate::state::PluginState;

/// Reports of one call that are passed on.
const MAX_REPORTS: u32 = 100;

/// What was reported so far.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    reports: u32,
    done: f64,
}

impl Progress {
    /// Whether a report is to be passed on: finite, not going back, within budget.
    fn accept(&mut self, done: f64, total: Option<f64>) -> bool {
        let finite = done.is_finite() && total.is_none_or(f64::is_finite);
        let accepted = finite && done >= self.done && self.reports < MAX_REPORTS;
        if accepted {
            self.done = done;
            self.reports += 1;
        }
        accepted
    }
}

impl Host for PluginState {
    fn report(
        &mut self,
        done: f64,
        total: Option<f64>,
        message: Option<String>,
    ) -> wasmtime::Result<()> {
        self.spend(message.as_deref().map_or(0, str::len))?;
        if self.progress.accept(done, total) {
            let message = message.map(|m| toolstile_core::escape_invisible(&m).into_owned());
            tracing::debug!(target: "toolstile::progress", plugin = %self.plugin, done, total, message);
            self.context.report(&toolstile_core::Progress { done, total, message });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_not_passed_on() {
        let mut progress = Progress::default();
        assert!(progress.accept(1.0, Some(3.0)));
        assert!(!progress.accept(0.5, None), "goes back");
        assert!(!progress.accept(f64::NAN, None));
        assert!(!progress.accept(2.0, Some(f64::INFINITY)));
        assert_eq!((0..200).filter(|_| progress.accept(2.0, None)).count(), 99);
    }
}
