//! `toolstile login`: a token for an MCP server, from whoever may use it.

use std::time::Duration;

use clap::Args;
use toolstile_mcp::client::{Checked, Login as Begun, McpClient, Redirect, ServerState, forget};

use crate::cli::Global;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Output, shown};

const EXAMPLES: &str = "\
The server has a `url` and `oauth = {}` in `toolstile.toml`. Its page is opened in any
browser on this machine, which comes back here by itself. The token is kept in a file that
only you can read, and renewed when it runs out.

Examples:
  toolstile login tickets
  toolstile login tickets --scope tickets:write
  toolstile login tickets --forget";

/// How long somebody may take at the page.
const PATIENCE: Duration = Duration::from_secs(600);

/// Arguments of `login`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Login {
    /// The namespace of the server
    server: String,
    /// Ask for this, beside what was granted before; may be given again
    #[arg(long, value_name = "SCOPE")]
    scope: Vec<String>,
    /// Log out: remove what is kept
    #[arg(long, conflicts_with = "scope")]
    forget: bool,
}

impl Login {
    /// Logs in, or out.
    pub(crate) async fn run(&self, global: &Global, output: &mut Output) -> Result<Exit, CliError> {
        let server = self.server(global)?;
        if self.forget {
            let there = forget(&server)?;
            output.line(if there { "logged out" } else { "nobody was logged in" })?;
            return Ok(Exit::Done);
        }
        let redirect =
            Redirect::listen(server.redirect_port()).await.map_err(CliError::Redirect)?;
        let (challenge, ready) = asked(&server).await;
        if ready && self.scope.is_empty() {
            output.line(format_args!("`{}` needs no login now", self.server))?;
            return Ok(Exit::Done);
        }
        let begun =
            Begun::start(&server, redirect.uri(), challenge.as_deref(), &self.scope).await?;
        output.line(format_args!("Open this page in a browser:\n\n  {}\n", begun.url()))?;
        let came_back = tokio::time::timeout(PATIENCE, redirect.wait(&begun)).await;
        let came_back = came_back
            .map_err(|_| CliError::Redirect(std::io::ErrorKind::TimedOut.into()))?
            .map_err(CliError::Redirect)?;
        let scopes = begun.finish(&came_back).await?;
        output.line(match scopes.is_empty() {
            true => "logged in".to_owned(),
            false => format!("logged in, for {}", shown(&scopes.join(" "))),
        })?;
        Ok(Exit::Done)
    }

    fn server(&self, global: &Global) -> Result<Checked, CliError> {
        let config = global.load_config()?;
        match config.mcp_server(&self.server) {
            Some(server) => server.map_err(|error| CliError::Server(self.server.clone(), error)),
            None => {
                let known = config.mcp.iter().map(|server| server.namespace.clone()).collect();
                Err(CliError::NoServer { name: self.server.clone(), known })
            }
        }
    }
}

/// What the server says to whoever comes with what is there now, and whether that is enough.
async fn asked(server: &Checked) -> (Option<String>, bool) {
    let mut client = McpClient::start(server.clone(), None);
    let ready = matches!(client.settled().await, ServerState::Ready { .. });
    let challenge = client.take_challenge();
    client.close().await;
    (challenge, ready)
}
