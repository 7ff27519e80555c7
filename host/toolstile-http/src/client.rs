//! The client of one grant: what is set up once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::redirect::Policy;
use rustls::ClientConfig;
use tokio::sync::Semaphore;

use crate::address::special;
use crate::credential::Credential;
use crate::error::HttpError;
use crate::exchange::{Exchange, Request, Response};
use crate::grant::{Grant, judge};
use crate::names::Names;
use crate::target::{CheckedUrl, Target};

/// What the operator decides about requests.
#[derive(Clone, Debug, Default)]
pub struct HttpConfig {
    /// Where they may go.
    pub grants: Vec<Grant>,
    /// What is put into them.
    pub credentials: Vec<Credential>,
    /// How much they may take.
    pub limits: HttpLimits,
    /// Who is asked for addresses.
    pub names: Names,
}

/// How much requests may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// Wall time of a request with its redirects. Default: 10 s.
    pub timeout: Duration,
    /// Bytes of an answer's content, decoded; the rest is cut. Default: 1 MiB.
    pub max_response_bytes: usize,
    /// Bytes of a request's content. Default: 1 MiB.
    pub max_request_bytes: usize,
    /// Redirects that are followed. Default: 5.
    pub max_redirects: usize,
    /// Requests at the same time. Default: 32.
    pub max_at_once: usize,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            max_response_bytes: 1 << 20,
            max_request_bytes: 1 << 20,
            max_redirects: 5,
            max_at_once: 32,
        }
    }
}

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// TLS cannot be set up, for example because the system has no root certificates.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
    /// The client cannot be set up.
    #[error("the HTTP client cannot be set up: {0}")]
    Client(#[from] reqwest::Error),
}

/// Makes requests to granted hosts.
#[derive(Debug)]
pub struct Http {
    pub(crate) client: reqwest::Client,
    pub(crate) grants: Vec<Grant>,
    pub(crate) credentials: Vec<Credential>,
    pub(crate) limits: HttpLimits,
    slots: Semaphore,
}

impl Http {
    /// Sets a client up.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn new(config: HttpConfig) -> Result<Self, SetupError> {
        let HttpConfig { grants, credentials, limits, names } = config;
        let client = client_builder()?
            .dns_resolver(Arc::new(names))
            .no_proxy()
            .pool_max_idle_per_host(2)
            .pool_idle_timeout(Duration::from_secs(30))
            .build()?;
        let slots = Semaphore::new(limits.max_at_once.clamp(1, 10_000));
        Ok(Self { client, grants, credentials, limits, slots })
    }

    /// Judges a URL as text: nothing is looked up, nobody is asked. Whether a method is
    /// granted there is judged when the request is made.
    ///
    /// # Errors
    /// [`HttpError`] says what would be granted.
    pub fn check_url(&self, url: &str) -> Result<CheckedUrl, HttpError> {
        self.judge(Target::parse(url)?, None).map(CheckedUrl)
    }

    /// The same with a method.
    ///
    /// # Errors
    /// As [`Http::check_url`].
    pub fn check(&self, method: &str, url: &str) -> Result<CheckedUrl, HttpError> {
        self.judge(Target::parse(url)?, Some(method)).map(CheckedUrl)
    }

    pub(crate) fn judge(&self, target: Target, method: Option<&str>) -> Result<Target, HttpError> {
        let grant = judge(&self.grants, &target, method)?;
        match target.address().and_then(special) {
            Some(what) if !grant.is_address() => {
                Err(HttpError::Address { host: target.host.to_string(), what })
            }
            _ => Ok(target),
        }
    }

    /// Makes a request and follows its redirects, within the time limit and the
    /// deadline. Dropping the future closes the connection.
    ///
    /// # Errors
    /// [`HttpError`]. An answer of whatever status is no error.
    pub async fn send(&self, request: Request, deadline: Instant) -> Result<Response, HttpError> {
        let max = self.limits.max_at_once;
        let _slot = self.slots.try_acquire().map_err(|_| HttpError::TooMany(max))?;
        let until = deadline.min(Instant::now() + self.limits.timeout);
        let started = Instant::now();
        let exchange = Exchange::start(self, request)?;
        let ended = tokio::time::timeout_at(until.into(), exchange.run()).await;
        ended.unwrap_or_else(|_| Err(HttpError::TimedOut(started.elapsed())))
    }
}

/// What every client of the host begins with: TLS with the roots of the system, no
/// redirects, no referrer, our name. Not for requests of plugins: those need [`Http`].
///
/// # Errors
/// The system has no root certificates, for example.
pub fn client_builder() -> Result<reqwest::ClientBuilder, SetupError> {
    Ok(reqwest::Client::builder()
        .tls_backend_preconfigured(tls()?)
        .referer(false)
        .redirect(Policy::none())
        .user_agent(concat!("toolstile/", env!("CARGO_PKG_VERSION"))))
}

/// Gives clients that bring no TLS of their own the same that ours have, unless the process
/// has chosen already.
pub fn default_tls_provider() {
    // What the process chose stays.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// TLS 1.2 and 1.3, with the roots of the system, and without touching what the rest of
/// the process uses.
fn tls() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = rustls_platform_verifier::Verifier::new(Arc::clone(&provider))?;
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth())
}
