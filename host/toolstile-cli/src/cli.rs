//! The command line: what can be typed. What happens then is in `commands/`.

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand};
use toolstile::HostConfig;

use crate::commands::{
    agent, approve, call, completions, demo, doctor, init, inspect, list, lock, login, policy,
    serve,
};
use crate::error::CliError;

const EXAMPLES: &str = "\
Examples:
  toolstile demo
  toolstile call calculator '{\"expression\": \"6 * 7\"}'
  toolstile run \"what is 2 ** 100?\" --model openai:gpt-5-mini

Exit codes:
  0  the call succeeded, or its result is incomplete; the model answered
  1  the tool answered an error, or gave no answer; the model gave none
  2  a gate refused the call; the run waits for a person or was blocked; something is
     not what was approved
  3  the command line, the configuration or a file is not valid
  4  the host or the model failed";

/// A host in which the tools of an LLM agent are WebAssembly components, and
/// every call passes gates before a line of a tool's code runs.
#[derive(Debug, Parser)]
#[command(name = "toolstile", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What holds for every command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// The configuration [default: `toolstile.toml`, found upwards from here]
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// Show the logs of the host and of plugins on stderr; twice for more
    #[arg(short, long, action = ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
}

impl Global {
    /// Reads the configuration, or takes the defaults where there is no file.
    pub(crate) fn load_config(&self) -> Result<HostConfig, CliError> {
        let here = std::env::current_dir().map_err(CliError::WorkingDirectory)?;
        Ok(HostConfig::find(self.config.as_deref(), &here)?)
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what happens to a tool call, gate by gate
    Demo(demo::Demo),
    /// List the tools, what they may do and who they are
    List(list::List),
    /// Look at a component file, or at the runtime, without using it
    Inspect(inspect::Inspect),
    /// Call a tool through all gates
    Call(call::Call),
    /// Answer a question with a model that calls tools
    Run(agent::run::Run),
    /// Talk with a model that calls tools
    Chat(agent::chat::Chat),
    /// Serve the tools to MCP clients
    Serve(serve::Serve),
    /// Check the rules, or explain what they say about a call
    Policy(policy::Policy),
    /// Approve plugins and MCP servers as they are now
    Approve(approve::Approve),
    /// Log in to an MCP server, or out of it
    Login(login::Login),
    /// Compare plugins and MCP servers with what was approved
    Lock(lock::Lock),
    /// Look at what this machine and this configuration give
    Doctor(doctor::Doctor),
    /// Write a commented `toolstile.toml` into the working directory
    Init(init::Init),
    /// Print a completion script for a shell
    Completions(completions::Completions),
}

impl Command {
    /// Whether a model is asked.
    pub(crate) fn runs_an_agent(&self) -> bool {
        matches!(self, Self::Run(_) | Self::Chat(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_shows_an_example() {
        for command in Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("toolstile "), "{} has no example", command.get_name());
        }
    }
}
