//! `toolstile completions`: completion scripts for shells.

use clap::{Args, CommandFactory as _};
use clap_complete::{Shell, generate};

use crate::cli::Cli;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;

const EXAMPLE: &str = "\
Example:
  toolstile completions bash > ~/.local/share/bash-completion/completions/toolstile";

/// Arguments of `completions`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints the script.
    pub(crate) fn run(&self, output: &mut Output) -> Result<Exit, CliError> {
        let mut script = Vec::new();
        generate(self.shell, &mut Cli::command(), "toolstile", &mut script);
        output.plain(&String::from_utf8_lossy(&script))?;
        Ok(Exit::Done)
    }
}
