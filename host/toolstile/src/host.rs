//! The host: what an embedding program uses.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use toolstile_agent::{Agent, AgentBuilder};
use toolstile_core::{
    ArgumentsText, AuditSink, Call, Completion, Confirm, Explanation, Middleware, OnConflict,
    Origin, Pin, Redactor, RegisteredTool, RegistryError, ResultGuard, SchemaShape, SecretTooShort,
    Tool, ToolExecutor, ToolName, ToolPermissions, ToolRegistry, catalog, descriptions,
    function_schemas,
};
use toolstile_wasm::{PluginLimits, RuntimeConfig, RuntimeError, RuntimeReport, WasmRuntime};

use crate::audit_log::{AuditLog, AuditTarget};
use crate::config::{AuditTo, HostConfig};
use crate::config_file::default_cache_dir;
use crate::grants::Means;
use crate::loader::{Loaded, LoadedPlugin, Loader, PluginChange, Quarantined, bundled_file};
use crate::lock::{LOCK_FILE, Lock, LockError};
use crate::secrets::Secrets;
use crate::servers::{Approved, ServerReport, Servers};
use crate::texts::PromptPack;

/// A host with its tools. Cheap to clone; clones share everything. Calls run at the
/// same time, also on one tool.
#[derive(Clone, Debug)]
pub struct Host(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    executor: ToolExecutor,
    loader: Loader,
    servers: Servers,
    permissions: ToolPermissions,
    /// What was odd about the start.
    warnings: Vec<String>,
    loaded: RwLock<Arc<Loaded>>,
    /// Held while plugins are loaded again: one at a time.
    reloading: tokio::sync::Mutex<()>,
}

/// Why there is no host.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// There is no WebAssembly runtime.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// The audit log cannot be opened.
    #[error("the audit log `{}` cannot be opened: {source}", .path.display())]
    Audit {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The words of the bundled tools cannot be used.
    #[error("the texts of `[texts]` cannot be used: {0}")]
    Texts(String),
    /// A secret that could not be kept out of answers.
    #[error(transparent)]
    Secret(#[from] SecretTooShort),
    /// A limit in the configuration is unknown or of the wrong type.
    #[error("the limits are not valid: {0}")]
    Limits(String),
    /// A native tool has the name of another.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// What is approved is not known.
    #[error(transparent)]
    Lock(#[from] LockError),
}

impl Host {
    /// A host to be configured. Without more it loads the bundled plugins and those
    /// in `./plugins`, permits all tools, and refuses what needs confirmation.
    #[must_use]
    pub fn builder() -> HostBuilder {
        HostBuilder::default()
    }

    /// Calls a tool through all gates. The arguments are JSON text or a value.
    pub async fn call(&self, tool: &str, arguments: impl Into<ArgumentsText>) -> Completion {
        self.execute(Call::new(tool, arguments)).await
    }

    /// As [`Host::call`], with the caller's identifier of the call.
    pub async fn execute(&self, call: Call) -> Completion {
        self.0.executor.execute(call).await
    }

    /// The gates and the tools.
    #[must_use]
    pub fn executor(&self) -> &ToolExecutor {
        &self.0.executor
    }

    /// An agent over these tools, to be configured: it needs a model. Its calls pass the
    /// gates of this host.
    #[must_use]
    pub fn agent(&self) -> AgentBuilder {
        Agent::builder().executor(self.0.executor.clone())
    }

    /// What each gate would decide about a call, without running anything: nobody is
    /// asked, no record is written.
    #[must_use]
    pub fn explain(&self, tool: &str, arguments: impl Into<ArgumentsText>) -> Explanation {
        self.0.executor.explain(&Call::new(tool, arguments))
    }

    /// The tools that may be called, in the order in which they came. `names` selects
    /// some, in its own order; names that no permitted tool has are left out.
    #[must_use]
    pub fn tools(&self, names: Option<&[&str]>) -> Vec<Arc<RegisteredTool>> {
        let permitted = self.0.executor.permitted_tools();
        let Some(names) = names else { return permitted };
        let mut selected: Vec<Arc<RegisteredTool>> = Vec::new();
        for name in names {
            let found = permitted.iter().find(|tool| tool.name().as_str() == *name);
            let taken = selected.iter().any(|tool| tool.name().as_str() == *name);
            selected.extend(found.filter(|_| !taken).cloned());
        }
        selected
    }

    /// All tools, also those that the permissions refuse, for operators.
    #[must_use]
    pub fn all_tools(&self) -> Vec<Arc<RegisteredTool>> {
        self.0.executor.registry().tools()
    }

    /// Whether the permissions let a tool through.
    #[must_use]
    pub fn permits(&self, tool: &RegisteredTool) -> bool {
        self.0.executor.check_permissions(tool).is_ok()
    }

    /// One line for each permitted tool, for a prompt.
    #[must_use]
    pub fn catalog(&self, names: Option<&[&str]>) -> String {
        catalog(&self.tools(names))
    }

    /// The catalog with a line for each parameter.
    #[must_use]
    pub fn descriptions(&self, names: Option<&[&str]>) -> String {
        descriptions(&self.tools(names))
    }

    /// Function-calling schemas of the permitted tools.
    #[must_use]
    pub fn function_schemas(
        &self,
        shape: SchemaShape,
        names: Option<&[&str]>,
    ) -> Vec<serde_json::Value> {
        function_schemas(&self.tools(names), shape)
    }

    /// Registers a tool of the embedding program (origin `native`).
    ///
    /// # Errors
    /// The name is taken.
    pub fn register(&self, tool: impl Tool + 'static) -> Result<(), RegistryError> {
        self.0.executor.registry().register(native(Arc::new(tool)))
    }

    /// Registers tools of the embedding program, all or none, and gives the names
    /// that were registered.
    ///
    /// # Errors
    /// A name is taken, under [`OnConflict::Error`].
    pub fn register_all(
        &self,
        tools: Vec<Arc<dyn Tool>>,
        on_conflict: OnConflict,
    ) -> Result<Vec<ToolName>, RegistryError> {
        let batch = tools.into_iter().map(native).collect();
        self.0.executor.registry().register_all(batch, on_conflict)
    }

    /// Removes a tool. Calls that run go on.
    pub fn unregister(&self, name: &str) -> Option<Arc<RegisteredTool>> {
        self.0.executor.registry().unregister(name)
    }

    /// The plugins that are loaded.
    #[must_use]
    pub fn plugins(&self) -> Vec<LoadedPlugin> {
        self.loaded().plugins.clone()
    }

    /// The plugins that are not used, and why.
    #[must_use]
    pub fn quarantined(&self) -> Vec<Quarantined> {
        self.loaded().quarantined.clone()
    }

    /// What is loaded, as it would be approved. What cannot be loaded just now keeps the
    /// entry that it has in `before`.
    #[must_use]
    pub fn to_approve(&self, before: &Lock) -> Lock {
        let loaded = self.loaded();
        let mut lock = Lock::of(&loaded.plugins, self.0.servers.tools());
        let absent =
            self.servers().into_iter().filter(|s| matches!(s.state, "down" | "connecting"));
        for server in absent {
            if let Some(entry) = before.mcp.get(&server.namespace) {
                lock.mcp.entry(server.namespace).or_insert_with(|| entry.clone());
            }
        }
        for (name, entry) in &before.plugins {
            if loaded.is_quarantined(&[format!("{name}.wasm")]) {
                lock.plugins.entry(name.clone()).or_insert_with(|| entry.clone());
            }
        }
        lock
    }

    /// The MCP servers of the configuration, and how they are.
    #[must_use]
    pub fn servers(&self) -> Vec<ServerReport> {
        self.0.servers.reports()
    }

    /// Ends the connections to MCP servers in good order, and their programs with them.
    /// Without it they are ended at once when the host is dropped.
    pub async fn shutdown(&self) {
        self.0.servers.shutdown().await;
    }

    /// What the operator should know: entries of the configuration that match
    /// nothing, and the like.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let Parts { executor, loader, permissions, warnings, .. } = &*self.0;
        let loaded = self.loaded();
        let mut all = loaded.warnings.clone();
        all.extend(warnings.iter().cloned());
        all.extend(unmatched(&loader.config, permissions, executor.registry(), &loaded));
        all
    }

    /// Reads the plugin directory again. A file that is new or has changed is loaded
    /// beside what runs, and its tools then take the place of the old ones; calls in
    /// flight finish on those. A file that cannot be used leaves what was there before
    /// in its place. Gives what changed.
    pub async fn reload_plugins(&self) -> Vec<PluginChange> {
        let _one_at_a_time = self.0.reloading.lock().await;
        let before = self.loaded();
        let (loaded, changes) = self.0.loader.reload(&before).await;
        if loaded.lock != before.lock {
            self.0.servers.relist();
        }
        *self.0.loaded.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(loaded);
        changes
    }

    /// What the host was configured with.
    pub(crate) fn config(&self) -> &HostConfig {
        &self.0.loader.config
    }

    /// Where plugin files are, if anywhere.
    pub(crate) fn plugin_directory(&self) -> Option<PathBuf> {
        let config = &self.0.loader.config;
        let directory = &config.plugins.dir;
        let resolved = (!directory.as_os_str().is_empty()).then(|| config.resolve(directory))?;
        Some(std::path::absolute(&resolved).unwrap_or(resolved))
    }

    /// Where what is approved is written down, as an absolute path.
    pub(crate) fn lock_file(&self) -> PathBuf {
        let file = self.0.loader.config.lock_file();
        std::path::absolute(&file).unwrap_or(file)
    }

    fn loaded(&self) -> Arc<Loaded> {
        Arc::clone(&self.0.loaded.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// How the WebAssembly engine is set up on this machine.
    #[must_use]
    pub fn runtime(&self) -> &RuntimeReport {
        self.0.loader.runtime.report()
    }
}

fn native(tool: Arc<dyn Tool>) -> RegisteredTool {
    RegisteredTool::new(tool, Origin::Native)
}

/// Configures a [`Host`].
#[derive(Default)]
pub struct HostBuilder {
    config: HostConfig,
    permissions: Option<ToolPermissions>,
    middleware: Vec<Arc<dyn Middleware>>,
    confirm: Option<Arc<dyn Confirm>>,
    audit: Option<Arc<dyn AuditSink>>,
    guard: ResultGuard,
    tools: Vec<Arc<dyn Tool>>,
    without_lock: bool,
}

impl std::fmt::Debug for HostBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostBuilder").field("config", &self.config).finish_non_exhaustive()
    }
}

impl HostBuilder {
    /// Starts from a configuration, usually read from a file; what is set on the
    /// builder goes over it.
    #[must_use]
    pub fn config(mut self, config: HostConfig) -> Self {
        self.config = config;
        self
    }

    /// The directory of plugin files; with an empty path none is read.
    #[must_use]
    pub fn plugin_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.config.plugins.dir = directory.into();
        self
    }

    /// Whether the plugins that come with the host are loaded. Default: yes.
    #[must_use]
    pub fn bundled(mut self, load: bool) -> Self {
        self.config.plugins.bundled = load;
        self
    }

    /// Which tools may be called.
    #[must_use]
    pub fn permissions(mut self, permissions: ToolPermissions) -> Self {
        self.permissions = Some(permissions);
        self
    }

    /// Who confirms calls that need it. Default: nobody, so that they are refused.
    #[must_use]
    pub fn confirm(mut self, confirm: impl Confirm + 'static) -> Self {
        self.confirm = Some(Arc::new(confirm));
        self
    }

    /// Adds a middleware inside those that were added before.
    #[must_use]
    pub fn middleware(mut self, middleware: impl Middleware + 'static) -> Self {
        self.middleware.push(Arc::new(middleware));
        self
    }

    /// Where records of calls go, in place of the configuration's `[audit]`.
    #[must_use]
    pub fn audit(mut self, sink: Arc<dyn AuditSink>) -> Self {
        self.audit = Some(sink);
        self
    }

    /// The bounds of answers.
    #[must_use]
    pub fn guard(mut self, guard: ResultGuard) -> Self {
        self.guard = guard;
        self
    }

    /// Adds a tool of the embedding program (origin `native`).
    #[must_use]
    pub fn tool(mut self, tool: impl Tool + 'static) -> Self {
        self.tools.push(Arc::new(tool));
        self
    }

    /// What a tool must be; a plugin with a tool that differs is quarantined.
    #[must_use]
    pub fn expected_fingerprint(mut self, tool: impl Into<String>, pin: Pin) -> Self {
        self.config.expected_fingerprints.insert(tool.into(), pin);
        self
    }

    /// Loads also what is not approved in `toolstile.lock`: to look at it, and to approve
    /// it ([`Host::to_approve`]).
    #[must_use]
    pub fn without_lock(mut self) -> Self {
        self.without_lock = true;
        self
    }

    /// Sets up the engine and loads the plugins. A plugin that cannot be loaded is
    /// quarantined; it does not fail the host.
    ///
    /// # Errors
    /// [`HostError`] when there can be no host at all.
    pub async fn build(self) -> Result<Host, HostError> {
        let means = Means {
            secrets: Secrets::read(&self.config),
            pack: PromptPack::read(&self.config).map_err(HostError::Texts)?,
        };
        let redactor = means.secrets.redactor()?;
        let (runtime, warning) = start_runtime(&self.config, redactor.clone())?;
        let registry = Arc::new(ToolRegistry::default());
        let natives = self.tools.into_iter().map(native).collect();
        registry.register_all(natives, OnConflict::Error)?;
        let permissions =
            self.permissions.unwrap_or_else(|| self.config.permissions.clone().into());
        let executor = ToolExecutor::builder(Arc::clone(&registry));
        let executor = executor.permissions(permissions.clone());
        let mut executor = executor.guard(self.guard).redactor(redactor);
        for middleware in self.middleware {
            executor = executor.middleware(middleware);
        }
        if let Some(confirm) = self.confirm {
            executor = executor.confirm(confirm);
        }
        if let Some(audit) = self.audit.map_or_else(|| audit_of(&self.config), |a| Ok(Some(a)))? {
            executor = executor.audit(audit);
        }
        let approved = (!self.without_lock).then(Approved::default);
        let config = self.config;
        let loader = Loader { config, runtime, registry: Arc::clone(&registry), means, approved };
        let loaded = loader.load_all().await?;
        let (config, secrets) = (&loader.config, &loader.means.secrets);
        let servers = Servers::start(config, secrets, &registry, loader.approved.as_ref()).await;
        loader.means.secrets.log_missing();
        Ok(Host(Arc::new(Parts {
            executor: executor.build(),
            loader,
            servers,
            permissions,
            warnings: warning.into_iter().collect(),
            loaded: RwLock::new(Arc::new(loaded)),
            reloading: tokio::sync::Mutex::default(),
        })))
    }
}

/// A cache that the operator did not ask for may be missing; one that was asked for
/// may not.
fn start_runtime(
    config: &HostConfig,
    redactor: Redactor,
) -> Result<(WasmRuntime, Option<String>), HostError> {
    let runtime = runtime_config(config).map_err(HostError::Limits)?;
    let runtime = RuntimeConfig { redactor, ..runtime };
    match WasmRuntime::new(&runtime) {
        Err(error @ RuntimeError::Cache { .. }) if config.runtime.cache_dir.is_none() => {
            let uncached = RuntimeConfig { cache_dir: None, ..runtime };
            Ok((WasmRuntime::new(&uncached)?, Some(format!("{error}; plugins are compiled anew"))))
        }
        other => Ok((other?, None)),
    }
}

/// The engine must have room for the largest limits of any plugin.
pub(crate) fn runtime_config(config: &HostConfig) -> Result<RuntimeConfig, String> {
    let mut largest = PluginLimits::default();
    for name in config.plugin.keys().map(String::as_str).chain([""]) {
        let limits = config.limits(name).map_err(|error| error.message().to_owned())?;
        largest.memory_bytes = largest.memory_bytes.max(limits.memory_bytes);
        largest.table_elements = largest.table_elements.max(limits.table_elements);
    }
    let settings = &config.runtime;
    let cache_dir = match &settings.cache_dir {
        _ if !settings.cache => None,
        Some(directory) => Some(config.resolve(directory)),
        None => default_cache_dir(),
    };
    Ok(RuntimeConfig { pooling: settings.pooling, cache_dir, largest, ..RuntimeConfig::default() })
}

fn audit_of(config: &HostConfig) -> Result<Option<Arc<dyn AuditSink>>, HostError> {
    let path = config.audit.path.clone().unwrap_or_else(|| "toolstile-audit.jsonl".into());
    let path = config.resolve(&path);
    let target = match config.audit.to {
        AuditTo::None => return Ok(None),
        AuditTo::Stderr => AuditTarget::Stderr,
        AuditTo::File => AuditTarget::File(path.clone()),
    };
    let log = AuditLog::open(&target, config.audit.arguments.into())
        .map_err(|source| HostError::Audit { path, source })?;
    Ok(Some(Arc::new(log)))
}

/// Entries of the configuration that match nothing: a misspelt rule protects
/// nothing, so the operator must hear of it.
fn unmatched(
    config: &HostConfig,
    permissions: &ToolPermissions,
    registry: &ToolRegistry,
    loaded: &Loaded,
) -> Vec<String> {
    let tools = registry.tools();
    let origins: Vec<String> = tools.iter().map(|tool| tool.origin.to_string()).collect();
    let known: Vec<(&str, &str)> =
        tools.iter().zip(&origins).map(|(t, o)| (t.name().as_str(), o.as_str())).collect();
    let mut warnings: Vec<String> = permissions
        .unmatched(&known)
        .into_iter()
        .map(|(list, entry)| format!("`{entry}` in `[permissions] {list}` matches no tool"))
        .collect();
    let missing = config.expected_fingerprints.keys().filter(|name| registry.get(name).is_none());
    warnings.extend(
        missing
            .map(|name| format!("`{name}` in `[expected_fingerprints]` is not a registered tool")),
    );
    let is_loaded = |name: &str| {
        loaded.plugins.iter().any(|plugin| plugin.name == name)
            || loaded.is_quarantined(&[format!("{name}.wasm"), bundled_file(name)])
    };
    let idle = config.plugin.iter().filter(|(name, settings)| settings.enabled && !is_loaded(name));
    warnings.extend(idle.map(|(name, _)| format!("`[plugin.{name}]` matches no plugin")));
    let locked = loaded.lock.iter().flat_map(|lock| lock.plugins.keys());
    let gone = locked.filter(|name| config.settings(name).enabled && !is_loaded(name));
    warnings.extend(gone.map(|name| format!("`{name}` in `{LOCK_FILE}` is not there")));
    warnings
}
