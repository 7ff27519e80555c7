//! `toolstile policy`: whether the rules hold, and what they say about a call.

use clap::{Args, Subcommand};
use toolstile::{Explanation, Host, Outlook, check_policy};

use super::call::read_arguments;
use super::report::{aligned, show_problems};
use crate::cli::Global;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BAD, BOLD, GOOD, Output, shown, styled};

const EXAMPLES: &str = "\
Examples:
  toolstile policy check
  toolstile policy explain shell '{\"command\": \"git status\"}'";

const EXPLAIN_EXAMPLES: &str = "\
Nothing runs and nobody is asked. The verdict is `allow`, `confirm` or `deny`; `deny`
has the exit code 2.

Examples:
  toolstile policy explain shell '{\"command\": \"git status\"}'
  toolstile policy explain notes '{\"action\": \"append\", \"path\": \"a.md\"}' --json";

/// Arguments of `policy`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Policy {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Load all rules, try their examples, and name those that can never apply
    Check(CheckArgs),
    /// Show what each gate would decide about a call, and which rule says so
    Explain(ExplainArgs),
}

#[derive(Debug, Args)]
struct CheckArgs {
    /// Print `[{"place", "problem"}]`
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = EXPLAIN_EXAMPLES)]
struct ExplainArgs {
    /// The tool's name, as `toolstile list` shows it
    tool: String,
    /// The arguments, a JSON object; `-` reads them from standard input
    json_arguments: String,
    /// Print `{"verdict", "gates": [{"gate", "decision", "reason"}]}`
    #[arg(long)]
    json: bool,
}

impl Policy {
    /// Checks or explains.
    pub(crate) async fn run(&self, global: &Global, output: &mut Output) -> Result<Exit, CliError> {
        match &self.action {
            Action::Check(args) => args.run(global, output).await,
            Action::Explain(args) => args.run(global, output).await,
        }
    }
}

impl CheckArgs {
    async fn run(&self, global: &Global, output: &mut Output) -> Result<Exit, CliError> {
        let problems = check_policy(&global.load_config()?).await?;
        if self.json {
            output.json_pretty(&problems)?;
        } else if problems.is_empty() {
            output.line(styled(GOOD, "all rules load, hold and can apply"))?;
        }
        for problem in problems.iter().filter(|_| !self.json) {
            let place = styled(BAD, shown(&problem.place));
            output.line(format_args!("{place}: {}", shown(&problem.problem)))?;
        }
        Ok(if problems.is_empty() { Exit::Done } else { Exit::Usage })
    }
}

impl ExplainArgs {
    async fn run(&self, global: &Global, output: &mut Output) -> Result<Exit, CliError> {
        let config = global.load_config()?;
        let arguments = read_arguments(&self.json_arguments)?;
        let host = Host::builder().config(config).build().await?;
        show_problems(&host, output);
        let explanation = host.explain(&self.tool, arguments);
        host.shutdown().await;
        match self.json {
            true => output.json(&explanation)?,
            false => print_text(&explanation, output)?,
        }
        Ok(match explanation.verdict {
            Outlook::Deny => Exit::Refused,
            Outlook::Confirm | Outlook::Allow => Exit::Done,
        })
    }
}

fn print_text(explanation: &Explanation, output: &mut Output) -> Result<(), CliError> {
    let row = |gate: &toolstile::Forecast| {
        vec![gate.gate.to_string(), word(gate.decision).to_owned(), gate.reason.clone()]
    };
    let rows: Vec<Vec<String>> = explanation.gates.iter().map(row).collect();
    for line in aligned(&rows) {
        output.line(shown(&line))?;
    }
    output.line(styled(BOLD, word(explanation.verdict)))?;
    Ok(())
}

fn word(outlook: Outlook) -> &'static str {
    match outlook {
        Outlook::Allow => "allow",
        Outlook::Confirm => "confirm",
        Outlook::Deny => "deny",
    }
}
