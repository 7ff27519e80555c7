//! Plugins on their way into the registry. Each is loaded whole or quarantined
//! with a reason, and none affects another.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use tokio::task::JoinHandle;
use toolstile_core::{ConfirmRule, OnConflict, Origin, PluginId, RegisteredTool, ToolRegistry};
use toolstile_wasm::{Plugin, PluginSource, WasmRuntime, read_directory};

use crate::config::{ConfirmPolicy, HostConfig, PluginSettings};
use crate::grants::{Means, grants_of};

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
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) plugins: Vec<LoadedPlugin>,
    pub(crate) quarantined: Vec<Quarantined>,
    pub(crate) warnings: Vec<String>,
}

/// A component that is to be loaded: who it is, and its bytes.
struct Candidate {
    file: String,
    name: String,
    origin: Origin,
    bytes: Arc<[u8]>,
}

/// Loads the bundled plugins and those of the directory, side by side, and
/// registers them in that order.
pub(crate) async fn load_all(
    config: &HostConfig,
    runtime: &WasmRuntime,
    registry: &ToolRegistry,
    means: &Means,
) -> Loaded {
    let mut loaded = Loaded::default();
    let mut candidates = bundled(config);
    candidates.extend(from_directory(config, &mut loaded));
    candidates.retain(|candidate| config.settings(&candidate.name).enabled);
    let loading = start_loading(&candidates, config, runtime, means);
    for (candidate, task) in candidates.into_iter().zip(loading) {
        let plugin = task.await.unwrap_or_else(|panic| Err(format!("loading failed: {panic}")));
        let file = candidate.file.clone();
        match plugin.and_then(|plugin| admit(candidate, plugin, config, registry, &loaded)) {
            Ok(plugin) => loaded.plugins.push(plugin),
            Err(reason) => loaded.quarantine(file, reason),
        }
    }
    loaded
}

impl Loaded {
    /// The reason may quote what the plugin says: nothing invisible in it.
    fn quarantine(&mut self, plugin: String, reason: String) {
        let reason = toolstile_core::escape_invisible(&reason).into_owned();
        tracing::warn!(%plugin, %reason, "quarantined");
        self.quarantined.push(Quarantined { plugin, reason });
    }
}

/// Starts to load all candidates, small ones first, so that a component that is slow
/// to compile keeps only larger ones waiting. Gives the tasks in the candidates' order.
fn start_loading(
    candidates: &[Candidate],
    config: &HostConfig,
    runtime: &WasmRuntime,
    means: &Means,
) -> Vec<JoinHandle<Result<Plugin, String>>> {
    let mut by_size: Vec<(usize, &Candidate)> = candidates.iter().enumerate().collect();
    by_size.sort_by_key(|(_, candidate)| candidate.bytes.len());
    let start = |(position, candidate)| {
        let (source, runtime) = (source_of(candidate, config, means), runtime.clone());
        let load = async move { runtime.load(source?).await.map_err(|error| error.to_string()) };
        (position, tokio::spawn(load))
    };
    let mut tasks: Vec<_> = by_size.into_iter().map(start).collect();
    tasks.sort_by_key(|(position, _)| *position);
    tasks.into_iter().map(|(_, task)| task).collect()
}

/// How a bundled plugin is called where others have a file name.
pub(crate) fn bundled_file(name: &str) -> String {
    format!("{name} (bundled)")
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

fn source_of(
    candidate: &Candidate,
    config: &HostConfig,
    means: &Means,
) -> Result<PluginSource, String> {
    Ok(PluginSource {
        name: candidate.name.clone(),
        bytes: Arc::clone(&candidate.bytes),
        limits: config.limits(&candidate.name).map_err(|error| error.message().to_owned())?,
        grants: grants_of(&candidate.name, config, means)?,
    })
}

/// Stamps the origin, compares with the pins, and registers all tools or none.
fn admit(
    candidate: Candidate,
    plugin: Plugin,
    config: &HostConfig,
    registry: &ToolRegistry,
    loaded: &Loaded,
) -> Result<LoadedPlugin, String> {
    if let Some(other) = loaded.plugins.iter().find(|p| p.plugin.sha256 == plugin.sha256) {
        return Err(format!("it is the same component as `{}`", other.name));
    }
    let settings = config.settings(&candidate.name);
    let tools = stamp(&plugin, &candidate.origin, &settings);
    check_pins(&tools, config)?;
    registry.register_all(tools.clone(), OnConflict::Error).map_err(|error| error.to_string())?;
    Ok(LoadedPlugin { name: candidate.name, origin: candidate.origin, plugin, tools })
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
