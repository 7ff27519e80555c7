//! One call: a fresh store, a fresh instance, one function, then all of it is
//! thrown away. A trap costs that call and nothing else.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use toolstile_core::{CallContext, ToolError};
use wasmtime::Store;
use wasmtime::component::Instance;

use crate::bindings::tool::{ToolDefinition, ToolResponse};
use crate::deadline::Deadline;
use crate::exports::Exports;
use crate::grants::Grants;
use crate::limits::{PluginLimits, to_usize};
use crate::outcome;
use crate::runtime::Shared;
use crate::state::{PluginState, Rights};

/// What is left of a call for the guest after the host's part of it timed out.
const GUEST_SHARE: Duration = Duration::from_millis(250);

/// Component-model handles that one call may hold.
const MAX_HANDLES: usize = 1024;

/// What one call is lent of its plugin's grants.
#[derive(Default)]
struct Lent {
    grants: Arc<Grants>,
    passed_commands: Vec<Vec<String>>,
    context: CallContext,
}

/// A component, linked and ready to be instantiated.
pub(crate) struct Instantiable {
    pub(crate) plugin: Arc<str>,
    pub(crate) component_sha256: Arc<str>,
    pub(crate) limits: PluginLimits,
    pub(crate) exports: Exports,
    pub(crate) shared: Arc<Shared>,
    pub(crate) grants: Arc<Grants>,
    /// Calls of this plugin at the same time.
    pub(crate) slots: Semaphore,
}

impl std::fmt::Debug for Instantiable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instantiable").field("plugin", &self.plugin).finish_non_exhaustive()
    }
}

impl Instantiable {
    /// Runs `call-tool`.
    pub(crate) async fn call(
        &self,
        name: &str,
        arguments: String,
        passed_commands: Vec<Vec<String>>,
        context: &CallContext,
    ) -> Result<ToolResponse, ToolError> {
        let limit = ("deadline_ms", self.limits.deadline_ms);
        let (grants, context) = (Arc::clone(&self.grants), context.clone());
        let lent = Lent { grants, passed_commands, context };
        self.within(limit, lent, async |store, instance| {
            let tool = self.exports.tool.load(&mut *store, instance)?;
            tool.call_call_tool(store, name, &arguments).await
        })
        .await
    }

    /// Runs `list-tools`, with nothing granted: this happens before anybody decided
    /// about the plugin.
    pub(crate) async fn list_tools(&self) -> Result<Vec<ToolDefinition>, ToolError> {
        self.listing(async |store, instance| {
            let tool = self.exports.tool.load(&mut *store, instance)?;
            tool.call_list_tools(store).await
        })
        .await
    }

    /// Asks the plugin what it has, with nothing granted and a short deadline.
    pub(crate) async fn listing<T>(
        &self,
        run: impl AsyncFnOnce(&mut Store<PluginState>, &Instance) -> wasmtime::Result<T>,
    ) -> Result<T, ToolError> {
        let limit = ("list_tools_ms", self.limits.list_tools_ms);
        let lent = Lent { grants: Arc::new(self.grants.harmless()), ..Lent::default() };
        self.within(limit, lent, run).await
    }

    /// Asks the plugin for something that is no call of a tool, with these grants.
    pub(crate) async fn asking<T>(
        &self,
        grants: &Arc<Grants>,
        context: &CallContext,
        run: impl AsyncFnOnce(&mut Store<PluginState>, &Instance) -> wasmtime::Result<T>,
    ) -> Result<T, ToolError> {
        let limit = ("deadline_ms", self.limits.deadline_ms);
        let (grants, context) = (Arc::clone(grants), context.clone());
        self.within(limit, Lent { grants, context, ..Lent::default() }, run).await
    }

    /// Runs guest code in a store of its own, under every limit. The deadline is set
    /// before the instance is made: start functions are guest code too.
    async fn within<T>(
        &self,
        (limit, milliseconds): (&'static str, u64),
        lent: Lent,
        run: impl AsyncFnOnce(&mut Store<PluginState>, &Instance) -> wasmtime::Result<T>,
    ) -> Result<T, ToolError> {
        let deadline = Duration::from_millis(milliseconds);
        let host_share = deadline.saturating_sub(GUEST_SHARE.min(deadline / 4));
        let host_deadline = Instant::now() + host_share;
        let Lent { grants, passed_commands, context } = lent;
        let component_sha256 = Arc::clone(&self.component_sha256);
        let clock = Deadline::after(deadline);
        let rights = Rights {
            grants,
            component_sha256,
            context,
            passed_commands,
            host_deadline,
            deadline: clock.clone(),
        };
        // The store lives inside this future: when time is up both go together.
        tokio::select! {
            biased;
            result = self.bounded(rights, run) => result,
            () = clock.passed() => Err(outcome::deadline(limit, deadline)),
        }
    }

    async fn bounded<T>(
        &self,
        rights: Rights,
        run: impl AsyncFnOnce(&mut Store<PluginState>, &Instance) -> wasmtime::Result<T>,
    ) -> Result<T, ToolError> {
        // The semaphores are never closed, so waiting cannot fail.
        let _own = self.slots.acquire().await.ok();
        let _shared = self.shared.slots.acquire().await.ok();
        let _ticks = self.shared.ticker.run();
        let mut store = self.store(rights);
        let result = match self.exports.pre.instantiate_async(&mut store).await {
            Ok(instance) => run(&mut store, &instance).await,
            Err(error) => Err(error),
        };
        store.data_mut().finish();
        result.map_err(|error| outcome::classify(&error, store.data(), &self.limits))
    }

    fn store(&self, rights: Rights) -> Store<PluginState> {
        let limits = &self.limits;
        let redactor = self.shared.redactor.clone();
        let state = PluginState::new(Arc::clone(&self.plugin), limits, rights, redactor);
        let mut store = Store::new(&self.shared.engine, state);
        store.limiter(|state| &mut state.limiter);
        store.set_epoch_deadline(1);
        store.epoch_deadline_async_yield_and_update(1);
        store.set_hostcall_fuel(to_usize(limits.crossing_bytes));
        store.set_max_component_handles(MAX_HANDLES);
        store
    }
}

/// What became of work on a thread of its own.
pub(crate) enum Worked<T> {
    Done(T),
    /// It panicked, or the thread could not be started.
    Crashed,
    TimedOut,
}

/// Wasmtime compiles on its own threads; loading waits with a time limit and may
/// leave the work behind.
pub(crate) async fn on_own_thread<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Worked<T> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let thread = std::thread::Builder::new().name("toolstile-compile".into());
    // A detached thread, not a pool's: an abandoned compilation must not keep the
    // process from ending.
    if thread.spawn(move || drop(sender.send(work()))).is_err() {
        return Worked::Crashed;
    }
    match tokio::time::timeout(limit, receiver).await {
        Ok(Ok(value)) => Worked::Done(value),
        Ok(Err(_)) => Worked::Crashed,
        Err(_) => Worked::TimedOut,
    }
}
