//! `shell`: programs that the operator lists.

use std::sync::Arc;

use toolstile_shell::{CheckedCommand, Ending as Ended, Refused, Shell};

use super::denied::{Answer, refuse};
use crate::bindings::shell::{Ending, Host, Output};
use crate::bindings::types::ErrorKind;
use crate::capabilities::Capability;
use crate::state::PluginState;

impl Host for PluginState {
    async fn run(&mut self, command: String) -> Answer<Output> {
        self.spend(command.len())?;
        self.run_checked(|shell| shell.check_command(&command)).await
    }

    async fn run_words(&mut self, words: Vec<String>) -> Answer<Output> {
        self.spend(words.iter().map(String::len).sum())?;
        self.run_checked(|shell| shell.check_words(&words)).await
    }
}

impl PluginState {
    async fn run_checked(
        &mut self,
        check: impl FnOnce(&Shell) -> Result<CheckedCommand, Refused>,
    ) -> Answer<Output> {
        let Some(shell) = self.grants.shell.as_ref().map(Arc::clone) else {
            return self.denied(Capability::Shell);
        };
        let command = match check(&shell) {
            Ok(command) => command,
            Err(refused) => return refuse(ErrorKind::Denied, refused.to_string()),
        };
        if let Some(reason) = command.needs_confirmation().filter(|_| !self.has_passed(&command)) {
            return refuse(ErrorKind::Denied, unconfirmed(reason));
        }
        match shell.run(&command, self.host_deadline).await {
            Ok(output) => Ok(Ok(self.convert(output))),
            Err(error) => refuse(ErrorKind::Unavailable, error.to_string()),
        }
    }

    /// Whether these very words stood in the arguments of the call, so that a person
    /// saw them where that was needed.
    fn has_passed(&self, command: &CheckedCommand) -> bool {
        self.passed_commands.iter().any(|words| words == command.words())
    }

    fn convert(&self, output: toolstile_shell::Output) -> Output {
        let text = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            self.redactor.text(&text).into_owned()
        };
        let ending = match output.ending {
            Ended::Exited(code) => Ending::Exited(code),
            Ended::Signalled(signal) => Ending::Signalled(signal),
            Ended::TimedOut => Ending::TimedOut,
            Ended::OutputLimit => Ending::OutputLimit,
        };
        Output {
            ending,
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
            truncated: output.truncated,
        }
    }
}

fn unconfirmed(reason: &str) -> String {
    format!(
        "the command needs a person's confirmation, which nobody gave in this call ({reason}); only \
         a command that is an argument of format `shell-command` can be confirmed"
    )
}
