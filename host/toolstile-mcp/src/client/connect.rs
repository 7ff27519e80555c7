//! Finding out which era a server speaks, in two steps with time limits of our own: first
//! `server/discover`, then, over a new connection, the handshake. Servers before 2026-07-28
//! answer what they do not know in every way there is: with an error, with nonsense, with
//! silence, and by going away.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::auth::AuthClient;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use super::clean::one_line;
use super::config::{Auth, Checked, Transport};
use super::error::ClientError;
use super::handler::Listener;
use super::link::{Connection, Era};
use super::process::{Present, spawn};
use super::supervisor::LAST_WAIT;

/// How long an answer to `server/discover` is waited for.
const DISCOVER: Duration = Duration::from_secs(3);

/// Bytes of one answer.
const MAX_ANSWER: usize = 16 << 20;

/// Characters of an error that are shown.
const MAX_ERROR: usize = 300;

/// Connects. `known` is the era that the server spoke before.
pub(crate) async fn connect(
    server: &Checked,
    known: Option<Era>,
    present: &Present,
) -> Result<Connection, ClientError> {
    let reach = Reach::of(server).await?;
    if known != Some(Era::Handshake) {
        let limit = DISCOVER.min(server.timeout);
        match attempt(server, &reach, Era::Stateless, limit, present).await {
            Err(ClientError::Connect(_) | ClientError::TimedOut { .. }) => {}
            ended => return ended,
        }
    }
    attempt(server, &reach, Era::Handshake, server.timeout, present).await
}

/// What both attempts have in common.
enum Reach {
    Process,
    Http(reqwest::Client, StreamableHttpClientTransportConfig),
    /// With tokens from a login.
    OAuth(AuthClient<reqwest::Client>, StreamableHttpClientTransportConfig),
}

impl Reach {
    async fn of(server: &Checked) -> Result<Self, ClientError> {
        let Transport::Http { url, headers, auth } = &server.transport else {
            return Ok(Self::Process);
        };
        let failed = |error: &dyn std::fmt::Display| ClientError::Connect(error.to_string());
        let client = toolstile_http::client_builder().map_err(|error| failed(&error))?;
        let client = client.build().map_err(|error| failed(&error))?;
        let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
            .custom_headers(headers.iter().cloned().collect())
            .max_json_response_size(MAX_ANSWER)
            .max_sse_event_size(MAX_ANSWER);
        // By itself it would wait as long again as the server was away.
        let mut again = ExponentialBackoff::default();
        again.max_delay = Some(LAST_WAIT);
        config.retry_config = Arc::new(again);
        match auth {
            Auth::None => {}
            Auth::Bearer(token) => config = config.auth_header(token.clone()),
            Auth::Login(oauth) => {
                let method = "authorization metadata";
                let client = tokio::time::timeout(server.timeout, oauth.client(url, client)).await;
                let limit = server.timeout;
                let client = client.map_err(|_| ClientError::TimedOut { method, limit })??;
                return Ok(Self::OAuth(client, config));
            }
        }
        Ok(Self::Http(client, config))
    }
}

async fn attempt(
    server: &Checked,
    reach: &Reach,
    era: Era,
    limit: Duration,
    present: &Present,
) -> Result<Connection, ClientError> {
    let listener = Listener::of(server);
    let begun = match reach {
        Reach::Process => {
            let child = spawn(&server.namespace, &server.transport, present)?;
            begin(listener.clone(), child, era, limit).await
        }
        Reach::Http(client, config) => {
            let http = StreamableHttpClientTransport::with_client(client.clone(), config.clone());
            begin(listener.clone(), http, era, limit).await
        }
        Reach::OAuth(client, config) => {
            let http = StreamableHttpClientTransport::with_client(client.clone(), config.clone());
            begin(listener.clone(), http, era, limit).await
        }
    };
    let running = begun?;
    let connection = Connection { running, listener, era, present: present.clone() };
    let revision = connection.running.peer().peer_info().map(|info| info.protocol_version.clone());
    let stateless = revision.is_some_and(|r| r.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
    if era == Era::Handshake && stateless {
        connection.close().await;
        let message = "it agreed to a revision that has no handshake".to_owned();
        return Err(ClientError::Connect(message));
    }
    Ok(connection)
}

async fn begin<T, E, A>(
    listener: Listener,
    transport: T,
    era: Era,
    limit: Duration,
) -> Result<RunningService<RoleClient, Listener>, ClientError>
where
    T: rmcp::transport::IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let (mode, method) = match era {
        Era::Handshake => (ClientLifecycleMode::Initialize, "initialize"),
        Era::Stateless => {
            let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
            (ClientLifecycleMode::Discover { preferred_versions }, "server/discover")
        }
    };
    let begun = tokio::time::timeout(limit, listener.serve_with_lifecycle(transport, mode)).await;
    match begun {
        Err(_) => Err(ClientError::TimedOut { method, limit }),
        Ok(Err(error)) => {
            let required = error.is_authorization_required();
            let unauthorized = ClientError::unauthorized(error.auth_challenge(), required);
            Err(unauthorized.unwrap_or_else(|| {
                // A server's own words are part of it.
                ClientError::Connect(one_line(&error.to_string(), MAX_ERROR))
            }))
        }
        Ok(Ok(running)) => Ok(running),
    }
}
