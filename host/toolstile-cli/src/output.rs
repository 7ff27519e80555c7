//! Everything that the program prints: data on stdout, the rest on stderr.
//!
//! Styles show on a terminal only; `NO_COLOR` is honoured. A reader of stdout that
//! went away is no error: what remains is not printed, and the exit code stays.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use serde::Serialize;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default().bold();

/// Both streams.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Output;

impl Output {
    /// A line for people, with styles where stdout is a terminal. Text of plugins in
    /// it must have gone through [`shown`].
    pub(crate) fn line(&mut self, line: impl Display) -> io::Result<()> {
        while_read(writeln!(anstream::stdout().lock(), "{line}"))
    }

    /// Text as it is, for programs.
    pub(crate) fn plain(&mut self, text: &str) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        while_read(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
    }

    /// A JSON value on one line.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        self.plain(&format!("{}\n", serde_json::to_string(value)?))
    }

    /// A JSON value, indented.
    pub(crate) fn json_pretty(&mut self, value: &impl Serialize) -> io::Result<()> {
        self.plain(&format!("{}\n", serde_json::to_string_pretty(value)?))
    }

    /// A line beside the data, on stderr, with styles where that is a terminal.
    pub(crate) fn aside(&mut self, line: &str) {
        to_stderr(line);
    }

    /// A warning, on stderr.
    pub(crate) fn warning(&mut self, text: &str) {
        note(WARN, "warning", text);
    }

    /// Why something did not happen, on stderr.
    pub(crate) fn error(&mut self, text: &str) {
        note(BAD, "error", text);
    }

    /// More about an error, on stderr.
    pub(crate) fn detail(&mut self, text: &str) {
        note(DIM, "detail", text);
    }

    /// What to do about an error, on stderr, after an empty line.
    pub(crate) fn hint(&mut self, hint: Option<String>) {
        if let Some(hint) = hint {
            to_stderr("");
            note(GOOD, "hint", &hint);
        }
    }
}

/// Text that the program did not write itself, fit for a terminal: nothing in it
/// moves the cursor or reads in another order than it runs.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    toolstile::escape_invisible(text)
}

/// Text in a style.
pub(crate) fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

fn note(style: Style, label: &str, text: &str) {
    to_stderr(&format!("{style}{label}:{style:#} {}", shown(text)));
}

fn to_stderr(line: &str) {
    // Nobody is left to be told when stderr is gone.
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}

fn while_read(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
