//! Keeping the connection to one server.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::SubscriptionFilter;
use rmcp::service::Peer;
use serde_json::Value;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::sleep;
use toolstile_core::{Namespace, Origin, RegisteredTool, escape_invisible};

use super::config::Checked;
use super::connect::connect;
use super::error::ClientError;
use super::handler::Listener;
use super::link::{Connection, Era};
use super::listing::{list, take};
use super::process::Present;
use super::tool::McpTool;

/// How long the first try to reconnect waits, and the last of a row of them.
const FIRST_WAIT: Duration = Duration::from_millis(500);
pub(super) const LAST_WAIT: Duration = Duration::from_secs(60);

/// Whether a server's tools may be used as they are; else what is wrong with them.
pub type Check = Arc<dyn Fn(&[RegisteredTool]) -> Result<(), String> + Send + Sync>;

/// How a server is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ServerState {
    /// It is being connected to.
    Connecting,
    /// Its tools can be called.
    Ready {
        /// The tools.
        tools: Vec<RegisteredTool>,
        /// What it lists and is not taken, with the reasons.
        left_out: Vec<String>,
        /// How it is spoken with.
        era: Era,
    },
    /// It is there, and its tools are not what was approved.
    Quarantined {
        /// What is different.
        reason: String,
        /// The tools, for whoever decides about them.
        tools: Vec<RegisteredTool>,
    },
    /// It is not there.
    Down {
        /// Why.
        reason: String,
        /// When it is connected to again.
        retry_in: Duration,
    },
}

/// Connects to one server and stays connected until it is dropped.
#[derive(Debug)]
pub struct McpClient {
    shared: Arc<Shared>,
    stop: Arc<Notify>,
    supervisor: Option<JoinHandle<()>>,
}

/// What the client, its supervisor and its tools share.
pub(crate) struct Shared {
    pub(crate) server: Checked,
    check: Option<Check>,
    state: watch::Sender<ServerState>,
    link: watch::Sender<Option<Arc<Link>>>,
    relist: Notify,
    present: Present,
    /// What the server last answered to whoever may not do something.
    challenge: Mutex<Option<String>>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("server", &self.server).finish_non_exhaustive()
    }
}

/// A connection with the tools that it was last seen to have.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) peer: Peer<RoleClient>,
    pub(crate) listener: Listener,
    /// What the server said of each tool that may be called, by its own name for it.
    pub(crate) tools: BTreeMap<String, Value>,
}

impl McpClient {
    /// Begins to connect. `check` looks at the tools of every listing before any of them
    /// can be called.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn start(server: Checked, check: Option<Check>) -> Self {
        let shared = Arc::new(Shared {
            server,
            check,
            state: watch::Sender::new(ServerState::Connecting),
            link: watch::Sender::new(None),
            relist: Notify::new(),
            present: Present::default(),
            challenge: Mutex::default(),
        });
        let stop = Arc::new(Notify::new());
        let supervisor = tokio::spawn(supervise(Arc::clone(&shared), Arc::clone(&stop)));
        Self { shared, stop, supervisor: Some(supervisor) }
    }

    /// The name of the server.
    #[must_use]
    pub fn namespace(&self) -> &Namespace {
        &self.shared.server.namespace
    }

    /// How it is, and what it becomes.
    #[must_use]
    pub fn state(&self) -> watch::Receiver<ServerState> {
        self.shared.state.subscribe()
    }

    /// Waits until it is known how the server is: ready, in quarantine or down. Takes no
    /// longer than the server's own time limits.
    pub async fn settled(&self) -> ServerState {
        let mut state = self.state();
        let settled = state.wait_for(|state| !matches!(state, ServerState::Connecting)).await;
        settled.map_or(ServerState::Connecting, |state| state.clone())
    }

    /// Takes what the server last answered to a request that it wants authorization for;
    /// [`Login::start`](super::Login::start) is told by it what to ask for.
    #[must_use]
    pub fn take_challenge(&self) -> Option<String> {
        self.shared.challenge.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Lists the tools again, or connects again at once, for example because what is approved has changed.
    pub fn relist(&self) {
        self.shared.relist.notify_one();
    }

    /// Ends the connection in good order, and the server's program with it.
    pub async fn close(&mut self) {
        self.stop.notify_one();
        if let Some(supervisor) = self.supervisor.take() {
            // It does not fail; when it panicked there is nothing left to end.
            let _ = supervisor.await;
        }
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        if let Some(supervisor) = &self.supervisor {
            supervisor.abort();
        }
        // Not left to the runtime, which may be about to end.
        self.shared.present.end();
    }
}

impl Shared {
    /// The connection, once the tools that it has are known; else why there is none.
    pub(crate) async fn link(&self) -> Result<Arc<Link>, String> {
        let mut state = self.state.subscribe();
        let known = |state: &ServerState| !matches!(state, ServerState::Connecting);
        let waiting = state.wait_for(known);
        match tokio::time::timeout(self.server.timeout, waiting).await {
            Ok(Ok(state)) => match &*state {
                ServerState::Ready { .. } => {}
                ServerState::Quarantined { reason, .. } => return Err(reason.clone()),
                ServerState::Down { reason, .. } => return Err(reason.clone()),
                ServerState::Connecting => return Err("it is not connected".to_owned()),
            },
            _ => return Err("it is not connected yet".to_owned()),
        }
        self.link.borrow().clone().ok_or_else(|| "it is not connected".to_owned())
    }

    /// Keeps what a login would have to know.
    pub(crate) fn heed(&self, error: &ClientError) {
        if let ClientError::Unauthorized { challenge } = error {
            *self.challenge.lock().unwrap_or_else(PoisonError::into_inner) = challenge.clone();
        }
    }

    fn become_down(&self, error: &ClientError, retry_in: Duration) {
        self.heed(error);
        let reason = escape_invisible(&error.to_string()).into_owned();
        self.become_state(ServerState::Down { reason, retry_in });
    }

    fn become_state(&self, state: ServerState) {
        let server = &self.server.namespace;
        match &state {
            ServerState::Ready { tools, era, .. } => {
                tracing::info!(%server, tools = tools.len(), ?era, "connected");
            }
            ServerState::Quarantined { reason, .. } => {
                tracing::warn!(%server, %reason, "quarantined");
            }
            ServerState::Down { reason, .. } => tracing::warn!(%server, %reason, "not there"),
            ServerState::Connecting => {}
        }
        self.state.send_replace(state);
    }
}

async fn supervise(shared: Arc<Shared>, stop: Arc<Notify>) {
    let (mut era, mut wait) = (None, FIRST_WAIT);
    let stopped = stop.notified();
    tokio::pin!(stopped);
    loop {
        let connected = tokio::select! {
            connected = connect(&shared.server, era, &shared.present) => connected,
            () = &mut stopped => return,
        };
        match connected {
            Err(error) => shared.become_down(&error, wait),
            Ok(connection) => {
                era = Some(connection.era);
                let ended = tokio::select! {
                    ended = stay(&shared, &connection, &mut wait) => Some(ended),
                    () = &mut stopped => None,
                };
                shared.link.send_replace(None);
                if let Some(error) = &ended {
                    shared.become_down(error, wait);
                }
                connection.close().await;
                if ended.is_none() {
                    return;
                }
            }
        }
        tokio::select! {
            () = sleep(jittered(wait)) => {}
            () = shared.relist.notified() => {}
            () = &mut stopped => return,
        }
        wait = (wait * 2).min(LAST_WAIT);
    }
}

/// A wait that several clients do not share to the millisecond.
fn jittered(wait: Duration) -> Duration {
    let mut byte = [0];
    // Without random numbers they do.
    let _ = getrandom::fill(&mut byte);
    wait.mul_f64(1.0 + f64::from(byte[0]) / 1024.0)
}

/// Lists the tools, and lists them again when they change, until the connection ends.
async fn stay(shared: &Arc<Shared>, connection: &Connection, wait: &mut Duration) -> ClientError {
    let peer = connection.peer();
    let listening = listen(connection);
    tokio::pin!(listening);
    loop {
        if let Err(error) = relist(shared, connection, &peer).await {
            return error;
        }
        *wait = FIRST_WAIT;
        tokio::select! {
            () = connection.listener.changed.notified() => {}
            () = shared.relist.notified() => {}
            () = &mut listening => {}
            () = closed(&peer) => return ClientError::Ended,
        }
        // From here on nobody calls a tool that may not be what it was.
        shared.state.send_replace(ServerState::Connecting);
    }
}

/// In the stateless era changes are told to those who listen for them.
async fn listen(connection: &Connection) {
    if connection.era == Era::Handshake || !connection.tells_changes() {
        return std::future::pending().await;
    }
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let Ok(mut listening) = connection.peer().listen(filter).await else {
        return std::future::pending().await;
    };
    while let Ok(Some(_)) = listening.next().await {
        connection.listener.changed.notify_one();
    }
    // What is not told any more can be asked for: by listing again, once.
    std::future::pending().await
}

/// Ends when the connection does.
async fn closed(peer: &Peer<RoleClient>) {
    while !peer.is_transport_closed() {
        sleep(Duration::from_millis(100)).await;
    }
}

async fn relist(
    shared: &Arc<Shared>,
    connection: &Connection,
    peer: &Peer<RoleClient>,
) -> Result<(), ClientError> {
    let listed = list(peer, &shared.server).await?;
    let (taken, left_out) = take(listed, &shared.server);
    let declared =
        taken.iter().map(|tool| (tool.remote.clone(), tool.declaration.clone())).collect();
    let origin = Origin::Mcp(shared.server.namespace.clone());
    let register = |taken| {
        let tool = McpTool { taken, shared: Arc::clone(shared) };
        RegisteredTool::new(Arc::new(tool), origin.clone())
    };
    let tools: Vec<RegisteredTool> = taken.into_iter().map(register).collect();
    for reason in &left_out {
        let reason = escape_invisible(reason);
        tracing::warn!(server = %shared.server.namespace, %reason, "a tool is left out");
    }
    match shared.check.as_ref().map_or(Ok(()), |check| check(&tools)) {
        Err(reason) => {
            shared.link.send_replace(None);
            shared.become_state(ServerState::Quarantined { reason, tools });
        }
        Ok(()) => {
            shared.link.send_replace(Some(Arc::new(Link {
                peer: peer.clone(),
                listener: connection.listener.clone(),
                tools: declared,
            })));
            shared.become_state(ServerState::Ready { tools, left_out, era: connection.era });
        }
    }
    Ok(())
}
