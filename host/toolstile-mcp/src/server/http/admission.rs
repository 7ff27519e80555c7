//! Who gets in, how often, and how many at the same time.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures_util::StreamExt as _;
use subtle::ConstantTimeEq as _;
use tokio::sync::Semaphore;
use toolstile_core::sha256_hex;

use super::rate::Rate;
use super::{HttpConfig, Principal};

/// The rules of one server.
#[derive(Debug)]
pub(super) struct Admission {
    /// SHA-256 of each token.
    tokens: Vec<String>,
    rate: Rate,
    places: Arc<Semaphore>,
}

impl Admission {
    pub(super) fn new(config: &HttpConfig) -> Self {
        Self {
            tokens: config.tokens.iter().map(|token| sha256_hex(token.0.as_bytes())).collect(),
            rate: Rate::new(config.requests_per_second, config.local_requests_per_second),
            places: Arc::new(Semaphore::new(config.max_requests)),
        }
    }

    /// Who the bearer of a token is; `None` for nobody. Compared by digest and in constant
    /// time, so that the time tells nothing about a token.
    fn principal(&self, headers: &HeaderMap) -> Option<Principal> {
        if self.tokens.is_empty() {
            return Some(Principal("anybody".into()));
        }
        let given = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
        let (scheme, token) = given.split_once(' ')?;
        let digest = sha256_hex(token.trim().as_bytes());
        let matches = |known: &&String| bool::from(known.as_bytes().ct_eq(digest.as_bytes()));
        let known = self.tokens.iter().find(matches)?;
        scheme.eq_ignore_ascii_case("bearer").then(|| Principal(known.as_str().into()))
    }
}

/// Lets a request in, or says why not. What let it in goes no further.
pub(super) async fn check(
    State(admission): State<Arc<Admission>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    if !admission.rate.admits(peer.ip()) {
        let retry = [(header::RETRY_AFTER, "1")];
        return (StatusCode::TOO_MANY_REQUESTS, retry, "too many requests").into_response();
    }
    let Some(principal) = admission.principal(request.headers()) else {
        let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
        let text = "a bearer token is needed: `Authorization: Bearer …`";
        return (StatusCode::UNAUTHORIZED, challenge, text).into_response();
    };
    request.headers_mut().remove(header::AUTHORIZATION);
    request.headers_mut().remove(header::COOKIE);
    request.extensions_mut().insert(principal);
    let Ok(place) = Arc::clone(&admission.places).try_acquire_owned() else {
        let retry = [(header::RETRY_AFTER, "1")];
        return (StatusCode::SERVICE_UNAVAILABLE, retry, "too many requests at once")
            .into_response();
    };
    // An answer that is streamed takes its place until it ends or nobody reads on.
    let (parts, body) = next.run(request).await.into_parts();
    let body = body.into_data_stream().inspect(move |_| {
        let _held = &place;
    });
    Response::from_parts(parts, Body::from_stream(body))
}
