//! The configuration, as data. Every key has a default; unknown keys are errors.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::Deserialize;
use toolstile_core::{ArgumentDetail, Pin, ToolPermissions};
use toolstile_mcp::client::McpServerConfig;
use toolstile_wasm::PluginLimits;

use crate::config_agent::{AgentConfig, ModelConfig, TelemetryConfig};
use crate::config_grants::{GrantsConfig, SecretsConfig, TextsConfig};

/// What an operator can set. The keys are those of `toolstile.toml`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HostConfig {
    /// Which plugins are loaded.
    pub plugins: PluginsConfig,
    /// Limits of all plugins: keys of [`PluginLimits`].
    pub limits: toml::Table,
    /// Settings of single plugins, by file stem or bundled name.
    pub plugin: BTreeMap<String, PluginSettings>,
    /// MCP servers whose tools are used.
    pub mcp: Vec<McpServerConfig>,
    /// Where secrets come from, by name.
    pub secrets: SecretsConfig,
    /// The words of the bundled tools.
    pub texts: TextsConfig,
    /// Which tools may be called.
    pub permissions: PermissionsConfig,
    /// Where records of calls go.
    pub audit: AuditConfig,
    /// The language model of an agent.
    pub model: ModelConfig,
    /// What surrounds the model.
    pub agent: AgentConfig,
    /// Where the spans of runs go.
    pub telemetry: TelemetryConfig,
    /// How the WebAssembly engine is set up.
    pub runtime: RuntimeSettings,
    /// Tool name → what the tool must be. A tool that differs keeps its plugin from
    /// being loaded.
    pub expected_fingerprints: BTreeMap<String, Pin>,
    /// The directory that relative paths start from; set by the loader.
    #[serde(skip)]
    pub base_dir: PathBuf,
}

/// `[plugins]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PluginsConfig {
    /// The directory of plugin files, relative to the configuration file. Empty: none
    /// is read.
    pub dir: PathBuf,
    /// Load the plugins that come with the host.
    pub bundled: bool,
}

impl Default for PluginsConfig {
    fn default() -> Self {
        Self { dir: PathBuf::from("plugins"), bundled: true }
    }
}

/// `[plugin.NAME]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PluginSettings {
    /// Load the plugin.
    pub enabled: bool,
    /// Which of its calls need confirmation.
    pub confirm: ConfirmPolicy,
    /// Its answers carry text that strangers may have written, whatever it says.
    pub external_content: bool,
    /// Limits of this plugin, over those of `[limits]`.
    pub limits: toml::Table,
    /// What it may use beyond its call.
    pub grants: GrantsConfig,
    /// What it reads by name.
    pub settings: BTreeMap<String, String>,
}

impl Default for PluginSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            confirm: ConfirmPolicy::Declared,
            external_content: false,
            limits: toml::Table::new(),
            grants: GrantsConfig::default(),
            settings: BTreeMap::new(),
        }
    }
}

/// Which calls of a plugin need confirmation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConfirmPolicy {
    /// Those for which its tools ask; all, for a plugin from the directory that holds
    /// a capability reaching beyond its call.
    #[default]
    Declared,
    /// All.
    Always,
    /// None: the operator answers for it. A command that the argument policy wants
    /// confirmed is still asked about.
    Never,
}

/// `[permissions]`; see [`ToolPermissions`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PermissionsConfig {
    /// Names that may be called; absent means all.
    pub allow: Option<BTreeSet<String>>,
    /// Names that must not be called.
    pub deny: BTreeSet<String>,
    /// Origins whose tools may be called; absent means all.
    pub allow_origins: Option<BTreeSet<String>>,
    /// Origins whose tools must not be called.
    pub deny_origins: BTreeSet<String>,
}

impl From<PermissionsConfig> for ToolPermissions {
    fn from(config: PermissionsConfig) -> Self {
        let PermissionsConfig { allow, deny, allow_origins, deny_origins } = config;
        Self { allow, deny, allow_origins, deny_origins }
    }
}

/// `[audit]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AuditConfig {
    /// `none`, `stderr` or `file`.
    pub to: AuditTo,
    /// The file, relative to the configuration file. Default: `toolstile-audit.jsonl`.
    pub path: Option<PathBuf>,
    /// `digest`, `full` (secrets masked) or `omit`.
    pub arguments: AuditArguments,
}

/// Where records go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AuditTo {
    /// Nowhere.
    #[default]
    None,
    /// One JSON line each on standard error.
    Stderr,
    /// One JSON line each at the end of a file.
    File,
}

/// How much of the arguments is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AuditArguments {
    /// Their SHA-256.
    #[default]
    Digest,
    /// All, with secrets masked.
    Full,
    /// Nothing.
    Omit,
}

impl From<AuditArguments> for ArgumentDetail {
    fn from(arguments: AuditArguments) -> Self {
        match arguments {
            AuditArguments::Digest => Self::Digest,
            AuditArguments::Full => Self::Full,
            AuditArguments::Omit => Self::Omit,
        }
    }
}

/// `[runtime]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RuntimeSettings {
    /// Use the pooling allocator where the machine allows it.
    pub pooling: bool,
    /// Keep compiled code between starts.
    pub cache: bool,
    /// Where compiled code is kept. Default: `toolstile` in the user's cache
    /// directory.
    pub cache_dir: Option<PathBuf>,
    /// Where tokens are kept that logins to MCP servers gave. Default:
    /// `toolstile/credentials` in the user's state directory.
    pub credentials_dir: Option<PathBuf>,
}

impl Default for RuntimeSettings {
    fn default() -> Self {
        Self { pooling: true, cache: true, cache_dir: None, credentials_dir: None }
    }
}

impl HostConfig {
    /// The settings of a plugin.
    #[must_use]
    pub fn settings(&self, plugin: &str) -> PluginSettings {
        self.plugin.get(plugin).cloned().unwrap_or_default()
    }

    /// The limits of a plugin: the defaults, `[limits]`, `[plugin.NAME.limits]`, each
    /// over the one before.
    ///
    /// # Errors
    /// An unknown key or a value of the wrong type; the loader checks all of them
    /// when the file is read.
    pub fn limits(&self, plugin: &str) -> Result<PluginLimits, toml::de::Error> {
        let mut table = self.limits.clone();
        if let Some(settings) = self.plugin.get(plugin) {
            table.extend(settings.limits.clone());
        }
        table.try_into()
    }

    /// A path of the configuration, made absolute where it is relative.
    #[must_use]
    pub fn resolve(&self, path: &std::path::Path) -> PathBuf {
        self.base_dir.join(path)
    }

    /// Where tokens are kept; nowhere but in memory when no place is known.
    pub(crate) fn credentials_dir(&self) -> Option<PathBuf> {
        let set = self.runtime.credentials_dir.as_deref().map(|dir| self.resolve(dir));
        set.or_else(crate::config_file::default_credentials_dir)
    }

    /// Where what is approved is written down: `toolstile.lock` beside the configuration
    /// file.
    #[must_use]
    pub fn lock_file(&self) -> PathBuf {
        self.resolve(crate::lock::LOCK_FILE.as_ref())
    }
}
