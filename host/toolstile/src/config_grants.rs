//! `[plugin.NAME.grants.*]` and `[secrets]`, as data. What is absent grants nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::Deserialize;

/// `[plugin.NAME.grants]`: what a plugin may use beyond its call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GrantsConfig {
    /// A directory of notes.
    pub notes: Option<NotesGrant>,
    /// Programs.
    pub shell: Option<ShellGrant>,
    /// Hosts.
    pub http: Option<HttpGrant>,
    /// Tools of others that it may show and hide.
    pub exposure: Option<ExposureGrant>,
    /// Questions to whoever made a call.
    pub client: Option<ClientGrant>,
}

/// `[plugin.NAME.grants.client]`: what it may ask an MCP client in the middle of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClientGrant {
    /// A person fills in a form.
    pub elicit: bool,
    /// The client's model answers.
    pub sample: bool,
    /// The client names the directories that it works in.
    pub roots: bool,
}

/// `[plugin.NAME.grants.exposure]`. A plugin decides about its own tools without it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExposureGrant {
    /// The names of the tools.
    pub tools: BTreeSet<String>,
}

/// `[plugin.NAME.grants.notes]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotesGrant {
    /// The directory, relative to the configuration file. Made when it is missing;
    /// must belong to the user who runs the host, and to nobody else.
    pub dir: PathBuf,
    /// What may be done there.
    #[serde(default)]
    pub access: NotesAccess,
    /// Bytes of one note.
    pub max_file_bytes: Option<u64>,
    /// Bytes of all notes.
    pub max_total_bytes: Option<u64>,
    /// Number of notes.
    pub max_files: Option<u64>,
}

/// What may be done with notes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotesAccess {
    /// Read.
    #[default]
    Read,
    /// Read and append.
    ReadAppend,
}

/// `[plugin.NAME.grants.shell]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShellGrant {
    /// The working directory of every program, relative to the configuration file.
    pub dir: PathBuf,
    /// The names of the programs.
    pub programs: Vec<String>,
    /// Where programs are looked for: absolute directories. Default:
    /// `/usr/local/bin`, `/usr/bin`, `/bin`.
    pub path: Option<Vec<PathBuf>>,
    /// Files with more argument policies, relative to the configuration file.
    #[serde(default)]
    pub profiles: Vec<PathBuf>,
    /// Further directories that programs may read, relative to the configuration file.
    #[serde(default)]
    pub read: Vec<PathBuf>,
    /// Programs may write in `dir`.
    #[serde(default)]
    pub writable: bool,
    /// Programs may use the network.
    #[serde(default)]
    pub network: bool,
    /// Wall time of a program, in milliseconds. Default: 10000.
    pub timeout_ms: Option<u64>,
    /// Bytes of each output stream that are kept. Default: 16384.
    pub max_output_bytes: Option<usize>,
}

/// `[plugin.NAME.grants.http]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpGrant {
    /// Where requests may go.
    pub allow: Vec<HttpTarget>,
    /// What the host puts into requests; the plugin never sees it.
    #[serde(default)]
    pub credentials: Vec<HttpCredential>,
    /// Wall time of a request with its redirects, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Bytes of a response, decoded.
    pub max_response_bytes: Option<usize>,
}

/// A host, or a URL whose scheme, host, port and path prefix count.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(
    untagged,
    expecting = "a target is a host or URL in quotes, or a table with `url` and `methods`"
)]
pub enum HttpTarget {
    /// For GET and HEAD.
    Url(String),
    /// With the methods named.
    WithMethods(HttpTargetMethods),
}

/// A target and its methods.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpTargetMethods {
    /// The host or URL.
    pub url: String,
    /// The methods, in upper case.
    pub methods: Vec<String>,
}

/// A secret, and where it is put in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpCredential {
    /// The name of the secret in `[secrets]`.
    pub secret: String,
    /// The host or URL that it is meant for.
    #[serde(rename = "for")]
    pub target: String,
    /// The header field that carries it.
    pub header: Option<String>,
    /// What stands before it in the header field, for example `"Bearer "`.
    #[serde(default)]
    pub prefix: String,
    /// The query parameter that carries it, in place of a header field.
    pub query: Option<String>,
}

/// `[secrets]`: where each secret comes from.
pub type SecretsConfig = BTreeMap<String, SecretSource>;

/// Where a secret comes from. Read once, when the host starts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum SecretSource {
    /// An environment variable.
    Env(String),
    /// A file, relative to the configuration file; a line break at its end is left out.
    File(PathBuf),
    /// What a program prints; a line break at its end is left out.
    Command(Vec<String>),
}

/// `[texts]`: the words of the bundled tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TextsConfig {
    /// A language that comes with the host, `en` or `zh`.
    pub language: Option<String>,
    /// A file of one's own, relative to the configuration file.
    pub file: Option<PathBuf>,
}
