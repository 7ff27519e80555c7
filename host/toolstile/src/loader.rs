//! Plugins on their way into the registry. Each is loaded whole or quarantined
//! with a reason, and none affects another.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, PoisonError};

use serde::Serialize;
use tokio::task::JoinHandle;
use toolstile_core::{
    ConfirmRule, OnConflict, Origin, PluginId, RegisteredTool, ToolRegistry, sha256_hex,
};
use toolstile_wasm::{Plugin, PluginSource, WasmRuntime, read_directory};

use crate::config::{ConfirmPolicy, HostConfig, PluginSettings};
use crate::grants::{Means, grants_of};
use crate::lock::{Lock, LockError};
use crate::servers::Approved;

/// A plugin whose tools are registered.
#[derive(Clone, Debug)]
pub struct LoadedPlugin {
    /// The file stem, or the bundled name.
    pub name: String,
    /// Where it came from.
    pub origin: Origin,
    /// The component.
    pub plugin: Plugin,
    /// Its tools as they are registered.
    pub tools: Vec<RegisteredTool>,
}

/// A plugin that is not used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Quarantined {
    /// The file name, or the bundled name.
    pub plugin: String,
    /// Why.
    pub reason: String,
}

/// What came of loading.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) plugins: Vec<LoadedPlugin>,
    pub(crate) quarantined: Vec<Quarantined>,
    pub(crate) warnings: Vec<String>,
    /// What may be loaded, where the operator wrote that down.
    pub(crate) lock: Option<Lock>,
}

/// What a reload did about one plugin file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PluginChange {
    /// Its tools are there now.
    Loaded(String),
    /// Its tools took the place of those of the file before; calls in flight finish on
    /// those.
    Replaced(String),
    /// The file is gone, and so are its tools.
    Removed(String),
    /// The file cannot be used. Where one was loaded before under its name, that one
    /// goes on.
    Refused(Quarantined),
}

/// A component that is to be loaded: who it is, and its bytes.
struct Candidate {
    file: String,
    name: String,
    origin: Origin,
    bytes: Arc<[u8]>,
}

/// All that plugins are loaded with and into.
#[derive(Debug)]
pub(crate) struct Loader {
    pub(crate) config: HostConfig,
    pub(crate) runtime: WasmRuntime,
    pub(crate) registry: Arc<ToolRegistry>,
    pub(crate) means: Means,
    /// What is approved, for those who ask later. Absent, everything may be loaded.
    pub(crate) approved: Option<Approved>,
}

impl Loader {
    /// Loads the bundled plugins and those of the directory, side by side, and
    /// registers them in that order.
    ///
    /// # Errors
    /// The lock file is there and cannot be used.
    pub(crate) async fn load_all(&self) -> Result<Loaded, LockError> {
        let mut loaded = Loaded { lock: self.read_lock()?, ..Loaded::default() };
        let mut candidates = bundled(&self.config);
        candidates.extend(from_directory(&self.config, &mut loaded));
        self.load(candidates, &mut loaded).await;
        Ok(loaded)
    }

    fn read_lock(&self) -> Result<Option<Lock>, LockError> {
        let Some(approved) = &self.approved else { return Ok(None) };
        let lock = Lock::read(&self.config.lock_file())?;
        *approved.write().unwrap_or_else(PoisonError::into_inner) = lock.clone();
        Ok(lock)
    }

    /// Reads the directory again and loads what is new or has changed; what cannot be
    /// used leaves what was there in its place.
    pub(crate) async fn reload(&self, before: &Loaded) -> (Loaded, Vec<PluginChange>) {
        let mut loaded = Loaded::default();
        let mut candidates = from_directory(&self.config, &mut loaded);
        let unreadable = loaded.quarantined.iter().map(|q| q.plugin.clone());
        let files: BTreeSet<String> =
            candidates.iter().map(|candidate| candidate.file.clone()).chain(unreadable).collect();
        // Without a readable directory nobody knows which files are gone.
        let known = loaded.warnings.is_empty();
        loaded.lock = self.read_lock().unwrap_or_else(|error| {
            loaded.warnings.push(format!("{error}; what was approved before still holds"));
            before.lock.clone()
        });
        let stays = |plugin: &&LoadedPlugin| {
            plugin.origin == Origin::Builtin
                || !known
                || files.contains(&format!("{}.wasm", plugin.name))
        };
        let bundled = |q: &&Quarantined| q.plugin.ends_with(BUNDLED);
        loaded.quarantined.extend(before.quarantined.iter().filter(bundled).cloned());
        loaded.plugins = before.plugins.iter().filter(stays).cloned().collect();
        let mut changes = Vec::new();
        for gone in before.plugins.iter().filter(|plugin| !stays(plugin)) {
            // Nothing of an empty batch can be in conflict.
            let _ = self.registry.replace_origin(&gone.origin, Vec::new());
            changes.push(PluginChange::Removed(gone.name.clone()));
        }
        let is_loaded = |c: &Candidate| loaded.plugins.iter().any(|p| p.is_of(c));
        candidates.retain(|candidate| !is_loaded(candidate));
        changes.extend(self.load(candidates, &mut loaded).await);
        self.remove_unapproved(&mut loaded);
        let refused = loaded.quarantined.iter().filter(|q| !before.quarantined.contains(q));
        changes.extend(refused.cloned().map(PluginChange::Refused));
        (loaded, changes)
    }

    /// Takes away what was loaded and is no longer approved.
    fn remove_unapproved(&self, loaded: &mut Loaded) {
        for plugin in std::mem::take(&mut loaded.plugins) {
            match loaded.check_lock(&plugin) {
                Ok(()) => loaded.plugins.push(plugin),
                Err(reason) => {
                    // Nothing of an empty batch can be in conflict.
                    let _ = self.registry.replace_origin(&plugin.origin, Vec::new());
                    let file = format!("{}.wasm", plugin.name);
                    if !loaded.is_quarantined(std::slice::from_ref(&file)) {
                        loaded.quarantine(file, reason);
                    }
                }
            }
        }
    }

    async fn load(&self, mut candidates: Vec<Candidate>, loaded: &mut Loaded) -> Vec<PluginChange> {
        candidates.retain(|candidate| self.config.settings(&candidate.name).enabled);
        let mut changes = Vec::new();
        let loading = self.start_loading(&candidates);
        for (candidate, task) in candidates.into_iter().zip(loading) {
            let plugin = task.await.unwrap_or_else(|panic| Err(format!("loading failed: {panic}")));
            let file = candidate.file.clone();
            match plugin.and_then(|plugin| self.admit(candidate, plugin, loaded)) {
                Ok(change) => changes.push(change),
                Err(reason) => loaded.quarantine(file, reason),
            }
        }
        changes
    }

    /// Starts to load all candidates, small ones first, so that a component that is slow
    /// to compile keeps only larger ones waiting. Gives the tasks in the candidates'
    /// order.
    fn start_loading(&self, candidates: &[Candidate]) -> Vec<JoinHandle<Result<Plugin, String>>> {
        let mut by_size: Vec<(usize, &Candidate)> = candidates.iter().enumerate().collect();
        by_size.sort_by_key(|(_, candidate)| candidate.bytes.len());
        let start = |(position, candidate)| {
            let (source, runtime) = (self.source_of(candidate), self.runtime.clone());
            let load =
                async move { runtime.load(source?).await.map_err(|error| error.to_string()) };
            (position, tokio::spawn(load))
        };
        let mut tasks: Vec<_> = by_size.into_iter().map(start).collect();
        tasks.sort_by_key(|(position, _)| *position);
        tasks.into_iter().map(|(_, task)| task).collect()
    }

    fn source_of(&self, candidate: &Candidate) -> Result<PluginSource, String> {
        let limits = self.config.limits(&candidate.name);
        Ok(PluginSource {
            name: candidate.name.clone(),
            bytes: Arc::clone(&candidate.bytes),
            limits: limits.map_err(|error| error.message().to_owned())?,
            grants: grants_of(&candidate.name, &self.config, &self.means)?,
        })
    }

    /// Stamps the origin, compares with the pins, and registers all tools or none, in
    /// place of those that the plugin had.
    fn admit(
        &self,
        candidate: Candidate,
        plugin: Plugin,
        loaded: &mut Loaded,
    ) -> Result<PluginChange, String> {
        let Candidate { name, origin, .. } = candidate;
        let other = loaded.plugins.iter().find(|p| p.plugin.sha256 == plugin.sha256);
        if let Some(other) = other {
            return Err(format!("it is the same component as `{}`", other.name));
        }
        let tools = stamp(&plugin, &origin, &self.config.settings(&name));
        check_pins(&tools, &self.config)?;
        let admitted = LoadedPlugin { name, origin, plugin, tools };
        loaded.check_lock(&admitted)?;
        let LoadedPlugin { name, origin, tools, .. } = &admitted;
        let before = loaded.plugins.iter().position(|p| p.origin == *origin && p.name == *name);
        let registered = match (origin, before) {
            // All bundled plugins have one origin.
            (Origin::Builtin, _) => {
                self.registry.register_all(tools.clone(), OnConflict::Error).map(drop)
            }
            _ => self.registry.replace_origin(origin, tools.clone()),
        };
        registered.map_err(|error| error.to_string())?;
        let name = name.clone();
        Ok(match before {
            Some(position) => {
                loaded.plugins[position] = admitted;
                PluginChange::Replaced(name)
            }
            None => {
                loaded.plugins.push(admitted);
                PluginChange::Loaded(name)
            }
        })
    }
}

impl LoadedPlugin {
    /// Whether it is a file of the plugin directory, not one that comes with the host.
    pub(crate) fn is_from_directory(&self) -> bool {
        matches!(self.origin, Origin::Plugin(_))
    }

    fn is_of(&self, candidate: &Candidate) -> bool {
        self.origin == candidate.origin && self.plugin.sha256 == sha256_hex(&candidate.bytes)
    }
}

impl Loaded {
    fn check_lock(&self, plugin: &LoadedPlugin) -> Result<(), String> {
        match &self.lock {
            Some(lock) if plugin.is_from_directory() => lock.check_plugin(plugin),
            _ => Ok(()),
        }
    }

    /// Whether one of these files, or what stands in their place, is quarantined.
    pub(crate) fn is_quarantined(&self, files: &[String]) -> bool {
        self.quarantined.iter().any(|q| files.contains(&q.plugin))
    }

    /// The reason may quote what the plugin says: nothing invisible in it.
    fn quarantine(&mut self, plugin: String, reason: String) {
        let reason = toolstile_core::escape_invisible(&reason).into_owned();
        tracing::warn!(%plugin, %reason, "quarantined");
        self.quarantined.push(Quarantined { plugin, reason });
    }
}

/// What follows the name of a bundled plugin where others have a file name.
const BUNDLED: &str = " (bundled)";

/// How a bundled plugin is called where others have a file name.
pub(crate) fn bundled_file(name: &str) -> String {
    format!("{name}{BUNDLED}")
}

fn bundled(config: &HostConfig) -> Vec<Candidate> {
    let plugins = toolstile_plugins::bundled().iter().filter(|_| config.plugins.bundled);
    plugins
        .map(|plugin| Candidate {
            file: bundled_file(plugin.name),
            name: plugin.name.to_owned(),
            origin: Origin::Builtin,
            bytes: plugin.component.into(),
        })
        .collect()
}

fn from_directory(config: &HostConfig, loaded: &mut Loaded) -> Vec<Candidate> {
    if config.plugins.dir.as_os_str().is_empty() {
        return Vec::new();
    }
    let directory = config.resolve(&config.plugins.dir);
    let limit =
        |id: &PluginId| config.limits(id.as_str()).map_or(0, |limits| limits.component_bytes);
    let entries = match read_directory(&directory, limit) {
        Ok(entries) => entries,
        Err(error) => {
            loaded.warnings.push(error.to_string());
            return Vec::new();
        }
    };
    let mut candidates = Vec::new();
    for entry in entries {
        let file = file_name(&entry.path);
        match entry.content {
            Err(error) => loaded.quarantine(file, error.to_string()),
            Ok((id, bytes)) => candidates.push(Candidate {
                file,
                name: id.to_string(),
                origin: Origin::Plugin(id),
                bytes,
            }),
        }
    }
    candidates
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    toolstile_core::escape_invisible(&name.to_string_lossy()).into_owned()
}

/// The tools of a plugin as they are registered.
pub(crate) fn stamp(
    plugin: &Plugin,
    origin: &Origin,
    settings: &PluginSettings,
) -> Vec<RegisteredTool> {
    let from_directory = matches!(origin, Origin::Plugin(_));
    let always = from_directory && plugin.capabilities.reaches_out();
    // What reaches notes, programs or hosts brings back what others wrote.
    let external = settings.external_content || plugin.capabilities.reaches_out();
    let register = |tool: &toolstile_wasm::WasmTool| {
        let tool = RegisteredTool::new(Arc::new(tool.clone()), origin.clone())
            .with_external_content(external);
        match settings.confirm {
            ConfirmPolicy::Declared if !always => tool,
            ConfirmPolicy::Never => tool.with_confirm(ConfirmRule::Never),
            ConfirmPolicy::Declared | ConfirmPolicy::Always => {
                tool.with_confirm(ConfirmRule::Always)
            }
        }
    };
    plugin.tools.iter().map(register).collect()
}

fn check_pins(tools: &[RegisteredTool], config: &HostConfig) -> Result<(), String> {
    let mismatch = |tool: &RegisteredTool| {
        let pin = config.expected_fingerprints.get(tool.name().as_str())?;
        pin.check(tool.name().as_str(), &tool.fingerprint).err()
    };
    let mismatches: Vec<String> =
        tools.iter().filter_map(mismatch).map(|error| error.to_string()).collect();
    if mismatches.is_empty() { Ok(()) } else { Err(mismatches.join("; ")) }
}
