//! One connection, as long as it lasts.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::service::{Peer, RunningService};

use super::handler::Listener;
use super::process::Present;

/// Which of its eras the protocol is spoken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Era {
    /// Stateless, since revision 2026-07-28.
    Stateless,
    /// With a handshake, revision 2025-11-25 and before.
    Handshake,
}

/// How long a server may take to end by itself.
const FAREWELL: Duration = Duration::from_secs(8);

/// A connection to a server.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) running: RunningService<RoleClient, Listener>,
    pub(crate) listener: Listener,
    pub(crate) era: Era,
    pub(crate) present: Present,
}

impl Connection {
    pub(crate) fn peer(&self) -> Peer<RoleClient> {
        self.running.peer().clone()
    }

    /// Whether the server says that it tells when its tools change.
    pub(crate) fn tells_changes(&self) -> bool {
        let info = self.running.peer().peer_info();
        let tools = info.and_then(|info| info.capabilities.tools.clone());
        tools.is_some_and(|tools| tools.list_changed == Some(true))
    }

    /// Ends it in good order: the input of a program is closed, then it is asked to end,
    /// then it is ended.
    pub(crate) async fn close(mut self) {
        // What is left when it takes too long is killed with its group.
        let _ = self.running.close_with_timeout(FAREWELL).await;
        self.present.end();
    }
}
