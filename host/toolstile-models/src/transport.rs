//! How requests travel: one HTTP client without redirects, errors that tell an answer
//! that never came from one that broke off, and no key in any URL.

use std::error::Error as _;
use std::future::ready;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::stream::try_unfold;
use http::{HeaderName, HeaderValue, Request, Response};
use rig_core::http_client::{
    BoxedStream, Error, HttpClientExt, LazyBody, MultipartForm, Result, StreamingResponse,
};
use url::Url;

use crate::settings::ConnectError;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest silence. How long a whole answer may take is for the caller to say.
const READ_TIMEOUT: Duration = Duration::from_secs(120);

/// Bytes of an answer that comes as a whole.
const MAX_REPLY: usize = 32 << 20;

/// Bytes of an answer that says what went wrong.
const MAX_FAILURE: usize = 64 << 10;

const GOOGLE_KEY: HeaderName = HeaderName::from_static("x-goog-api-key");

/// Why there is no answer, or not all of it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TransportError {
    /// No answer began.
    #[error("{0}")]
    NoAnswer(String),
    /// An answer began and did not end.
    #[error("{0}")]
    CutOff(String),
    /// The answer does not end.
    #[error("the answer is longer than {MAX_REPLY} bytes")]
    TooLong,
    /// Files are never sent.
    #[error("multipart requests are not supported")]
    Multipart,
}

/// The client of one model.
#[derive(Clone, Debug)]
pub(crate) struct Transport {
    client: reqwest::Client,
    google_key: Option<HeaderValue>,
}

impl Transport {
    /// A client for requests to `base`.
    pub(crate) fn new(base: &Url) -> std::result::Result<Self, ConnectError> {
        let builder = toolstile_http::client_builder()?
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(READ_TIMEOUT);
        // A proxy cannot reach a server on this machine.
        let builder = if is_loopback(base) { builder.no_proxy() } else { builder };
        Ok(Self { client: builder.build()?, google_key: None })
    }

    /// The same with a key in the header that Google reads, in place of one in the URL.
    pub(crate) fn with_google_key(mut self, key: &str) -> std::result::Result<Self, ConnectError> {
        let mut value = HeaderValue::from_str(key).map_err(|_| ConnectError::BadKey)?;
        value.set_sensitive(true);
        self.google_key = Some(value);
        Ok(self)
    }

    async fn exchange(&self, request: Request<Bytes>) -> Result<reqwest::Response> {
        let mut request = reqwest::Request::try_from(request).map_err(no_answer)?;
        if let Some(key) = &self.google_key {
            drop_key(request.url_mut());
            request.headers_mut().insert(GOOGLE_KEY, key.clone());
        }
        let response = self.client.execute(request).await.map_err(no_answer)?;
        if response.status().is_success() {
            return Ok(response);
        }
        Err(failure(response).await)
    }
}

impl HttpClientExt for Transport {
    fn send<T, U>(
        &self,
        req: Request<T>,
    ) -> impl Future<Output = Result<Response<LazyBody<U>>>> + Send + 'static
    where
        T: Into<Bytes> + Send,
        U: From<Bytes> + Send + 'static,
    {
        let transport = self.clone();
        let request = req.map(Into::into);
        async move {
            let response = transport.exchange(request).await?;
            let body = |response| -> LazyBody<U> {
                Box::pin(async move { whole(response).await.map(U::from) })
            };
            Ok(with_head(response, body))
        }
    }

    fn send_multipart<U>(
        &self,
        _req: Request<MultipartForm>,
    ) -> impl Future<Output = Result<Response<LazyBody<U>>>> + Send + 'static
    where
        U: From<Bytes> + Send + 'static,
    {
        ready(Err(Error::instance(TransportError::Multipart)))
    }

    fn send_streaming<T>(
        &self,
        req: Request<T>,
    ) -> impl Future<Output = Result<StreamingResponse>> + Send
    where
        T: Into<Bytes> + Send,
    {
        let request = req.map(Into::into);
        async move { Ok(with_head(self.exchange(request).await?, pieces)) }
    }
}

/// The same status and headers with the content in another form.
fn with_head<B>(
    response: reqwest::Response,
    body: impl FnOnce(reqwest::Response) -> B,
) -> Response<B> {
    let (status, headers) = (response.status(), response.headers().clone());
    let mut answer = Response::new(body(response));
    *answer.status_mut() = status;
    *answer.headers_mut() = headers;
    answer
}

async fn whole(mut response: reqwest::Response) -> Result<Bytes> {
    let mut content = BytesMut::new();
    while let Some(piece) = response.chunk().await.map_err(cut_off)? {
        if content.len() + piece.len() > MAX_REPLY {
            return Err(Error::instance(TransportError::TooLong));
        }
        content.extend_from_slice(&piece);
    }
    Ok(content.freeze())
}

fn pieces(response: reqwest::Response) -> BoxedStream {
    Box::pin(try_unfold(response, |mut response| async move {
        let piece = response.chunk().await.map_err(cut_off)?;
        Ok(piece.map(|piece| (piece, response)))
    }))
}

/// An answer of another status than success. What it says may be cut: the status alone
/// is enough to act upon.
async fn failure(mut response: reqwest::Response) -> Error {
    let (status, headers) = (response.status(), response.headers().clone());
    let mut content = Vec::new();
    while let Ok(Some(piece)) = response.chunk().await {
        let room = MAX_FAILURE - content.len();
        content.extend_from_slice(&piece[..piece.len().min(room)]);
        if content.len() == MAX_FAILURE {
            break;
        }
    }
    let body = String::from_utf8_lossy(&content).into_owned();
    Error::non_success_with_details(status, headers, body)
}

fn no_answer(error: reqwest::Error) -> Error {
    Error::instance(TransportError::NoAnswer(causes(error)))
}

fn cut_off(error: reqwest::Error) -> Error {
    Error::instance(TransportError::CutOff(causes(error)))
}

/// An error with its causes, which alone say what happened, and without its URL.
fn causes(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

/// Takes the parameter `key` out of a URL.
fn drop_key(url: &mut Url) {
    let kept: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(name, _)| name != "key")
        .map(|(n, v)| (n.into(), v.into()))
        .collect();
    url.set_query(None);
    if !kept.is_empty() {
        url.query_pairs_mut().extend_pairs(kept);
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
