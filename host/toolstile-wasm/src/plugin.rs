//! From bytes to tools: everything that happens before a plugin's first call.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use toolstile_core::{ToolDefinition, sha256_hex};
use wasmtime::component::Component;

use crate::capabilities::Capabilities;
use crate::contract::{self, Contract, Import};
use crate::definition;
use crate::error::LoadError;
use crate::exports::Exports;
use crate::grants::Grants;
use crate::instance::{Instantiable, Worked, on_own_thread};
use crate::limits::{PluginLimits, to_usize};
use crate::prompts::WasmPrompts;
use crate::resources::WasmResources;
use crate::runtime::Shared;
use crate::tool::WasmTool;

/// A component to be loaded.
#[derive(Clone, Debug)]
pub struct PluginSource {
    /// The name for logs and messages.
    pub name: String,
    /// The component: these very bytes are hashed and compiled.
    pub bytes: Arc<[u8]>,
    /// What it may use.
    pub limits: PluginLimits,
    /// What the operator grants it.
    pub grants: Grants,
}

/// A loaded component.
#[derive(Clone, Debug)]
pub struct Plugin {
    /// SHA-256 of the component, in lower-case hexadecimal digits.
    pub sha256: String,
    /// Size of the component in bytes.
    pub bytes: usize,
    /// The version of the contract that it was built against.
    pub contract_version: String,
    /// The interfaces that it imports, sorted.
    pub imports: Vec<Import>,
    /// What it asks for and what it got.
    pub capabilities: Capabilities,
    /// Its limits.
    pub limits: PluginLimits,
    /// Its tools, in the order in which it lists them.
    pub tools: Vec<WasmTool>,
    /// What it lets be read, if anything.
    pub resources: Option<WasmResources>,
    /// Its prompts, if it has any.
    pub prompts: Option<WasmPrompts>,
}

pub(crate) async fn load(shared: Arc<Shared>, source: PluginSource) -> Result<Plugin, LoadError> {
    check_bytes(&source)?;
    let sha256 = sha256_hex(&source.bytes);
    let component = compile(&shared, &source).await?;
    let Contract { version, imports, asked } = contract::read(&component, &shared.engine)?;
    let capabilities = Capabilities::intersect(asked, &source.grants.capabilities());
    let grants = source.grants.clone().within(&capabilities);
    let instantiable = Arc::new(link(shared, &source, grants, &component, &sha256)?);
    let listed = instantiable.list_tools().await.map_err(LoadError::ListTools)?;
    let mut definitions = definition::check_all(listed)?;
    reword(&mut definitions, &source)?;
    let resources = WasmResources::of(&instantiable).await?;
    let prompts = WasmPrompts::of(&instantiable).await?;
    let tools = definitions.into_iter().map(|definition| WasmTool {
        definition,
        capabilities: capabilities.to_use(),
        instantiable: Arc::clone(&instantiable),
    });
    Ok(Plugin {
        bytes: source.bytes.len(),
        contract_version: version,
        imports,
        limits: source.limits,
        tools: tools.collect(),
        resources,
        prompts,
        capabilities,
        sha256,
    })
}

/// What can be told from the first bytes: size, and a core module in place of a
/// component (the `layer` field of the preamble, 0 for modules, 1 for components).
fn check_bytes(source: &PluginSource) -> Result<(), LoadError> {
    let (bytes, max) = (source.bytes.len() as u64, source.limits.component_bytes);
    if bytes > max {
        return Err(LoadError::TooLarge { bytes, max });
    }
    match source.bytes.first_chunk::<8>() {
        Some(preamble) if preamble[..4] != *b"\0asm" => Err(LoadError::Invalid(
            "the file does not start with the bytes of WebAssembly".to_owned(),
        )),
        Some(preamble) if preamble[6..] == [0, 0] => Err(LoadError::CoreModule),
        Some(_) => Ok(()),
        None => Err(LoadError::Invalid("the file is too short".to_owned())),
    }
}

async fn compile(shared: &Arc<Shared>, source: &PluginSource) -> Result<Component, LoadError> {
    let limit = Duration::from_millis(source.limits.compile_ms);
    let (engine, bytes) = (shared.engine.clone(), Arc::clone(&source.bytes));
    let _permit = shared.compilations.acquire().await.ok();
    let compiled = on_own_thread(limit, move || Component::from_binary(&engine, &bytes)).await;
    match compiled {
        Worked::Done(result) => result.map_err(|error| LoadError::Invalid(format!("{error:#}"))),
        Worked::Crashed => Err(LoadError::Invalid("the compiler crashed on it".into())),
        Worked::TimedOut => Err(LoadError::CompileTimeout(limit)),
    }
}

fn link(
    shared: Arc<Shared>,
    source: &PluginSource,
    grants: Grants,
    component: &Component,
    sha256: &str,
) -> Result<Instantiable, LoadError> {
    let mismatch = |error: wasmtime::Error| LoadError::Mismatch(format!("{error:#}"));
    let pre = shared.linker.instantiate_pre(component).map_err(mismatch)?;
    Ok(Instantiable {
        component_sha256: sha256.into(),
        plugin: source.name.as_str().into(),
        limits: source.limits,
        exports: Exports::of(pre).map_err(mismatch)?,
        slots: Semaphore::new(to_usize(source.limits.concurrent_calls).clamp(1, 1024)),
        grants: Arc::new(grants),
        shared,
    })
}

/// Puts the operator's words on the tool that is named like the plugin.
fn reword(definitions: &mut [ToolDefinition], source: &PluginSource) -> Result<(), LoadError> {
    let named = |definition: &&mut ToolDefinition| definition.name.as_str() == source.name;
    let Some(definition) = definitions.iter_mut().find(named) else { return Ok(()) };
    let reworded = source.grants.wording.apply(definition.clone());
    *definition = reworded.map_err(|reason| LoadError::Schema {
        tool: source.name.clone(),
        which: "reworded input schema",
        reason,
    })?;
    Ok(())
}
