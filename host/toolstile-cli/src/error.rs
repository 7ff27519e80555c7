//! Why a command did not do what was asked, and what to do about it.

use std::io;
use std::path::PathBuf;

use toolstile::agent::{AgentError, RunError, StoreError};
use toolstile::{ConfigError, FunctionError, HostError, InspectError, LockError};
use toolstile_mcp::server::ServeError;

/// Everything that ends a command early. Which exit code each has is in `exit`.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("no model is set")]
    NoModel,
    #[error(transparent)]
    Model(#[from] toolstile_models::ConnectError),
    #[error("the script `{}` cannot be used: {reason}", .path.display())]
    Script { path: PathBuf, reason: String },
    #[error("`{}` cannot be used for checkpoints: {source}", .path.display())]
    Checkpoints { path: PathBuf, source: StoreError },
    #[error("{0}")]
    Decision(String),
    #[error(transparent)]
    Agent(#[from] AgentError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("the terminal cannot be read: {0}")]
    Terminal(rustyline::error::ReadlineError),
    #[error("the spans cannot be exported: {0}")]
    Telemetry(String),
    #[error(transparent)]
    Host(#[from] HostError),
    #[error("`{}` cannot be used as a plugin: {source}", .path.display())]
    Plugin { path: PathBuf, source: InspectError },
    #[error(transparent)]
    Runtime(InspectError),
    #[error("a tool of the demonstration is not valid: {0}")]
    Demo(#[from] FunctionError),
    #[error(transparent)]
    Serve(#[from] ServeError),
    #[error("the environment variable `{0}` has no bearer token")]
    NoToken(String),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("nothing was approved yet: there is no `{}`", .0.display())]
    NoLock(PathBuf),
    #[error(
        "there is no plugin and no MCP server `{name}`; {}",
        known_names(known, "none needs approval")
    )]
    NothingToApprove { name: String, known: Vec<String> },
    #[error(
        "there is no MCP server `{name}`; {}",
        known_names(known, "`[[mcp]]` in `toolstile.toml` names none")
    )]
    NoServer { name: String, known: Vec<String> },
    #[error("the MCP server `{0}`: {1}")]
    Server(String, toolstile_mcp::client::ConfigError),
    #[error("nobody is logged in: {0}")]
    Login(#[from] toolstile_mcp::client::LoginError),
    #[error("the browser cannot come back to this machine: {0}")]
    Redirect(io::Error),
    #[error("`{}` is there already", .0.display())]
    Exists(PathBuf),
    #[error("`{}` cannot be written: {source}", .path.display())]
    Unwritable { path: PathBuf, source: io::Error },
    #[error("the arguments cannot be read from standard input: {0}")]
    Stdin(io::Error),
    #[error("the working directory is not known: {0}")]
    WorkingDirectory(io::Error),
    #[error("the output cannot be written: {0}")]
    Output(#[from] io::Error),
}

impl CliError {
    /// What to do about it, where there is something.
    pub(crate) fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Config(ConfigError::Invalid { .. }) => {
                "`toolstile init` writes a file with every key into an empty directory"
            }
            Self::Config(ConfigError::Unreadable { .. }) => {
                "without `--config` the file `toolstile.toml` is found upwards from here"
            }
            Self::NoModel => {
                "`[model]` in `toolstile.toml` or `--model PROVIDER:NAME` sets it, for example \
                 `openai:gpt-5-mini`, `anthropic:claude-haiku-4-5`, `gemini:gemini-2.5-flash` or \
                 `ollama:qwen3`; the key comes from the environment; `--script FILE` needs none"
            }
            Self::Agent(AgentError::UnknownTool(_)) => {
                "`[agent] tools` names the tools that a run begins with; `toolstile list` shows all"
            }
            Self::Serve(ServeError::Unprotected(_)) => {
                "`--token-env NAME` names an environment variable with a bearer token; on \
                 `127.0.0.1` none is needed"
            }
            Self::NoLock(_) => "`toolstile approve` writes it",
            Self::Exists(_) => "`toolstile init --force` overwrites it",
            Self::Host(HostError::Runtime(_))
            | Self::Runtime(_)
            | Self::Plugin { source: InspectError::Runtime(_), .. } => {
                "`[runtime]` in `toolstile.toml` sets the compile cache and the memory pool"
            }
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

fn known_names(known: &[String], none: &str) -> String {
    match known {
        [] => none.to_owned(),
        known => format!("there are `{}`", known.join("`, `")),
    }
}
