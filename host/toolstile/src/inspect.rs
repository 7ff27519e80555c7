//! A look at one component file, without using it.

use std::path::Path;

use toolstile_core::{IdentityError, Origin, PluginId, RegisteredTool};
use toolstile_wasm::{
    EntryError, Grants, LoadError, Plugin, PluginSource, RuntimeConfig, RuntimeError,
    RuntimeReport, WasmRuntime, read_plugin_file,
};

use crate::config::{HostConfig, PluginSettings};
use crate::host::runtime_config;
use crate::loader::stamp;

/// What a component file holds.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// The component.
    pub plugin: Plugin,
    /// Its tools as they would be registered from the plugin directory.
    pub tools: Vec<RegisteredTool>,
}

/// Why a file cannot be inspected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InspectError {
    /// The file name gives no identity.
    #[error("its file name cannot name a plugin: {0}")]
    Name(#[from] IdentityError),
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] EntryError),
    /// There is no WebAssembly runtime.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// The configuration sets limits that cannot be.
    #[error("{0}")]
    Limits(String),
    /// The component cannot be used.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// Loads a component, runs its `list-tools` with nothing granted, and forgets it.
///
/// # Errors
/// [`InspectError`] says why the file would be quarantined.
pub async fn inspect(path: &Path, config: &HostConfig) -> Result<Inspection, InspectError> {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let id = PluginId::parse(stem)?;
    let limits = config
        .limits(id.as_str())
        .map_err(|error| InspectError::Limits(error.message().to_owned()))?;
    let bytes = read_plugin_file(path, limits.component_bytes)?;
    let runtime: RuntimeConfig = runtime_config(config).map_err(InspectError::Limits)?;
    let source = PluginSource { name: id.to_string(), bytes, limits, grants: Grants::default() };
    let plugin = WasmRuntime::new(&runtime)?.load(source).await?;
    let tools = stamp(&plugin, &Origin::Plugin(id), &PluginSettings::default());
    Ok(Inspection { plugin, tools })
}

/// Sets the engine up as a host with this configuration would, loads nothing, and
/// says what came of it.
///
/// # Errors
/// [`InspectError::Limits`] and [`InspectError::Runtime`].
pub fn inspect_runtime(config: &HostConfig) -> Result<RuntimeReport, InspectError> {
    let runtime = runtime_config(config).map_err(InspectError::Limits)?;
    Ok(WasmRuntime::new(&runtime)?.report().clone())
}
