//! `toolstile call`: one call through all gates.

use std::io::Read as _;

use clap::Args;
use toolstile::{
    Completion, FailureKind, Host, JsonLimits, Origin, Refusal, Status, Stop, ToolError,
    ToolResponse,
};

use super::report::show_problems;
use crate::cli::Global;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;
use crate::prompt::Prompt;

const EXAMPLES: &str = "\
Examples:
  toolstile call calculator '{\"expression\": \"6 * 7\"}'
  echo '{\"expression\": \"6 * 7\"}' | toolstile call calculator - --json

Calls that need a person's confirmation are asked for on the terminal. Without one,
or with `-`, they are refused; `--yes` approves them.

Exit codes: 0 success or partial result, 1 the tool failed, 2 refused by a gate.";

/// Arguments of `call`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Call {
    /// The tool's name, as `toolstile list` shows it
    tool: String,
    /// The arguments, a JSON object; `-` reads them from standard input
    json_arguments: String,
    /// Print `{"text","status","data"}` on stdout, also for refusals and failures
    #[arg(long)]
    json: bool,
    /// Approve the call if it needs confirmation
    #[arg(long)]
    yes: bool,
}

impl Call {
    /// Calls the tool and prints what came of it.
    pub(crate) async fn run(&self, global: &Global, output: &mut Output) -> Result<Exit, CliError> {
        let config = global.load_config()?;
        let arguments = read_arguments(&self.json_arguments)?;
        let host =
            Host::builder().config(config).confirm(self.prompt().confirmer()).build().await?;
        show_problems(&host, output);
        let completion = host.call(&self.tool, arguments).await;
        host.shutdown().await;
        match self.json {
            true => output.json(&completion.response())?,
            false => self.print_text(&host, &completion, output)?,
        }
        Ok(Exit::of_call(&completion))
    }

    fn prompt(&self) -> Prompt {
        match (self.yes, self.json_arguments.as_str()) {
            (true, _) => Prompt::Approve,
            (_, "-") => Prompt::Nobody(
                "the arguments came from standard input, so nobody could be asked, and `--yes` \
                 was not given",
            ),
            _ => Prompt::on_terminal("there is no terminal to ask on, and `--yes` was not given"),
        }
    }

    fn print_text(
        &self,
        host: &Host,
        completion: &Completion,
        output: &mut Output,
    ) -> Result<(), CliError> {
        match &completion.result {
            Ok(response) => print_response(response, output)?,
            Err(Stop::Refused(refusal)) => {
                output.error(&refusal.to_string());
                output.hint(self.hint_for_refusal(host, refusal));
            }
            Err(Stop::Aborted { reason }) => output.error(reason),
            Err(Stop::Failed(error)) => {
                output.error(&completion.response().text);
                output.detail(&error.detail);
                output.hint(self.hint_for_failure(host, error));
            }
        }
        Ok(())
    }

    fn hint_for_refusal(&self, host: &Host, refusal: &Refusal) -> Option<String> {
        let hint = match refusal {
            Refusal::UnknownTool { .. } => "`toolstile list` shows the tools".to_owned(),
            Refusal::NotPermitted { .. } => {
                "`[permissions]` in `toolstile.toml` decides; `toolstile list` shows what it permits"
                    .to_owned()
            }
            Refusal::MalformedArguments { .. } => {
                "the arguments are one JSON object in quotes, for example '{\"key\": \"value\"}'"
                    .to_owned()
            }
            Refusal::InvalidArguments { .. } => {
                format!("the tool takes:\n{}", host.descriptions(Some(&[&self.tool])))
            }
            Refusal::NotConfirmed { .. } if self.prompt() == Prompt::Ask => return None,
            Refusal::NotConfirmed { .. } => format!(
                "`--yes` approves this call; `confirm = \"never\"` in {} in `toolstile.toml` lets \
                 all its tools run unasked",
                self.where_configured(host)
            ),
            _ => return None,
        };
        Some(hint)
    }

    fn hint_for_failure(&self, host: &Host, error: &ToolError) -> Option<String> {
        let limit = match error.kind {
            FailureKind::Deadline(_) => "deadline_ms",
            FailureKind::Memory => "memory_bytes",
            FailureKind::Busy => "concurrent_calls",
            _ => return None,
        };
        let place = match (self.server(host), limit) {
            (Some(server), "deadline_ms") => {
                format!("`timeout` in the `[[mcp]]` entry of `{server}`")
            }
            (Some(_), _) => return None,
            (None, limit) => format!("`[plugin.{}.limits] {limit}`", self.plugin(host)),
        };
        Some(format!("{place} in `toolstile.toml` sets the limit"))
    }

    /// Where the operator says what the tool's plugin or server may do.
    fn where_configured(&self, host: &Host) -> String {
        match self.server(host) {
            Some(server) => format!("the `[[mcp]]` entry of `{server}`"),
            None => format!("`[plugin.{}]`", self.plugin(host)),
        }
    }

    /// The MCP server that the tool belongs to.
    fn server(&self, host: &Host) -> Option<String> {
        let tools = host.all_tools();
        let tool = tools.iter().find(|tool| tool.name().as_str() == self.tool)?;
        match &tool.origin {
            Origin::Mcp(namespace) => Some(namespace.to_string()),
            _ => None,
        }
    }

    /// The plugin that the tool belongs to, by its name in the configuration.
    fn plugin(&self, host: &Host) -> String {
        let owns = |tools: &[toolstile::RegisteredTool]| {
            tools.iter().any(|tool| tool.name().as_str() == self.tool)
        };
        let owner = host.plugins().into_iter().find(|plugin| owns(&plugin.tools));
        owner.map_or_else(|| self.tool.clone(), |plugin| plugin.name)
    }
}

/// The arguments as they were typed; `-` stands for standard input.
pub(crate) fn read_arguments(typed: &str) -> Result<String, CliError> {
    match typed {
        "-" => read_stdin(),
        arguments => Ok(arguments.to_owned()),
    }
}

/// More than a gate accepts is not read; the one byte beyond makes the gate refuse.
fn read_stdin() -> Result<String, CliError> {
    let limit = JsonLimits::ARGUMENTS.bytes;
    let mut bytes = Vec::new();
    std::io::stdin().take(limit as u64 + 1).read_to_end(&mut bytes).map_err(CliError::Stdin)?;
    // Text that is no UTF-8 is no JSON: what replaces it is refused, or visible.
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if bytes.len() > limit {
        // Blank text stands for no arguments; the blank start of a longer one must not.
        text.push('…');
    }
    Ok(text)
}

fn print_response(response: &ToolResponse, output: &mut Output) -> Result<(), CliError> {
    match response.status {
        Status::Error => output.error(&response.text),
        Status::Success => output.plain(&format!("{}\n", response.text))?,
        Status::Partial => {
            output.plain(&format!("{}\n", response.text))?;
            output.warning("the result is incomplete");
        }
    }
    Ok(())
}
