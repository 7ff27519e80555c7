//! `log`: lines for the operator, bounded for each call.

use toolstile_core::escape_invisible;
use tracing::{debug, error, info, warn};

use crate::bindings::log::{Host, Level};
use crate::limits::PluginLimits;
use crate::state::PluginState;

/// Bytes of one line; the rest is cut.
const MAX_LINE: usize = 4096;

/// What a call may still write.
#[derive(Debug)]
pub(crate) struct LogBudget {
    lines: u64,
    bytes: u64,
    dropped: u64,
}

impl LogBudget {
    pub(crate) fn new(limits: &PluginLimits) -> Self {
        Self { lines: limits.log_lines, bytes: limits.log_bytes, dropped: 0 }
    }

    /// Takes a line out of the budget; gives it back as it is to be written.
    pub(crate) fn take<'a>(&mut self, line: &'a str) -> Option<&'a str> {
        let line = &line[..line.floor_char_boundary(MAX_LINE)];
        let (Some(lines), Some(bytes)) =
            (self.lines.checked_sub(1), self.bytes.checked_sub(line.len() as u64))
        else {
            self.dropped += 1;
            return None;
        };
        (self.lines, self.bytes) = (lines, bytes);
        Some(line)
    }

    /// Says how much was dropped, once, when the call ends.
    pub(crate) fn finish(&self, plugin: &str) {
        if self.dropped > 0 {
            warn!(target: "toolstile::plugin", plugin, dropped = self.dropped, "log lines beyond the limits of the call were dropped");
        }
    }
}

impl Host for PluginState {
    fn write(&mut self, level: Level, message: String) -> wasmtime::Result<()> {
        self.spend(message.len())?;
        if let Some(line) = self.log.take(&message) {
            let line = shown(line);
            write_line(&self.plugin, level, &line);
            self.context.log(level_of(level), &line);
        }
        Ok(())
    }
}

/// One line, with invisible characters escaped, so that a plugin can neither forge lines
/// nor move the operator's cursor.
pub(crate) fn shown(line: &str) -> String {
    escape_invisible(line).replace('\n', "\\n")
}

fn level_of(level: Level) -> toolstile_core::Level {
    match level {
        Level::Debug => toolstile_core::Level::Debug,
        Level::Info => toolstile_core::Level::Info,
        Level::Warn => toolstile_core::Level::Warn,
        Level::Error => toolstile_core::Level::Error,
    }
}

/// Also the way of what a guest prints; the line is as [`shown`] gives it.
pub(crate) fn write_line(plugin: &str, level: Level, line: &str) {
    match level {
        Level::Debug => debug!(target: "toolstile::plugin", plugin, "{line}"),
        Level::Info => info!(target: "toolstile::plugin", plugin, "{line}"),
        Level::Warn => warn!(target: "toolstile::plugin", plugin, "{line}"),
        Level::Error => error!(target: "toolstile::plugin", plugin, "{line}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_beyond_the_budget_are_dropped_and_counted() {
        let limits = PluginLimits { log_lines: 2, log_bytes: 10, ..Default::default() };
        let mut budget = LogBudget::new(&limits);
        assert_eq!(budget.take("12345678"), Some("12345678"));
        assert_eq!(budget.take("too long"), None);
        assert_eq!(budget.take("ab"), Some("ab"));
        assert_eq!(budget.take("c"), None);
        assert_eq!(budget.dropped, 2);
    }
}
