//! Why a request was not made, or not answered. Every text may reach a model: it names
//! hosts that the caller named, and no secret.

use std::time::Duration;

/// Why a request was not made, or not answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// Not a URL in its one canonical form.
    #[error("the URL is not acceptable: {0}")]
    Url(&'static str),
    /// A target that is not granted.
    #[error("`{target}` is not granted; granted are {granted}")]
    NotGranted {
        /// Scheme, host, port and path.
        target: String,
        /// What is.
        granted: String,
    },
    /// A method that is not granted there.
    #[error("the method `{method}` is not granted for `{target}`; granted are {granted}")]
    Method {
        /// The method.
        method: String,
        /// Scheme, host, port and path.
        target: String,
        /// The methods that are.
        granted: String,
    },
    /// An address that belongs to no public host.
    #[error("`{host}` leads to {what}, which is not granted by its address")]
    Address {
        /// The name or address.
        host: String,
        /// What kind of address it is.
        what: &'static str,
    },
    /// A header field that is the host's to set, or not a header field.
    #[error("the header field `{name}` is not accepted: {reason}")]
    Header {
        /// Its name.
        name: String,
        /// Why.
        reason: &'static str,
    },
    /// Too much to send.
    #[error("the request has {bytes} bytes, at most {max} are sent")]
    RequestTooLarge {
        /// Bytes of the content.
        bytes: usize,
        /// The limit.
        max: usize,
    },
    /// Too many at once.
    #[error("{0} requests are under way; send the next when one has ended")]
    TooMany(usize),
    /// A chain of redirects.
    #[error("there were more than {0} redirects")]
    TooManyRedirects(usize),
    /// A credential whose secret is not set.
    #[error("the secret `{0}`, which this host needs, is not set")]
    NoSecret(String),
    /// No address.
    #[error("the name `{0}` has no address")]
    NoSuchHost(String),
    /// Time was up.
    #[error("there was no answer within {} ms", .0.as_millis())]
    TimedOut(Duration),
    /// Nobody answered, or not in HTTP, or not who was asked.
    #[error("`{host}` could not be asked: {reason}")]
    Failed {
        /// The host.
        host: String,
        /// What went wrong.
        reason: &'static str,
    },
}

/// The kinds of failure, as the plugin contract knows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Not granted.
    Denied,
    /// Malformed.
    InvalidArgument,
    /// No such host.
    NotFound,
    /// A limit on size, count or rate.
    LimitExceeded,
    /// Time was up.
    TimedOut,
    /// Granted, and not possible now.
    Unavailable,
    /// Anything else.
    Other,
}

impl HttpError {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Url(_) | Self::Header { .. } => ErrorKind::InvalidArgument,
            Self::NotGranted { .. } | Self::Method { .. } | Self::Address { .. } => {
                ErrorKind::Denied
            }
            Self::RequestTooLarge { .. } | Self::TooMany(_) | Self::TooManyRedirects(_) => {
                ErrorKind::LimitExceeded
            }
            Self::NoSuchHost(_) => ErrorKind::NotFound,
            Self::TimedOut(_) => ErrorKind::TimedOut,
            Self::NoSecret(_) | Self::Failed { .. } => ErrorKind::Unavailable,
        }
    }
}
