//! The MCP servers of a host: each is connected on its own, and its tools are in the
//! registry while they are what they should be.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use serde::Serialize;
use tokio::task::JoinHandle;
use toolstile_core::{Namespace, Origin, RegisteredTool, ToolRegistry};
use toolstile_mcp::client::{
    Check, Checked, ConfigError, Era, McpClient, McpServerConfig, ServerState,
};

use crate::config::HostConfig;
use crate::lock::{Lock, LockedServer};
use crate::secrets::Secrets;

/// What is approved, as it is now; shared by everything that asks.
pub(crate) type Approved = Arc<RwLock<Option<Lock>>>;

/// How a server is, for the operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ServerReport {
    /// Its name.
    pub namespace: String,
    /// `connecting`, `ready`, `quarantined` or `down`.
    pub state: &'static str,
    /// How it is spoken with, when it is ready.
    pub era: Option<Era>,
    /// How many of its tools can be called.
    pub tools: usize,
    /// Why it is not ready, or what of it is not used.
    pub problems: Vec<String>,
}

/// The servers of one host. Dropping them ends the connections.
#[derive(Debug, Default)]
pub(crate) struct Servers {
    running: Mutex<Vec<Server>>,
    /// Those that cannot even be connected to.
    refused: Vec<ServerReport>,
}

#[derive(Debug)]
struct Server {
    client: McpClient,
    /// Keeps the registry as the server is.
    following: JoinHandle<()>,
    /// Why its tools are not in the registry although they could be.
    conflict: Arc<Mutex<Option<String>>>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.following.abort();
    }
}

impl Servers {
    /// Connects to all servers at the same time, and waits until each is settled; none
    /// longer than its own time limits.
    pub(crate) async fn start(
        config: &HostConfig,
        secrets: &Secrets,
        registry: &Arc<ToolRegistry>,
        approved: Option<&Approved>,
    ) -> Self {
        let (mut running, mut refused) = (Vec::new(), Vec::new());
        for server in config.mcp.iter().filter(|server| server.enabled) {
            match checked(server, config, secrets) {
                Ok(checked) => {
                    let check = approved.map(|a| check_of(checked.namespace().clone(), a));
                    running.push(McpClient::start(checked, check));
                }
                Err(error) => {
                    tracing::warn!(server = %server.namespace, %error, "not connected to");
                    refused.push(ServerReport {
                        namespace: server.namespace.clone(),
                        state: "quarantined",
                        era: None,
                        tools: 0,
                        problems: vec![error.to_string()],
                    });
                }
            }
        }
        // In the order of the configuration, so that the tools are in the same order always.
        let mut settled = Vec::new();
        for client in running {
            client.settled().await;
            settled.push(Server::follow(client, registry));
        }
        let running = settled;
        Self { running: Mutex::new(running), refused }
    }

    /// Every server, in the order of the configuration as far as they are connected to.
    pub(crate) fn reports(&self) -> Vec<ServerReport> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.iter().map(Server::report).chain(self.refused.iter().cloned()).collect()
    }

    /// The tools of every server that is there, also of those in quarantine.
    pub(crate) fn tools(&self) -> Vec<(String, LockedServer)> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.iter().filter_map(Server::as_it_is).collect()
    }

    /// Looks at all tools again, since what is approved may have changed.
    pub(crate) fn relist(&self) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.iter().for_each(|server| server.client.relist());
    }

    /// Ends all connections in good order.
    pub(crate) async fn shutdown(&self) {
        let running =
            std::mem::take(&mut *self.running.lock().unwrap_or_else(PoisonError::into_inner));
        let mut ending = tokio::task::JoinSet::new();
        for server in running {
            ending.spawn(server.shutdown());
        }
        ending.join_all().await;
    }
}

impl HostConfig {
    /// One of the MCP servers, ready to be connected to; `None` where no server has that
    /// namespace.
    ///
    /// # Errors
    /// What is wrong with its configuration.
    pub fn mcp_server(&self, namespace: &str) -> Option<Result<Checked, ConfigError>> {
        let server = self.mcp.iter().find(|server| server.namespace == namespace)?;
        Some(checked(server, self, &Secrets::read(self)))
    }
}

/// A program starts in the directory of the configuration file, or from there. What logins
/// gave is kept in one place for all configurations of a user.
fn checked(
    server: &McpServerConfig,
    config: &HostConfig,
    secrets: &Secrets,
) -> Result<Checked, ConfigError> {
    let mut server = server.clone();
    if let Some(oauth) = &mut server.oauth {
        oauth.dir = config.credentials_dir();
    }
    if server.command.is_some() {
        server.cwd = Some(config.resolve(&server.cwd.unwrap_or_default()));
    }
    server.check(|name| secrets.get(name).map(str::to_owned))
}

fn check_of(namespace: Namespace, approved: &Approved) -> Check {
    let approved = Arc::clone(approved);
    Arc::new(move |tools: &[RegisteredTool]| {
        match &*approved.read().unwrap_or_else(PoisonError::into_inner) {
            Some(lock) => lock.check_server(namespace.as_str(), &LockedServer::of(tools)),
            None => Ok(()),
        }
    })
}

impl Server {
    /// Keeps the registry as the server is, from now on.
    fn follow(client: McpClient, registry: &Arc<ToolRegistry>) -> Self {
        let conflict = Arc::new(Mutex::new(None));
        let origin = Origin::Mcp(client.namespace().clone());
        let mut state = client.state();
        follow(&state.borrow_and_update(), &origin, registry, &conflict);
        let (registry, known) = (Arc::clone(registry), Arc::clone(&conflict));
        let following = tokio::spawn(async move {
            while state.changed().await.is_ok() {
                let now = state.borrow_and_update().clone();
                follow(&now, &origin, &registry, &known);
            }
        });
        Self { client, following, conflict }
    }

    fn report(&self) -> ServerReport {
        let state = self.client.state().borrow().clone();
        let conflict = self.conflict.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (word, era, tools, mut problems) = match state {
            ServerState::Ready { tools, left_out, era } => {
                ("ready", Some(era), tools.len(), left_out)
            }
            ServerState::Quarantined { reason, .. } => ("quarantined", None, 0, vec![reason]),
            ServerState::Down { reason, .. } => ("down", None, 0, vec![reason]),
            _ => ("connecting", None, 0, Vec::new()),
        };
        let (state, tools) = if conflict.is_some() { ("quarantined", 0) } else { (word, tools) };
        problems.extend(conflict);
        let namespace = self.client.namespace().to_string();
        ServerReport { namespace, state, era, tools, problems }
    }

    fn as_it_is(&self) -> Option<(String, LockedServer)> {
        match &*self.client.state().borrow() {
            ServerState::Ready { tools, .. } | ServerState::Quarantined { tools, .. } => {
                Some((self.client.namespace().to_string(), LockedServer::of(tools)))
            }
            _ => None,
        }
    }

    async fn shutdown(mut self) {
        self.following.abort();
        self.client.close().await;
    }
}

/// Puts the tools of a server into the registry, or takes them out. While it is down
/// they stay: calls say so, and it is connected to again.
fn follow(
    state: &ServerState,
    origin: &Origin,
    registry: &ToolRegistry,
    conflict: &Mutex<Option<String>>,
) {
    let tools = match state {
        ServerState::Ready { tools, .. } => tools.clone(),
        ServerState::Quarantined { .. } => Vec::new(),
        _ => return,
    };
    let same = |now: &[Arc<RegisteredTool>]| {
        let prints = now.iter().map(|tool| &tool.fingerprint);
        prints.eq(tools.iter().map(|tool| &tool.fingerprint))
    };
    let now: Vec<_> = registry.tools().into_iter().filter(|t| t.origin == *origin).collect();
    if same(&now) {
        return;
    }
    let refused = registry.replace_origin(origin, tools).err().map(|error| error.to_string());
    if let Some(reason) = &refused {
        tracing::warn!(%origin, %reason, "the tools are not used");
        // Nothing of an empty batch can be in conflict.
        let _ = registry.replace_origin(origin, Vec::new());
    }
    *conflict.lock().unwrap_or_else(PoisonError::into_inner) = refused;
}
