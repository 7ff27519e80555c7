//! What must hold of a request before the protocol looks at it, answered as JSON-RPC 2.0
//! wants it (section 5.1).

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde_json::{Map, Value, json};

/// One `Host`, so that nobody downstream reads another one (RFC 9112, section 3.2).
pub(super) async fn one_host(request: Request, next: Next) -> Response {
    match request.headers().get_all(header::HOST).iter().count() {
        1 => next.run(request).await,
        _ => (StatusCode::BAD_REQUEST, "exactly one `Host` is needed").into_response(),
    }
}

/// Clients with a handshake that are there at the same time. Each takes memory until it
/// has been silent for some minutes.
const MAX_SESSIONS: usize = 256;

/// What a message is held against.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    pub(super) max_body_bytes: usize,
    pub(super) sessions: Arc<LocalSessionManager>,
}

/// The body of a POST is one JSON-RPC message.
pub(super) async fn check(State(bounds): State<Bounds>, request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, bounds.max_body_bytes).await else {
        return (StatusCode::PAYLOAD_TOO_LARGE, "the request is too large").into_response();
    };
    match serde_json::from_slice::<Value>(&bytes) {
        Err(error) => refuse(-32700, &format!("the body is not JSON: {error}")),
        Ok(Value::Object(message)) if message.get("id").is_some_and(Value::is_null) => {
            refuse(-32600, "`id` must be a string or a number")
        }
        Ok(Value::Object(message)) if begins(&message) && bounds.full().await => {
            let retry = [(header::RETRY_AFTER, "60")];
            (StatusCode::SERVICE_UNAVAILABLE, retry, "too many sessions").into_response()
        }
        Ok(Value::Object(_)) => next.run(Request::from_parts(parts, Body::from(bytes))).await,
        Ok(_) => refuse(-32600, "one message in each request; batches are not taken"),
    }
}

impl Bounds {
    async fn full(&self) -> bool {
        self.sessions.sessions.read().await.len() >= MAX_SESSIONS
    }
}

/// Whether a message begins a session.
fn begins(message: &Map<String, Value>) -> bool {
    message.get("method").is_some_and(|method| method == "initialize")
}

fn refuse(code: i32, message: &str) -> Response {
    let body = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}});
    let json = [(header::CONTENT_TYPE, "application/json")];
    (StatusCode::BAD_REQUEST, json, body.to_string()).into_response()
}
