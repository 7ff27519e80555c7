//! Streamable HTTP: where the server listens, and who gets in.
//!
//! On loopback addresses everybody of this machine gets in. Anywhere else a bearer token
//! is needed; encryption is the business of the reverse proxy in front. `Host` and
//! `Origin` are checked on every request, so that no web page reaches the server through
//! a browser (MCP 2026-07-28, "Transports: Security Warning").

mod admission;
mod rate;
mod wellformed;

use std::fmt;
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::handler::Handler;
use super::{McpServer, ServeError};
use admission::Admission;
use wellformed::Bounds;

/// Where the protocol is spoken.
pub const PATH: &str = "/mcp";

/// Characters of the shortest bearer token.
pub const MIN_TOKEN: usize = 16;

/// How the server is reached.
#[derive(Clone, Debug)]
pub struct HttpConfig {
    /// Where it listens. Port 0 takes a free one.
    pub address: SocketAddr,
    /// Who gets in, beyond this machine's own users on a loopback address.
    pub tokens: Vec<BearerToken>,
    /// Names under which clients reach it, as they stand in `Host`, with the port where
    /// there is one. Those of the address itself always count.
    pub hosts: Vec<String>,
    /// Web pages that may call it, as they stand in `Origin`. Those of the server itself
    /// always count.
    pub origins: Vec<String>,
    /// Bytes of a request.
    pub max_body_bytes: usize,
    /// Requests of one peer in a second, over time, and at once after a pause.
    pub requests_per_second: NonZeroU32,
    /// The same for a loopback address, which all clients on this machine and behind a
    /// reverse proxy on it share.
    pub local_requests_per_second: NonZeroU32,
    /// Requests that are worked on at the same time.
    pub max_requests: usize,
}

impl Default for HttpConfig {
    /// `127.0.0.1`, a free port, 4 MiB, 100 requests in a second (2,000 on loopback), 256
    /// at the same time.
    fn default() -> Self {
        Self {
            address: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
            tokens: Vec::new(),
            hosts: Vec::new(),
            origins: Vec::new(),
            max_body_bytes: 4 << 20,
            requests_per_second: NonZeroU32::new(100).unwrap_or(NonZeroU32::MIN),
            local_requests_per_second: NonZeroU32::new(2000).unwrap_or(NonZeroU32::MIN),
            max_requests: 256,
        }
    }
}

/// A word that lets its bearer in (RFC 6750). Never shown.
#[derive(Clone)]
pub struct BearerToken(Arc<str>);

impl BearerToken {
    /// A token.
    ///
    /// # Errors
    /// [`ServeError::WeakToken`] when it has fewer than [`MIN_TOKEN`] characters.
    pub fn new(token: impl Into<Arc<str>>) -> Result<Self, ServeError> {
        let token = token.into();
        match token.chars().count() {
            short if short < MIN_TOKEN => Err(ServeError::WeakToken(short)),
            _ => Ok(Self(token)),
        }
    }
}

impl fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BearerToken(..)")
    }
}

/// Who a request came from, as far as the server tells one from another.
#[derive(Clone, Debug)]
pub(crate) struct Principal(pub(crate) Arc<str>);

impl McpServer {
    /// Begins to listen. What [`Listening::serve`] gives serves until `stop` ends.
    ///
    /// # Errors
    /// [`ServeError`] when the address cannot be listened on, or is open to others and
    /// no token keeps them out.
    pub async fn serve_http(&self, config: HttpConfig) -> Result<Listening, ServeError> {
        let wanted = config.address;
        if !wanted.ip().is_loopback() && config.tokens.is_empty() {
            return Err(ServeError::Unprotected(wanted));
        }
        let bind = |source| ServeError::Bind { address: wanted, source };
        let listener = TcpListener::bind(wanted).await.map_err(bind)?;
        let address = listener.local_addr().map_err(bind)?;
        let stopping = CancellationToken::new();
        let router = router(self, &config, address, &stopping);
        Ok(Listening { listener, router, address, stopping })
    }
}

/// A server that listens and does not answer yet.
#[derive(Debug)]
pub struct Listening {
    listener: TcpListener,
    router: Router,
    address: SocketAddr,
    stopping: CancellationToken,
}

impl Listening {
    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL for clients on this machine.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Serves until `stop` ends; requests that run then are cancelled.
    ///
    /// # Errors
    /// [`ServeError::Io`].
    pub async fn serve(
        self,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ServeError> {
        let stopping = self.stopping.clone();
        let stop = async move {
            stop.await;
            stopping.cancel();
        };
        let service = self.router.into_make_service_with_connect_info::<SocketAddr>();
        Ok(axum::serve(self.listener, service).with_graceful_shutdown(stop).await?)
    }
}

fn router(
    server: &McpServer,
    config: &HttpConfig,
    address: SocketAddr,
    stopping: &CancellationToken,
) -> Router {
    let shared = Arc::clone(server.shared());
    let handler = move || Ok(Handler::new(Arc::clone(&shared), "anybody"));
    let own: Vec<String> = own_names(address);
    let origins = own.iter().map(|name| format!("http://{name}"));
    let transport = StreamableHttpServerConfig::default()
        .with_allowed_hosts(own.iter().chain(&config.hosts).cloned())
        .with_allowed_origins(origins.chain(config.origins.iter().cloned()))
        .enforce_origin_validation()
        .with_max_request_body_bytes(config.max_body_bytes)
        .with_cancellation_token(stopping.child_token());
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(handler, Arc::clone(&sessions), transport);
    let bounds = Bounds { max_body_bytes: config.max_body_bytes, sessions };
    let admission = Arc::new(Admission::new(config));
    Router::new()
        .route_service(PATH, service)
        .layer(from_fn_with_state(bounds, wellformed::check))
        .layer(from_fn_with_state(admission, admission::check))
        .layer(from_fn(wellformed::one_host))
}

/// How clients on this machine may name the server.
fn own_names(address: SocketAddr) -> Vec<String> {
    let port = address.port();
    let mut names = vec![address.to_string()];
    if address.ip().is_loopback() {
        names.extend(["localhost", "127.0.0.1", "[::1]"].map(|host| format!("{host}:{port}")));
    }
    names
}
