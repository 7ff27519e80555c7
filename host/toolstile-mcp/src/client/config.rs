//! What an operator says about a server.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use serde::Deserialize;
use toolstile_core::{IdentityError, Namespace};
use url::{Host, Url};

use super::oauth::{OAuth, OAuthConfig};

/// `[[mcp]]`: one server, over standard input and output of a program, or over HTTP.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpServerConfig {
    /// The name of the server, and the beginning of the names of its tools.
    pub namespace: String,
    /// Connect to it.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// The program.
    pub command: Option<String>,
    /// What it is started with.
    pub args: Option<Vec<String>>,
    /// Variables that are set for it.
    pub env: Option<BTreeMap<String, SecretText>>,
    /// Variables of the host that are handed on to it, by name.
    pub env_from: Option<Vec<String>>,
    /// Where it is started.
    pub cwd: Option<PathBuf>,
    /// Where it is, in place of `command`.
    pub url: Option<String>,
    /// Header fields of every request.
    pub headers: Option<BTreeMap<String, SecretText>>,
    /// The name of the secret that is sent as bearer token (RFC 6750).
    pub bearer: Option<String>,
    /// Tokens come from a login, in place of `bearer`.
    pub oauth: Option<OAuthConfig>,
    /// Take plain `http` beyond this machine.
    #[serde(default)]
    pub allow_insecure_http: bool,
    /// Which calls need confirmation.
    #[serde(default)]
    pub confirm: ServerConfirm,
    /// It may ask whoever made a call for something, by a form, before it answers.
    #[serde(default)]
    pub elicit: bool,
    /// What it answers may have been written by strangers.
    #[serde(default = "yes")]
    pub external_content: bool,
    /// Characters of a description.
    #[serde(default = "default_max_desc_chars")]
    pub max_desc_chars: usize,
    /// Seconds for the handshake, for a listing, and for a call without progress.
    #[serde(default = "default_timeout")]
    pub timeout: f64,
    /// Tools that are taken.
    #[serde(default = "default_max_tools")]
    pub max_tools: usize,
    /// Characters of an answer's text.
    #[serde(default = "default_max_result_chars")]
    pub max_result_chars: usize,
}

fn yes() -> bool {
    true
}

fn default_max_desc_chars() -> usize {
    4096
}

fn default_timeout() -> f64 {
    30.0
}

fn default_max_tools() -> usize {
    128
}

fn default_max_result_chars() -> usize {
    50_000
}

/// A text, or the name of a secret that holds it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged, expecting = "a text in quotes, or `{ secret = \"NAME\" }`")]
pub enum SecretText {
    /// The text.
    Text(String),
    /// The secret.
    Secret {
        /// Its name.
        secret: String,
    },
}

/// Which calls of a server need confirmation. What the server says about its tools can
/// ask for more, never for less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServerConfirm {
    /// All.
    #[default]
    Always,
    /// None: the operator answers for it.
    Never,
}

/// Why a server is not configured.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The namespace cannot be one.
    #[error("the namespace {0}")]
    Namespace(#[from] IdentityError),
    /// Not exactly one transport.
    #[error("`{0}` needs either `command` or `url`")]
    Transport(String),
    /// A setting of the other transport.
    #[error("`{setting}` of `{namespace}` does not go with `{transport}`")]
    Misplaced {
        /// The server.
        namespace: String,
        /// The setting.
        setting: &'static str,
        /// `command` or `url`.
        transport: &'static str,
    },
    /// The URL is not acceptable.
    #[error("the URL of `{namespace}` {reason}")]
    Url {
        /// The server.
        namespace: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A number that makes no sense.
    #[error("`{setting}` of `{namespace}` must be more than 0")]
    NotPositive {
        /// The server.
        namespace: String,
        /// The setting.
        setting: &'static str,
    },
    /// Settings of `oauth` that do not go together.
    #[error("`oauth` of `{namespace}`: {reason}")]
    OAuth {
        /// The server.
        namespace: String,
        /// What would be right.
        reason: &'static str,
    },
    /// A header field that cannot be sent.
    #[error("the header field `{name}` of `{namespace}` {reason}")]
    Header {
        /// The server.
        namespace: String,
        /// The field.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A secret that is not there.
    #[error(
        "`{namespace}` needs the secret `{secret}`, which is not in `[secrets]` or has no value"
    )]
    NoSecret {
        /// The server.
        namespace: String,
        /// Its name.
        secret: String,
    },
}

/// A server that can be connected to.
#[derive(Clone, Debug)]
pub struct Checked {
    pub(crate) namespace: Namespace,
    pub(crate) transport: Transport,
    pub(crate) confirm: ServerConfirm,
    pub(crate) elicit: bool,
    pub(crate) external_content: bool,
    pub(crate) max_desc_chars: usize,
    pub(crate) timeout: Duration,
    pub(crate) max_tools: usize,
    pub(crate) max_result_chars: usize,
}

/// How a server is reached.
#[derive(Clone)]
pub(crate) enum Transport {
    /// A program.
    Stdio {
        /// Its name or path.
        command: String,
        /// What it is started with.
        args: Vec<String>,
        /// Its variables, beyond a few that every program needs.
        env: BTreeMap<String, String>,
        /// Variables of the host that are handed on.
        env_from: Vec<String>,
        /// Where it is started.
        cwd: Option<PathBuf>,
    },
    /// A server on the network.
    Http {
        /// Where it is.
        url: Url,
        /// Header fields of every request.
        headers: Vec<(HeaderName, HeaderValue)>,
        /// What lets the requests in.
        auth: Auth,
    },
}

/// What lets requests to a server in.
#[derive(Clone)]
pub(crate) enum Auth {
    None,
    /// A token.
    Bearer(String),
    /// A token that comes from a login.
    Login(Box<OAuth>),
}

impl std::fmt::Debug for Transport {
    /// Without what may be secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stdio { command, .. } => {
                f.debug_struct("Stdio").field("command", command).finish_non_exhaustive()
            }
            Self::Http { url, .. } => {
                f.debug_struct("Http").field("host", &url.host_str()).finish_non_exhaustive()
            }
        }
    }
}

impl Checked {
    /// The name of the server.
    #[must_use]
    pub fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// The loopback port that a browser comes back to after a login; 0 for any.
    #[must_use]
    pub fn redirect_port(&self) -> u16 {
        match &self.transport {
            Transport::Http { auth: Auth::Login(oauth), .. } => oauth.redirect_port,
            _ => 0,
        }
    }
}

impl McpServerConfig {
    /// A server over standard input and output, with everything else as by default.
    #[must_use]
    pub fn stdio(namespace: impl Into<String>, command: impl Into<String>) -> Self {
        Self { command: Some(command.into()), ..Self::named(namespace) }
    }

    /// A server over HTTP, with everything else as by default.
    #[must_use]
    pub fn http(namespace: impl Into<String>, url: impl Into<String>) -> Self {
        Self { url: Some(url.into()), ..Self::named(namespace) }
    }

    fn named(namespace: impl Into<String>) -> Self {
        Self {
            namespace: namespace.into(),
            enabled: true,
            command: None,
            args: None,
            env: None,
            env_from: None,
            cwd: None,
            url: None,
            headers: None,
            bearer: None,
            oauth: None,
            allow_insecure_http: false,
            confirm: ServerConfirm::Always,
            elicit: false,
            external_content: true,
            max_desc_chars: default_max_desc_chars(),
            timeout: default_timeout(),
            max_tools: default_max_tools(),
            max_result_chars: default_max_result_chars(),
        }
    }

    /// Checks everything. `secret` gives the value of a secret.
    ///
    /// # Errors
    /// [`ConfigError`] names the server and what would be right.
    pub fn check(&self, secret: impl Fn(&str) -> Option<String>) -> Result<Checked, ConfigError> {
        let namespace = Namespace::parse(&self.namespace)?;
        let positive = [
            ("max_desc_chars", self.max_desc_chars > 0),
            ("max_tools", self.max_tools > 0),
            ("max_result_chars", self.max_result_chars > 0),
            ("timeout", self.timeout > 0.0 && self.timeout.is_finite()),
        ];
        if let Some((setting, _)) = positive.iter().find(|(_, good)| !good) {
            return Err(ConfigError::NotPositive { namespace: self.namespace.clone(), setting });
        }
        let transport = match (&self.command, &self.url) {
            (Some(command), None) => self.stdio_transport(command, &secret)?,
            (None, Some(url)) => self.http_transport(url, &secret)?,
            _ => return Err(ConfigError::Transport(self.namespace.clone())),
        };
        Ok(Checked {
            namespace,
            transport,
            confirm: self.confirm,
            elicit: self.elicit,
            external_content: self.external_content,
            max_desc_chars: self.max_desc_chars,
            // A day is for ever; `Duration` does not hold every number.
            timeout: Duration::from_secs_f64(self.timeout.min(86_400.0)),
            max_tools: self.max_tools,
            max_result_chars: self.max_result_chars,
        })
    }

    fn stdio_transport(
        &self,
        command: &str,
        secret: &impl Fn(&str) -> Option<String>,
    ) -> Result<Transport, ConfigError> {
        self.none_of(
            "command",
            [
                ("headers", self.headers.is_some()),
                ("bearer", self.bearer.is_some()),
                ("oauth", self.oauth.is_some()),
                ("allow_insecure_http", self.allow_insecure_http),
            ],
        )?;
        let mut env = BTreeMap::new();
        for (name, text) in self.env.iter().flatten() {
            env.insert(name.clone(), self.resolve(text, secret)?);
        }
        Ok(Transport::Stdio {
            command: command.to_owned(),
            args: self.args.clone().unwrap_or_default(),
            env,
            env_from: self.env_from.clone().unwrap_or_default(),
            cwd: self.cwd.clone(),
        })
    }

    fn http_transport(
        &self,
        url: &str,
        secret: &impl Fn(&str) -> Option<String>,
    ) -> Result<Transport, ConfigError> {
        let some_args = self.args.as_ref().is_some_and(|args| !args.is_empty());
        self.none_of(
            "url",
            [
                ("args", some_args),
                ("env", self.env.is_some()),
                ("env_from", self.env_from.is_some()),
                ("cwd", self.cwd.is_some()),
            ],
        )?;
        let wrong = |reason| ConfigError::Url { namespace: self.namespace.clone(), reason };
        let url = checked_url(url, self.allow_insecure_http).map_err(wrong)?;
        let headers = self.headers.iter().flatten().map(|(name, text)| {
            let value = self.resolve(text, secret)?;
            self.header(name, &value)
        });
        let headers = headers.collect::<Result<_, _>>()?;
        let auth = match (&self.bearer, &self.oauth) {
            (None, None) => Auth::None,
            (Some(name), None) => Auth::Bearer(self.secret(name, secret)?),
            (None, Some(oauth)) => Auth::Login(Box::new(self.oauth(oauth, &url, secret)?)),
            (Some(_), Some(_)) => return Err(self.wrong_oauth("`bearer` takes its place")),
        };
        Ok(Transport::Http { url, headers, auth })
    }

    fn oauth(
        &self,
        oauth: &OAuthConfig,
        url: &Url,
        secret: &impl Fn(&str) -> Option<String>,
    ) -> Result<OAuth, ConfigError> {
        if oauth.client_secret.is_some() && oauth.client_id.is_none() {
            return Err(self.wrong_oauth("`client_secret` belongs to a `client_id`"));
        }
        let document = oauth.client_metadata_url.as_deref().map(Url::parse);
        if document.is_some_and(|url| !url.is_ok_and(|url| url.scheme() == "https")) {
            return Err(self.wrong_oauth("`client_metadata_url` must be an `https` URL"));
        }
        let value =
            oauth.client_secret.as_ref().map(|name| self.secret(name, secret)).transpose()?;
        Ok(OAuth::new(oauth, value, &self.namespace, url))
    }

    fn wrong_oauth(&self, reason: &'static str) -> ConfigError {
        ConfigError::OAuth { namespace: self.namespace.clone(), reason }
    }

    fn none_of<const N: usize>(
        &self,
        transport: &'static str,
        settings: [(&'static str, bool); N],
    ) -> Result<(), ConfigError> {
        match settings.into_iter().find(|(_, there)| *there) {
            None => Ok(()),
            Some((setting, _)) => {
                let namespace = self.namespace.clone();
                Err(ConfigError::Misplaced { namespace, setting, transport })
            }
        }
    }

    fn header(&self, name: &str, value: &str) -> Result<(HeaderName, HeaderValue), ConfigError> {
        let wrong = |reason| {
            let (namespace, name) = (self.namespace.clone(), name.to_owned());
            ConfigError::Header { namespace, name, reason }
        };
        let parsed = HeaderName::from_bytes(name.as_bytes());
        let parsed = parsed.map_err(|_| wrong("is no name of a field (RFC 9110, section 5.1)"))?;
        let reserved = ["authorization", "host", "content-type", "content-length", "accept"];
        let ours = parsed.as_str().starts_with("mcp-") || reserved.contains(&parsed.as_str());
        if ours {
            return Err(wrong("is set by the host; a token goes into `bearer`"));
        }
        let mut value = HeaderValue::from_str(value)
            .map_err(|_| wrong("has a value that cannot be sent (RFC 9110, section 5.5)"))?;
        value.set_sensitive(true);
        Ok((parsed, value))
    }

    fn resolve(
        &self,
        text: &SecretText,
        secret: &impl Fn(&str) -> Option<String>,
    ) -> Result<String, ConfigError> {
        match text {
            SecretText::Text(text) => Ok(text.clone()),
            SecretText::Secret { secret: name } => self.secret(name, secret),
        }
    }

    fn secret(
        &self,
        name: &str,
        secret: &impl Fn(&str) -> Option<String>,
    ) -> Result<String, ConfigError> {
        let missing =
            || ConfigError::NoSecret { namespace: self.namespace.clone(), secret: name.to_owned() };
        secret(name).filter(|value| !value.is_empty()).ok_or_else(missing)
    }
}

/// A URL that may be connected to, or what is wrong with it.
fn checked_url(text: &str, allow_insecure: bool) -> Result<Url, &'static str> {
    let url = Url::parse(text).map_err(|_| "must be absolute, like `https://host/mcp`")?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("must begin with `https://` or `http://`");
    }
    // The parser forgives `https:///host`; an operator who wrote it meant something else.
    let written = text.split_once("://").map(|(_, rest)| rest).unwrap_or_default();
    if written.is_empty() || written.starts_with('/') {
        return Err("needs a host");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not carry a user name or password; a token goes into `bearer`");
    }
    match url.scheme() == "https" || allow_insecure || is_loopback(&url, written) {
        true => Ok(url),
        false => Err("must be `https`, since it leaves this machine (`allow_insecure_http` \
                      permits plain `http`)"),
    }
}

/// Whether a URL stays on this machine, as it is written: numbers that only some parsers
/// read as an address do not count.
fn is_loopback(url: &Url, written: &str) -> bool {
    let authority = written.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let numbers = matches!(url.host(), Some(Host::Ipv4(_)));
    is_this_machine(url) && (!numbers || host.parse::<IpAddr>().is_ok())
}

/// Whether the host of a URL is a loopback address or `localhost`.
pub(super) fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
