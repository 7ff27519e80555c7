//! The WebAssembly engine: one for each process, shared by all plugins.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use tokio::sync::Semaphore;
use toolstile_core::Redactor;
use wasmtime::component::{HasSelf, Linker};
use wasmtime::{Config, Engine};

use crate::bindings;
use crate::cache;
use crate::error::{LoadError, RuntimeError};
use crate::limits::PluginLimits;
use crate::plugin::{self, Plugin, PluginSource};
use crate::pool::{self, Allocator, MAX_INSTANCES};
use crate::state::PluginState;
use crate::ticker::{TICK, Ticker};

/// Stack of a guest. Deep enough for the interpreters of other languages.
const WASM_STACK: usize = 512 << 10;
/// Stack of a call, the guest's and the host functions' together.
const CALL_STACK: usize = 1 << 20;
/// Components that are compiled at the same time.
const COMPILATIONS: usize = 2;

/// How the engine is set up.
#[derive(Clone, Debug)]
pub struct RuntimeConfig {
    /// Use the pooling allocator where the machine allows it.
    pub pooling: bool,
    /// Where compiled code is kept between starts; must be writable by nobody else.
    /// `None` compiles at every start.
    pub cache_dir: Option<PathBuf>,
    /// The largest limits that any plugin will be loaded with.
    pub largest: PluginLimits,
    /// What host interfaces keep out of their answers.
    pub redactor: Redactor,
}

impl Default for RuntimeConfig {
    /// Pooling, no cache, default limits.
    fn default() -> Self {
        let largest = PluginLimits::default();
        Self { pooling: true, cache_dir: None, largest, redactor: Redactor::default() }
    }
}

/// Loads components. Cheap to clone; all clones share one engine.
#[derive(Clone, Debug)]
pub struct WasmRuntime {
    shared: Arc<Shared>,
    report: RuntimeReport,
}

/// What the machine offered and what was made of it.
#[derive(Clone, Debug, Serialize)]
pub struct RuntimeReport {
    /// Version of wasmtime's release line.
    pub wasmtime: &'static str,
    /// Where instances get their memory.
    pub allocator: Allocator,
    /// Instances that can exist at the same time.
    pub max_instances: u32,
    /// Longest time that a guest runs before it yields, in milliseconds.
    pub tick_ms: u64,
    /// Where compiled code is kept.
    pub cache_dir: Option<PathBuf>,
}

pub(crate) struct Shared {
    pub(crate) engine: Engine,
    pub(crate) linker: Linker<PluginState>,
    pub(crate) ticker: Ticker,
    /// Calls of all plugins at the same time.
    pub(crate) slots: Semaphore,
    pub(crate) compilations: Semaphore,
    pub(crate) redactor: Redactor,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl WasmRuntime {
    /// Sets the engine up; probes which allocator works best here.
    ///
    /// # Errors
    /// [`RuntimeError`] when the cache directory cannot be used, or no configuration
    /// works at all.
    pub fn new(config: &RuntimeConfig) -> Result<Self, RuntimeError> {
        let (engine, allocator) = pool::probe(&engine_config(config)?, config)?;
        let shared = Shared {
            ticker: Ticker::start(&engine)?,
            linker: linker(&engine).map_err(|e| RuntimeError::Engine(format!("{e:#}")))?,
            slots: Semaphore::new(MAX_INSTANCES as usize),
            compilations: Semaphore::new(COMPILATIONS),
            redactor: config.redactor.clone(),
            engine,
        };
        let report = RuntimeReport {
            wasmtime: "48",
            allocator,
            max_instances: MAX_INSTANCES,
            tick_ms: TICK.as_millis() as u64,
            cache_dir: config.cache_dir.clone(),
        };
        Ok(Self { shared: Arc::new(shared), report })
    }

    /// Loads a component: hashes, compiles (off the calling task, with a time
    /// limit), reads what it asks for, and lists its tools with nothing granted.
    ///
    /// # Errors
    /// [`LoadError`] says why the component cannot be used.
    pub async fn load(&self, source: PluginSource) -> Result<Plugin, LoadError> {
        plugin::load(Arc::clone(&self.shared), source).await
    }

    /// How the runtime is set up.
    #[must_use]
    pub fn report(&self) -> &RuntimeReport {
        &self.report
    }
}

fn engine_config(runtime: &RuntimeConfig) -> Result<Config, RuntimeError> {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .max_wasm_stack(WASM_STACK)
        .async_stack_size(CALL_STACK)
        .wasm_component_model(true)
        // One guest at a time in each store: what concurrency would need is left out.
        .concurrency_support(false)
        .wasm_memory64(false)
        .wasm_relaxed_simd(false);
    if let Some(directory) = &runtime.cache_dir {
        config.cache(Some(cache::open(directory)?));
    }
    Ok(config)
}

/// Every host interface, linked once. What is not granted is refused when it is
/// called, so that a component loads and can be listed whatever it asks for.
fn linker(engine: &Engine) -> wasmtime::Result<Linker<PluginState>> {
    let mut linker = Linker::new(engine);
    bindings::Everything::add_to_linker::<_, HasSelf<PluginState>>(&mut linker, |state| state)?;
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    Ok(linker)
}
