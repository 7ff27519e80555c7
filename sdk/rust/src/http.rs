//! Requests to hosts on the operator's allowlist.

use crate::Error;
use crate::bindings::toolstile::plugin::http;
use crate::error::ask;

pub use http::{Request, Response};

impl Request {
    /// A request without header fields or content. `method` is in upper case,
    /// `url` absolute.
    #[must_use]
    pub fn new(method: impl Into<String>, url: impl Into<String>) -> Self {
        Self { method: method.into(), url: url.into(), headers: Vec::new(), body: None }
    }

    /// The same request with one more header field.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The same request with content.
    #[must_use]
    pub fn with_body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self
    }
}

/// Sends a request. The host puts credentials in; a plugin never holds one.
/// A response of whatever status is a success here.
///
/// Fails with an [`Error`] when the operator's grant forbids the request or the
/// network fails; in native code with
/// [`Unavailable`](crate::ErrorKind::Unavailable).
pub fn send(request: &Request) -> Result<Response, Error> {
    ask("http", || http::send(request))
}
