//! `toolstile serve`: the tools, resources and prompts of this host for MCP clients.

use std::net::SocketAddr;

use clap::Args;
use tokio::sync::oneshot;
use toolstile::{Host, HostConfig, PluginChange};
use toolstile_mcp::server::http::{BearerToken, HttpConfig};
use toolstile_mcp::server::{McpServer, Served, ServerName};

use super::report::show_problems;
use crate::cli::Global;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;

const EXAMPLES: &str = "\
Without `--http` one client is served over standard input and output, where nothing but
the protocol is written. Files in the plugin directory are loaded, replaced and removed
while it runs; after SIGHUP the configuration is read again, and used if all of it is
good. What needs confirmation is asked of the person behind the client, if it can ask.

Anywhere but on a loopback address `--http` needs a bearer token, in the environment
variable that `--token-env` names, and a reverse proxy for TLS.

Examples:
  toolstile serve
  toolstile serve --http 127.0.0.1:8700
  toolstile serve --http 0.0.0.0:8700 --token-env TOOLSTILE_TOKEN --host tools.example.com";

/// Arguments of `serve`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    /// Serve streamable HTTP at this address, under the path `/mcp`
    #[arg(long, value_name = "ADDRESS:PORT")]
    http: Option<SocketAddr>,
    /// The environment variable with a bearer token that lets in; may be given again
    #[arg(long, value_name = "NAME", requires = "http")]
    token_env: Vec<String>,
    /// A name under which clients reach the server, as it stands in `Host`; may be given
    /// again
    #[arg(long, value_name = "HOST[:PORT]", requires = "http")]
    host: Vec<String>,
    /// A web page that may call the server, as it stands in `Origin`; may be given again
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    origin: Vec<String>,
}

impl Serve {
    /// Serves until the client goes away, or until a signal ends it.
    pub(crate) async fn run(&self, global: &Global, output: &mut Output) -> Result<Exit, CliError> {
        let host = start(global.load_config()?).await?;
        show_problems(&host, output);
        let name = ServerName {
            name: "toolstile".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let server = McpServer::new(name, served(&host));
        let (told, stop) = oneshot::channel();
        let reloading = tokio::spawn(reload_on_hangup(global.clone(), host, server.clone(), stop));
        let served = match self.http {
            None => server.serve_stdio(ended()).await,
            Some(address) => self.serve_http(&server, address, output).await?,
        };
        // It has nothing to do any more but to end the connections to other servers.
        let _ = told.send(());
        let _ = reloading.await;
        served?;
        Ok(Exit::Done)
    }

    async fn serve_http(
        &self,
        server: &McpServer,
        address: SocketAddr,
        output: &mut Output,
    ) -> Result<Result<(), toolstile_mcp::server::ServeError>, CliError> {
        let config = HttpConfig {
            address,
            tokens: self.token_env.iter().map(|name| token(name)).collect::<Result<_, _>>()?,
            hosts: self.host.clone(),
            origins: self.origin.clone(),
            ..HttpConfig::default()
        };
        let listening = server.serve_http(config).await?;
        output.aside(&format!("serving MCP at {}", listening.url()));
        Ok(listening.serve(ended()).await)
    }
}

fn token(name: &str) -> Result<BearerToken, CliError> {
    let token = std::env::var(name).map_err(|_| CliError::NoToken(name.to_owned()))?;
    Ok(BearerToken::new(token)?)
}

async fn start(config: HostConfig) -> Result<Host, CliError> {
    Ok(Host::builder().config(config).build().await?)
}

fn served(host: &Host) -> Served {
    Served {
        executor: host.executor().clone(),
        resources: Some(host.resources()),
        prompts: Some(host.prompts()),
    }
}

/// Watches the plugin directory, and starts a host anew when the operator asks for it. A
/// configuration that is not good changes nothing.
async fn reload_on_hangup(
    global: Global,
    mut host: Host,
    server: McpServer,
    mut stop: oneshot::Receiver<()>,
) {
    let mut hangups = Hangups::listen();
    loop {
        let watching = host.watch_plugins(log_changes);
        if let Err(error) = &watching {
            tracing::warn!(%error, "plugins are not watched");
        }
        tokio::select! {
            () = hangups.next() => {}
            _ = &mut stop => return host.shutdown().await,
        }
        let loaded = match global.load_config() {
            Ok(config) => start(config).await,
            Err(error) => Err(error),
        };
        match loaded {
            Ok(fresh) => {
                server.replace(served(&fresh));
                std::mem::replace(&mut host, fresh).shutdown().await;
                tracing::info!("the configuration was read again");
            }
            Err(error) => tracing::error!(%error, "the configuration is left as it was"),
        }
    }
}

fn log_changes(changes: &[PluginChange]) {
    for change in changes {
        match change {
            PluginChange::Refused(refused) => {
                tracing::warn!(plugin = %refused.plugin, reason = %refused.reason, "not used");
            }
            change => tracing::info!(?change, "plugins changed"),
        }
    }
}

/// Ends when the process is told to end.
async fn ended() {
    let interrupted = async {
        // Where signals cannot be heard, only the end of the input ends it.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = interrupted => {}
        () = terminated() => {}
    }
}

#[cfg(unix)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    if let Ok(mut terminated) = signal(SignalKind::terminate())
        && terminated.recv().await.is_some()
    {
        return;
    }
    std::future::pending().await
}

#[cfg(not(unix))]
async fn terminated() {
    std::future::pending().await
}

/// SIGHUP, where there is such a thing.
struct Hangups {
    #[cfg(unix)]
    signal: Option<tokio::signal::unix::Signal>,
}

impl Hangups {
    fn listen() -> Self {
        Self {
            #[cfg(unix)]
            signal: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()).ok(),
        }
    }

    async fn next(&mut self) {
        #[cfg(unix)]
        if let Some(signal) = &mut self.signal
            && signal.recv().await.is_some()
        {
            return;
        }
        std::future::pending().await
    }
}
