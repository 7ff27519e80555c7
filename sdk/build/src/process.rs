//! Runs short programs and takes what they print.

use std::process::{Command, Output};

use crate::Error;

/// Runs `command` to its end and returns its standard output without the
/// white space around it.
///
/// # Errors
///
/// [`Error::Start`] when there is no such program, [`Error::Failed`] with the
/// standard error when it ends without success.
pub(crate) fn read(command: &mut Command) -> Result<String, Error> {
    let output = command.output().map_err(|source| Error::Start {
        program: command.get_program().to_string_lossy().into_owned(),
        source,
    })?;
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(failure(command, &output)) }
}

fn failure(command: &Command, output: &Output) -> Error {
    Error::Failed { command: line(command), stderr: text(&output.stderr) }
}

/// The command as a person would type it; good enough for messages, not for a
/// shell.
pub(crate) fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_named() {
        let error = read(&mut Command::new("no-such-program-here")).unwrap_err();
        assert_eq!(error.to_string(), "cannot run `no-such-program-here`");
    }

    #[test]
    fn a_failure_carries_the_command_and_its_standard_error() {
        let mut command = Command::new("rustc");
        let error = read(command.arg("--no-such-option")).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("`rustc --no-such-option` failed: error: "), "{text}");
    }

    #[test]
    fn the_output_is_trimmed() {
        let version = read(Command::new("rustc").arg("--version")).unwrap();
        assert!(version.starts_with("rustc 1."));
        assert!(!version.ends_with('\n'));
    }
}
