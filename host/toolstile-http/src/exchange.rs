//! One request with its redirects. Every hop passes every check.

use std::error::Error as _;

use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Method, StatusCode};

use crate::client::Http;
use crate::credential::put_in;
use crate::error::HttpError;
use crate::header;
use crate::names::NameError;
use crate::target::Target;

/// A request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The method, in upper case.
    pub method: String,
    /// Where it goes.
    pub url: String,
    /// Header fields in order.
    pub headers: Vec<(String, String)>,
    /// The content, when there is one.
    pub body: Option<Vec<u8>>,
}

/// The answer to a request, of whatever status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Header fields in order.
    pub headers: Vec<(String, String)>,
    /// The content, decoded.
    pub body: Vec<u8>,
    /// The content was cut to stay inside the limit.
    pub truncated: bool,
}

/// A request on its way: where it is, and what goes along.
pub(crate) struct Exchange<'a> {
    http: &'a Http,
    target: Target,
    method: Method,
    headers: HeaderMap,
    body: Option<Vec<u8>>,
}

impl<'a> Exchange<'a> {
    /// Checks everything that can be checked before anybody is asked.
    pub(crate) fn start(http: &'a Http, request: Request) -> Result<Self, HttpError> {
        let Request { method, url, headers, body } = request;
        let target = http.judge(Target::parse(&url)?, Some(&method))?;
        let method = Method::from_bytes(method.as_bytes());
        let method = method.map_err(|_| HttpError::Url("its method is none"))?;
        let max = http.limits.max_request_bytes;
        if let Some(bytes) = body.as_ref().map(Vec::len).filter(|bytes| *bytes > max) {
            return Err(HttpError::RequestTooLarge { bytes, max });
        }
        Ok(Self { http, target, method, headers: header::of_caller(&headers)?, body })
    }

    pub(crate) async fn run(mut self) -> Result<Response, HttpError> {
        for _ in 0..=self.http.limits.max_redirects {
            let response = self.ask().await?;
            match location(&response) {
                Some(location) => self.follow(response.status(), &location)?,
                None => return self.read(response).await,
            }
        }
        Err(HttpError::TooManyRedirects(self.http.limits.max_redirects))
    }

    /// The credentials go into a copy: the next hop starts without them.
    async fn ask(&self) -> Result<reqwest::Response, HttpError> {
        let (mut target, mut headers) = (self.target.clone(), self.headers.clone());
        put_in(&self.http.credentials, &mut target, &mut headers)?;
        let mut request =
            self.http.client.request(self.method.clone(), target.url).headers(headers);
        if let Some(body) = &self.body {
            request = request.body(body.clone());
        }
        request.send().await.map_err(|error| self.explain(&error))
    }

    /// RFC 9110, section 15.4: 303 asks again with GET; 301 and 302 turn POST into GET,
    /// as everybody does; 307 and 308 change nothing.
    fn follow(&mut self, status: StatusCode, location: &str) -> Result<(), HttpError> {
        if location.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\') {
            return Err(HttpError::Url("a redirect leads to something that is no URL"));
        }
        let next = self.target.url.join(location);
        let next =
            next.map_err(|_| HttpError::Url("a redirect leads to something that is no URL"))?;
        let post_to_get = self.method == Method::POST && matches!(status.as_u16(), 301 | 302);
        if post_to_get || (status == StatusCode::SEE_OTHER && self.method != Method::HEAD) {
            self.method = Method::GET;
            self.body = None;
            self.headers.remove(CONTENT_TYPE);
        }
        let next = Target::parse(next.as_str())?;
        let next = self.http.judge(next, Some(self.method.as_str()))?;
        if next.origin() != self.target.origin() {
            header::leave_origin(&mut self.headers);
        }
        self.target = next;
        Ok(())
    }

    /// Reads until the end or the limit. What comes after the limit is not read.
    async fn read(&self, mut response: reqwest::Response) -> Result<Response, HttpError> {
        let (status, headers) = (response.status().as_u16(), header::of_server(response.headers()));
        let max = self.http.limits.max_response_bytes;
        let (mut body, mut truncated) = (Vec::new(), false);
        while let Some(chunk) = response.chunk().await.map_err(|error| self.explain(&error))? {
            let room = max - body.len();
            body.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if chunk.len() > room {
                truncated = true;
                break;
            }
        }
        Ok(Response { status, headers, body, truncated })
    }

    /// The client's own text may name the whole URL, with what was put into it.
    fn explain(&self, error: &reqwest::Error) -> HttpError {
        let host = self.target.host.to_string();
        if let Some(name) = source::<NameError>(error) {
            return match name {
                NameError::NoAddress => HttpError::NoSuchHost(host),
                NameError::Special(what) => HttpError::Address { host, what },
            };
        }
        let reason = if source::<rustls::Error>(error).is_some() {
            "its certificate or its TLS was not accepted"
        } else if error.is_connect() {
            "no connection could be made"
        } else if error.is_decode() {
            "its answer cannot be decoded"
        } else {
            "it broke off, or did not answer in HTTP"
        };
        HttpError::Failed { host, reason }
    }
}

/// Where a redirect leads; other answers lead nowhere.
fn location(response: &reqwest::Response) -> Option<String> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = response.headers().get(LOCATION)?;
    Some(String::from_utf8_lossy(location.as_bytes()).into_owned())
}

/// The error of this type among the causes of another.
fn source<T: std::error::Error + Clone + 'static>(error: &reqwest::Error) -> Option<T> {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(found) = error.downcast_ref::<T>() {
            return Some(found.clone());
        }
        // An I/O error keeps what it wraps out of the chain.
        let wrapped = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        if let Some(found) = wrapped.and_then(|inner| inner.downcast_ref::<T>()) {
            return Some(found.clone());
        }
        cause = error.source();
    }
    None
}
