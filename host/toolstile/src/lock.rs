//! `toolstile.lock`: what the operator approved of plugins and servers.
//!
//! Where the file is there it is enforced: a plugin file or a server's tool that is not
//! what it says is quarantined, with what is different.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolstile_core::RegisteredTool;

use crate::loader::LoadedPlugin;
use crate::lock_diff::{Difference, differences};

/// The name of the file; it stands beside `toolstile.toml`.
pub const LOCK_FILE: &str = "toolstile.lock";

/// The version of the format that this program reads and writes.
const VERSION: u32 = 1;

/// What was approved. Plugins that come with the host are not in it: they are the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    version: u32,
    /// By file stem.
    pub plugins: BTreeMap<String, LockedPlugin>,
    /// By namespace.
    pub mcp: BTreeMap<String, LockedServer>,
}

impl Default for Lock {
    fn default() -> Self {
        Self { version: VERSION, plugins: BTreeMap::new(), mcp: BTreeMap::new() }
    }
}

/// What was approved of a plugin file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedPlugin {
    /// SHA-256 of the component, in lower-case hexadecimal digits.
    pub sha256: String,
    /// The version of the contract that it was built against.
    pub contract: String,
    /// The capabilities that it asks for.
    pub asks: BTreeSet<String>,
    /// By name.
    pub tools: BTreeMap<String, LockedTool>,
}

/// What was approved of an MCP server: all its tools, no more and no fewer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedServer {
    /// By the name that calls use.
    pub tools: BTreeMap<String, LockedTool>,
}

/// What was approved of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedTool {
    /// Its [`Fingerprint`](toolstile_core::Fingerprint), which decides.
    pub fingerprint: String,
    /// Its definition as it came, so that a difference can be read.
    pub definition: Value,
}

/// Why the file is not used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// It cannot be read or written.
    #[error("`{}` cannot be {verb}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// `read` or `written`.
        verb: &'static str,
        /// Why.
        source: io::Error,
    },
    /// It is no lock file.
    #[error("`{}` is not valid: {message}; `toolstile approve` writes it", .path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
}

impl Lock {
    /// Reads the file, if it is there.
    ///
    /// # Errors
    /// [`LockError`]: it is there and cannot be used.
    pub fn read(path: &Path) -> Result<Option<Self>, LockError> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(source) => {
                return Err(LockError::Io { path: path.to_owned(), verb: "read", source });
            }
        };
        let invalid = |message| LockError::Invalid { path: path.to_owned(), message };
        let lock: Self = serde_json::from_str(&text).map_err(|error| invalid(error.to_string()))?;
        match lock.version {
            VERSION => Ok(Some(lock)),
            other => Err(invalid(format!("its version is {other}, and known is {VERSION}"))),
        }
    }

    /// Writes the file whole: a reader sees the old one or this one.
    ///
    /// # Errors
    /// [`LockError::Io`].
    pub fn write(&self, path: &Path) -> Result<(), LockError> {
        let written =
            serde_json::to_string_pretty(self).map_err(io::Error::from).and_then(|text| {
                let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
                let mut file =
                    tempfile::NamedTempFile::new_in(directory.unwrap_or(Path::new(".")))?;
                writeln!(file, "{text}")?;
                file.as_file().sync_all()?;
                file.persist(path)?;
                Ok(())
            });
        written.map_err(|source| LockError::Io { path: path.to_owned(), verb: "written", source })
    }

    /// What is there, as it would be approved.
    pub(crate) fn of<'a>(
        plugins: impl IntoIterator<Item = &'a LoadedPlugin>,
        servers: impl IntoIterator<Item = (String, LockedServer)>,
    ) -> Self {
        let plugins = plugins.into_iter().filter(|plugin| plugin.is_from_directory());
        let locked = plugins.map(|plugin| (plugin.name.clone(), LockedPlugin::of(plugin)));
        Self { plugins: locked.collect(), mcp: servers.into_iter().collect(), ..Self::default() }
    }

    /// What is different in `now`, by entry: a plugin (`plugin x`) or a server
    /// (`mcp server y`) with its differences.
    #[must_use]
    pub fn compare(&self, now: &Self) -> BTreeMap<String, Vec<Difference>> {
        let mut all = compare_maps("plugin", &self.plugins, &now.plugins);
        all.extend(compare_maps("mcp server", &self.mcp, &now.mcp));
        all
    }

    /// Takes over from `now` what `names` say: plugins and servers, also those that are
    /// gone. Gives the names that are neither.
    pub fn approve<'a>(&mut self, now: &Self, names: &'a [String]) -> Vec<&'a str> {
        let take_over = |name: &&'a String| {
            let plugin = replace(&mut self.plugins, &now.plugins, name);
            let server = replace(&mut self.mcp, &now.mcp, name);
            !(plugin || server)
        };
        names.iter().filter(take_over).map(String::as_str).collect()
    }

    /// Whether a plugin file is what was approved.
    ///
    /// # Errors
    /// What is different, in words.
    pub(crate) fn check_plugin(&self, plugin: &LoadedPlugin) -> Result<(), String> {
        let now = LockedPlugin::of(plugin);
        check(self.plugins.get(&plugin.name), &now, &plugin.name)
    }

    /// Whether a server's tools are what was approved.
    ///
    /// # Errors
    /// What is different, in words.
    pub(crate) fn check_server(&self, namespace: &str, now: &LockedServer) -> Result<(), String> {
        check(self.mcp.get(namespace), now, namespace)
    }
}

fn compare_maps<T: Serialize + PartialEq>(
    what: &str,
    before: &BTreeMap<String, T>,
    now: &BTreeMap<String, T>,
) -> BTreeMap<String, Vec<Difference>> {
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let differing = names.into_iter().filter(|name| before.get(*name) != now.get(*name));
    differing
        .map(|name| (format!("{what} {name}"), differences(before.get(name), now.get(name))))
        .collect()
}

/// Whether there is an entry of that name, before or now.
fn replace<T: Clone>(
    entries: &mut BTreeMap<String, T>,
    now: &BTreeMap<String, T>,
    name: &str,
) -> bool {
    match now.get(name) {
        Some(entry) => {
            entries.insert(name.to_owned(), entry.clone());
            true
        }
        None => entries.remove(name).is_some(),
    }
}

fn check<T: Serialize + PartialEq>(
    approved: Option<&T>,
    now: &T,
    name: &str,
) -> Result<(), String> {
    match approved {
        Some(approved) if approved == now => Ok(()),
        Some(approved) => {
            let found = differences(Some(approved), Some(now));
            let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
            let lines = lines.join("; ");
            Err(format!(
                "it is not what was approved: {lines}; `toolstile approve {name}` approves it as \
                 it is now"
            ))
        }
        None => Err(format!(
            "it was not approved: `{LOCK_FILE}` has no entry for it; `toolstile approve {name}` \
             writes one"
        )),
    }
}

impl LockedPlugin {
    fn of(loaded: &LoadedPlugin) -> Self {
        let asks = loaded.plugin.capabilities.to_use().asked;
        Self {
            sha256: loaded.plugin.sha256.clone(),
            contract: loaded.plugin.contract_version.clone(),
            asks: asks.into_iter().collect(),
            tools: locked_tools(&loaded.tools),
        }
    }
}

impl LockedServer {
    /// A server with these tools.
    #[must_use]
    pub fn of(tools: &[RegisteredTool]) -> Self {
        Self { tools: locked_tools(tools) }
    }
}

fn locked_tools(tools: &[RegisteredTool]) -> BTreeMap<String, LockedTool> {
    let locked = |tool: &RegisteredTool| LockedTool {
        fingerprint: tool.fingerprint.to_string(),
        definition: tool.declaration(),
    };
    tools.iter().map(|tool| (tool.name().to_string(), locked(tool))).collect()
}
