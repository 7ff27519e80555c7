//! Where requests may go.

use std::fmt;

use url::Host;

use crate::error::HttpError;
use crate::target::Target;

/// A scheme, a host, a port, a path and the methods that may be used there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    scheme: String,
    host: HostRule,
    port: u16,
    /// Whole segments of a path that a request's path must begin with.
    path: Vec<String>,
    methods: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum HostRule {
    /// This very host.
    Exact(Host<String>),
    /// Every name below this one, and not itself.
    Below(String),
    /// Every name.
    Any,
}

/// Why a text is no grant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GrantError {
    /// Not a host or a URL.
    #[error(
        "`{text}` is no host and no URL: {reason}; write `api.example.com`, `*.example.com` or `https://api.example.com/v1/`"
    )]
    Target {
        /// The text.
        text: String,
        /// What is wrong.
        reason: String,
    },
    /// No method, or none that a request can have.
    #[error("`{0}` is no method that can be granted; write it in upper case, as in `GET`")]
    Method(String),
    /// A query or a fragment, which are not judged.
    #[error("`{0}` has a query or a fragment; a grant ends with its path")]
    Query(String),
}

/// Methods that can be granted (RFC 9110, RFC 5789).
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

impl Grant {
    /// Reads a host (`https` on its usual port), or a URL whose scheme, host, port and
    /// path count. `*.example.com` is every name below `example.com`, `*` every name.
    /// An address is granted by itself only, private ones too.
    ///
    /// # Errors
    /// [`GrantError`].
    pub fn parse(text: &str, methods: &[impl AsRef<str>]) -> Result<Self, GrantError> {
        let wrong = |reason: String| GrantError::Target { text: text.to_owned(), reason };
        if text.contains(['?', '#']) {
            return Err(GrantError::Query(text.to_owned()));
        }
        let url = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
        let (scheme, rest) = url.split_once("://").unwrap_or_default();
        let (wild, plain) = match rest.strip_prefix('*') {
            None => (None, rest.to_owned()),
            Some(rest) => match rest.strip_prefix('.') {
                Some(below) => (Some(true), below.to_owned()),
                None => (Some(false), format!("any.example{rest}")),
            },
        };
        let target = Target::parse(&format!("{scheme}://{plain}"))
            .map_err(|error| wrong(error.to_string()))?;
        let host = match (wild, &target.host) {
            (None, host) => HostRule::Exact(host.clone()),
            (Some(true), Host::Domain(name)) => HostRule::Below(format!(".{name}")),
            (Some(false), _) => HostRule::Any,
            (Some(true), _) => return Err(wrong("an address has nothing below it".to_owned())),
        };
        Ok(Self {
            scheme: target.url.scheme().to_owned(),
            host,
            port: target.port,
            path: segments(target.url.path()),
            methods: methods.iter().map(|m| method(m.as_ref())).collect::<Result<_, _>>()?,
        })
    }

    /// Whether the grant is for this target, whatever the method.
    pub(crate) fn covers(&self, target: &Target) -> bool {
        self.scheme == target.url.scheme()
            && self.port == target.port
            && self.covers_host(&target.host)
            && self.covers_path(target.url.path())
    }

    fn covers_host(&self, host: &Host<String>) -> bool {
        match (&self.host, host) {
            (HostRule::Exact(granted), host) => granted == host,
            (HostRule::Below(suffix), Host::Domain(name)) => {
                name.len() > suffix.len() && name.ends_with(suffix)
            }
            (HostRule::Any, Host::Domain(_)) => true,
            _ => false,
        }
    }

    /// Segment by segment. Under a grant for a part of a host, a path whose encoding
    /// could hide a separator or a dot is not covered: the server might undo it.
    fn covers_path(&self, path: &str) -> bool {
        if self.path.is_empty() {
            return true;
        }
        let lower = path.to_ascii_lowercase();
        let hides = ["%2f", "%5c", "%2e", "%25", ";"].iter().any(|hidden| lower.contains(hidden));
        !hides && segments(path).starts_with(&self.path)
    }

    /// Whether the host is an address that was granted as such.
    pub(crate) fn is_address(&self) -> bool {
        matches!(self.host, HostRule::Exact(Host::Ipv4(_) | Host::Ipv6(_)))
    }

    pub(crate) fn allows(&self, method: &str) -> bool {
        self.methods.iter().any(|granted| granted == method)
    }

    pub(crate) fn methods(&self) -> String {
        self.methods.join(", ")
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://", self.scheme)?;
        match &self.host {
            HostRule::Exact(host) => write!(f, "{host}")?,
            HostRule::Below(suffix) => write!(f, "*{suffix}")?,
            HostRule::Any => write!(f, "*")?,
        }
        if !matches!((self.scheme.as_str(), self.port), ("https", 443) | ("http", 80)) {
            write!(f, ":{}", self.port)?;
        }
        write!(f, "/{}", self.path.join("/"))
    }
}

fn segments(path: &str) -> Vec<String> {
    let parts = path.trim_matches('/').split('/').filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

fn method(text: &str) -> Result<String, GrantError> {
    match METHODS.contains(&text) {
        true => Ok(text.to_owned()),
        false => Err(GrantError::Method(text.to_owned())),
    }
}

/// The first grant that covers a target and allows a method.
pub(crate) fn judge<'a>(
    grants: &'a [Grant],
    target: &Target,
    method: Option<&str>,
) -> Result<&'a Grant, HttpError> {
    let mut covering = grants.iter().filter(|grant| grant.covers(target)).peekable();
    let Some(first) = covering.peek().copied() else {
        let all: Vec<String> = grants.iter().map(ToString::to_string).collect();
        let granted = if all.is_empty() { "no hosts".to_owned() } else { all.join(", ") };
        return Err(HttpError::NotGranted { target: target.shown(), granted });
    };
    let Some(method) = method else { return Ok(first) };
    covering.find(|grant| grant.allows(method)).ok_or_else(|| HttpError::Method {
        method: method.chars().take(20).collect::<String>().escape_debug().to_string(),
        target: target.shown(),
        granted: first.methods(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(grant: &str, url: &str) -> bool {
        let grant = Grant::parse(grant, &["GET"]).unwrap();
        Target::parse(url).is_ok_and(|target| grant.covers(&target))
    }

    #[test]
    fn paths_are_compared_by_whole_segments() {
        for (url, expected) in [
            ("https://a.example/v1", true),
            ("https://a.example/v1/x", true),
            ("https://a.example/v1/x/../../v2", false),
            ("https://a.example/v10", false),
            ("https://a.example/", false),
            ("https://a.example/v1/..%2fv2", false),
            ("https://a.example/v1/%2e%2e/v2", false),
            ("https://a.example/v1?x=%2f", true),
        ] {
            assert_eq!(covers("https://a.example/v1/", url), expected, "{url}");
        }
    }

    #[test]
    fn a_star_is_for_names_only() {
        assert!(covers("*.a.example", "https://x.y.a.example/"));
        assert!(!covers("*.a.example", "https://a.example/"));
        assert!(!covers("*.a.example", "https://xa.example/"));
        assert!(covers("*", "https://x.example/"));
        assert!(!covers("*", "https://8.8.8.8/"));
    }

    #[test]
    fn what_is_no_grant_says_why() {
        for wrong in ["", "ftp://a.example", "a b", "https://a.example/?q", "*.127.0.0.1", "a..b"] {
            assert!(Grant::parse(wrong, &["GET"]).is_err(), "{wrong}");
        }
        assert!(Grant::parse("a.example", &["TRACE"]).is_err());
        assert_eq!(Grant::parse("a.example", &["GET"]).unwrap().to_string(), "https://a.example/");
    }
}
