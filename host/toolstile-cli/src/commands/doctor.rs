//! `toolstile doctor`: what this machine and this configuration give.

use clap::Args;
use toolstile::{Check, Health, doctor};

use super::report::aligned;
use crate::cli::Global;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BAD, DIM, GOOD, Output, shown, styled};

const EXAMPLES: &str = "\
`good` is as it should be, `fair` works with less than there could be, `bad` does not
work: then the exit code is 3.

Examples:
  toolstile doctor
  toolstile doctor --json";

/// Arguments of `doctor`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Doctor {
    /// Print `[{"subject", "health", "finding"}]`
    #[arg(long)]
    json: bool,
}

impl Doctor {
    /// Looks and prints what was found.
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Result<Exit, CliError> {
        let checks = doctor(&global.load_config()?);
        match self.json {
            true => output.json_pretty(&checks)?,
            false => print_text(&checks, output)?,
        }
        let sick = checks.iter().any(|check| check.health == Health::Bad);
        Ok(if sick { Exit::Usage } else { Exit::Done })
    }
}

fn print_text(checks: &[Check], output: &mut Output) -> Result<(), CliError> {
    let row = |check: &Check| {
        vec![word(check.health).to_owned(), check.subject.clone(), check.finding.clone()]
    };
    let rows: Vec<Vec<String>> = checks.iter().map(row).collect();
    for (line, check) in aligned(&rows).iter().zip(checks) {
        let line = shown(line);
        match check.health {
            Health::Good => output.line(line)?,
            Health::Fair => output.line(styled(DIM, line))?,
            Health::Bad => output.line(styled(BAD, line))?,
        }
    }
    if checks.iter().all(|check| check.health == Health::Good) {
        output.line(styled(GOOD, "all is well"))?;
    }
    Ok(())
}

fn word(health: Health) -> &'static str {
    match health {
        Health::Good => "good",
        Health::Fair => "fair",
        Health::Bad => "bad",
    }
}
