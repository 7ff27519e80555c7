//! Why serving ended, or did not begin.

use std::io;
use std::net::SocketAddr;

/// Why a server does not serve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The client does not speak the protocol.
    #[error("the client began with something that is no MCP: {0}")]
    Handshake(String),
    /// Serving crashed.
    #[error("serving ended unexpectedly: {0}")]
    Crashed(String),
    /// The address cannot be listened on.
    #[error("`{address}` cannot be listened on: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// A token that is too short to keep anybody out.
    #[error("a bearer token has {0} characters; at least {min} are needed", min = super::http::MIN_TOKEN)]
    WeakToken(usize),
    /// An address that others reach, without anybody being kept out.
    #[error("`{0}` is reached by others: serving there needs at least one bearer token")]
    Unprotected(SocketAddr),
    /// The network failed.
    #[error("serving failed: {0}")]
    Io(#[from] io::Error),
}
