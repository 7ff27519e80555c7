//! A URL in its one canonical form, and what of it is judged.

use std::net::IpAddr;

use url::{Host, Url};

use crate::error::HttpError;

/// Bytes of a URL.
const MAX_BYTES: usize = 8 * 1024;

/// A URL that is granted. Only [`Http`](crate::Http) makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedUrl(pub(crate) Target);

impl CheckedUrl {
    /// The URL in its canonical form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.url.as_str()
    }
}

/// A URL, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) url: Url,
    pub(crate) host: Host<String>,
    pub(crate) port: u16,
}

impl Target {
    /// Reads a URL. What different readers would understand differently is refused:
    /// they might be asked one after the other.
    pub(crate) fn parse(text: &str) -> Result<Self, HttpError> {
        let wrong = |what| Err(HttpError::Url(what));
        if text.len() > MAX_BYTES {
            return wrong("it has more than 8192 bytes");
        }
        if text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\') {
            return wrong("it contains a blank, a control character or a backslash; encode them");
        }
        let authority = authority(text)?;
        if authority.contains('@') {
            return wrong("it carries a user name; the host puts credentials in by itself");
        }
        let Ok(url) = Url::parse(text) else {
            return wrong("it cannot be read; write `https://host/path`");
        };
        let Some(host) = url.host().map(|host| host.to_owned()) else {
            return wrong("it names no host");
        };
        check_host(&host, authority)?;
        match url.port_or_known_default() {
            None | Some(0) => wrong("it names no usable port"),
            Some(port) => Ok(Self { url, host, port }),
        }
    }

    /// The address, where the host is one.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        match self.host {
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
            Host::Domain(_) => None,
        }
    }

    /// Scheme, host and port: what credentials and callers' header fields belong to.
    pub(crate) fn origin(&self) -> (&str, &Host<String>, u16) {
        (self.url.scheme(), &self.host, self.port)
    }

    /// The URL for a message: without its query, which may carry anything.
    pub(crate) fn shown(&self) -> String {
        let path: String = self.url.path().chars().take(100).collect();
        match self.url.port() {
            Some(port) => format!("{}://{}:{port}{path}", self.url.scheme(), self.host),
            None => format!("{}://{}{path}", self.url.scheme(), self.host),
        }
    }
}

/// What stands between `//` and the path, as it was written.
fn authority(text: &str) -> Result<&str, HttpError> {
    let (scheme, rest) = text
        .split_once("://")
        .ok_or(HttpError::Url("it has no scheme; write `https://host/path`"))?;
    if !scheme.eq_ignore_ascii_case("https") && !scheme.eq_ignore_ascii_case("http") {
        return Err(HttpError::Url("its scheme is neither `https` nor `http`"));
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match authority.is_empty() {
        true => Err(HttpError::Url("it names no host")),
        false => Ok(authority),
    }
}

/// An address must be written as it is; a name must be letters, digits and hyphens
/// between dots, as it is written and as it is looked up.
fn check_host(host: &Host<String>, authority: &str) -> Result<(), HttpError> {
    let written = match authority.starts_with('[') {
        true => authority.split_inclusive(']').next().unwrap_or_default(),
        false => authority.split(':').next().unwrap_or_default(),
    };
    match host {
        Host::Ipv4(address) if address.to_string() == written => Ok(()),
        Host::Ipv4(_) => Err(HttpError::Url("its host is an address in an unusual form")),
        Host::Ipv6(_) => Ok(()),
        Host::Domain(name) => match is_name(name) && is_written_as_name(written) {
            true => Ok(()),
            false => {
                Err(HttpError::Url("its host is no name of letters, digits, hyphens and dots"))
            }
        },
    }
}

/// RFC 1123, section 2.1; a dot at the end is refused, since others compare without it.
fn is_name(name: &str) -> bool {
    let label = |label: &str| {
        let letters = label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        (1..=63).contains(&label.len()) && letters && !label.starts_with('-')
    };
    name.len() <= 253 && name.split('.').all(label)
}

fn is_written_as_name(written: &str) -> bool {
    written.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '.' | '_'))
}
