//! What must hold of a request before the protocol looks at it, answered as JSON-RPC 2.0
//! wants it (section 5.1).

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

/// One `Host`, so that nobody downstream reads another one (RFC 9112, section 3.2).
pub(super) async fn one_host(request: Request, next: Next) -> Response {
    match request.headers().get_all(header::HOST).iter().count() {
        1 => next.run(request).await,
        _ => (StatusCode::BAD_REQUEST, "exactly one `Host` is needed").into_response(),
    }
}

/// The body of a POST is one JSON-RPC message.
pub(super) async fn check(State(max): State<usize>, request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, max).await else {
        return (StatusCode::PAYLOAD_TOO_LARGE, "the request is too large").into_response();
    };
    match serde_json::from_slice::<Value>(&bytes) {
        Err(error) => refuse(-32700, &format!("the body is not JSON: {error}")),
        Ok(Value::Object(message)) if message.get("id").is_some_and(Value::is_null) => {
            refuse(-32600, "`id` must be a string or a number")
        }
        Ok(Value::Object(_)) => next.run(Request::from_parts(parts, Body::from(bytes))).await,
        Ok(_) => refuse(-32600, "one message in each request; batches are not taken"),
    }
}

fn refuse(code: i32, message: &str) -> Response {
    let body = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}});
    let json = [(header::CONTENT_TYPE, "application/json")];
    (StatusCode::BAD_REQUEST, json, body.to_string()).into_response()
}
