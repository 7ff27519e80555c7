//! The tools, resources and prompts of a host for any MCP client.
//!
//! One server speaks both eras of the protocol: the stateless revision 2026-07-28 and the
//! `initialize` handshake of 2025-11-25 and before. [`McpServer::serve_stdio`] serves one
//! client over standard input and output, [`McpServer::serve_http`] many over streamable
//! HTTP. Every call passes the gates of the executor; what they want confirmed is asked of
//! the client's person.

#![expect(
    deprecated,
    reason = "roots, sampling and logging are deprecated, and clients that have them are served"
)]

mod ask;
mod caller;
mod confirm;
mod error;
mod handler;
pub mod http;
mod notify;
mod offers;
mod paging;
mod suspended;
mod tools;
mod updates;
mod work;

use std::future::Future;
use std::sync::Arc;

use rmcp::ServiceExt as _;
use rmcp::service::{QuitReason, ServerInitializeError};
use tokio::sync::{Semaphore, watch};
use toolstile_core::{Prompts, Resources, ToolExecutor};

pub use error::ServeError;

use handler::Handler;
use suspended::Suspended;

/// How many `subscriptions/listen` streams are open at the same time, over all clients.
const MAX_LISTENERS: usize = 64;

/// What is served.
#[derive(Clone, Debug)]
pub struct Served {
    /// The tools, and the gates before them.
    pub executor: ToolExecutor,
    /// What can be read. Absent, the server has no resources.
    pub resources: Option<Arc<dyn Resources>>,
    /// What a conversation can begin with. Absent, the server has no prompts.
    pub prompts: Option<Arc<dyn Prompts>>,
}

impl Served {
    /// Tools alone.
    #[must_use]
    pub fn tools(executor: ToolExecutor) -> Self {
        Self { executor, resources: None, prompts: None }
    }
}

/// How the server calls itself.
#[derive(Clone, Debug)]
pub struct ServerName {
    /// The name for programs.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// An MCP server. Cheap to clone; clones share everything.
#[derive(Clone, Debug)]
pub struct McpServer(Arc<Shared>);

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) name: ServerName,
    pub(crate) served: watch::Sender<Served>,
    /// Calls that wait for the answers of a client that will ask again.
    pub(crate) suspended: Suspended,
    pub(crate) listeners: Semaphore,
}

impl McpServer {
    /// A server that serves this.
    #[must_use]
    pub fn new(name: ServerName, served: Served) -> Self {
        Self(Arc::new(Shared {
            name,
            served: watch::Sender::new(served),
            suspended: Suspended::default(),
            listeners: Semaphore::new(MAX_LISTENERS),
        }))
    }

    /// Serves something else from the next request on, and tells the clients that the
    /// lists have changed. Calls that run go on.
    pub fn replace(&self, served: Served) {
        self.0.served.send_replace(served);
    }

    /// Serves one client over standard input and output, until the input ends or `stop`
    /// does. Nothing else may be written to standard output.
    ///
    /// # Errors
    /// [`ServeError`] when the client does not speak the protocol.
    pub async fn serve_stdio(&self, stop: impl Future<Output = ()>) -> Result<(), ServeError> {
        self.serve_stream(rmcp::transport::stdio_pipes(), stop).await
    }

    /// As [`McpServer::serve_stdio`], over any pair of streams.
    ///
    /// # Errors
    /// [`ServeError`].
    pub async fn serve_stream<R, W>(
        &self,
        streams: (R, W),
        stop: impl Future<Output = ()>,
    ) -> Result<(), ServeError>
    where
        R: tokio::io::AsyncRead + Send + Unpin + 'static,
        W: tokio::io::AsyncWrite + Send + Unpin + 'static,
    {
        tokio::pin!(stop);
        let handler = Handler::new(Arc::clone(&self.0), "stdio");
        let begun = tokio::select! {
            begun = handler.serve(streams) => begun,
            () = &mut stop => return Ok(()),
        };
        let running = match begun {
            Ok(running) => running,
            // A client that went away without a word is a normal end.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(ServeError::Handshake(error.to_string())),
        };
        let cancel = running.cancellation_token();
        let waiting = running.waiting();
        tokio::pin!(waiting);
        let ended = tokio::select! {
            ended = &mut waiting => ended,
            () = stop => {
                cancel.cancel();
                waiting.await
            }
        };
        match ended {
            Ok(QuitReason::JoinError(error)) | Err(error) => {
                Err(ServeError::Crashed(error.to_string()))
            }
            Ok(_) => Ok(()),
        }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.0
    }
}
