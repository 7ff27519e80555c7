//! The tools that exist, in the order in which they came.

use std::sync::{Arc, PoisonError, RwLock};

use indexmap::IndexMap;
use serde_json::Value;
use tokio::sync::watch;

use crate::confirm::ConfirmRule;
use crate::fingerprint::Fingerprint;
use crate::name::ToolName;
use crate::origin::Origin;
use crate::tool::{CapabilityUse, Tool, ToolDefinition};

/// A tool with all that the host knows about it. Nothing here is taken from the
/// tool after it was registered.
#[derive(Clone, Debug)]
pub struct RegisteredTool {
    /// What the model is shown.
    pub definition: ToolDefinition,
    /// Where it came from.
    pub origin: Origin,
    /// What it is.
    pub fingerprint: Fingerprint,
    /// Which calls need confirmation, after the operator's word.
    pub confirm: ConfirmRule,
    /// What it asks for and what it got.
    pub capabilities: CapabilityUse,
    /// Its answers carry text that strangers may have written: it says so, or the
    /// operator, or what it was granted reaches such text.
    pub external_content: bool,
    pub(crate) origin_text: Arc<str>,
    pub(crate) tool: Arc<dyn Tool>,
}

impl RegisteredTool {
    /// Stamps a tool with its origin. For loaders: a tool never names its own.
    #[must_use]
    pub fn new(tool: Arc<dyn Tool>, origin: Origin) -> Self {
        let definition = tool.definition();
        let content = tool.content_digest();
        let fingerprint = Fingerprint::of(&tool.declaration(), &origin, content.as_deref());
        Self {
            confirm: definition.confirm.clone(),
            capabilities: tool.capabilities(),
            external_content: definition.traits.external_content,
            origin_text: origin.to_string().into(),
            definition,
            origin,
            fingerprint,
            tool,
        }
    }

    /// The same tool under a rule that the operator set.
    #[must_use]
    pub fn with_confirm(mut self, confirm: ConfirmRule) -> Self {
        self.confirm = confirm;
        self
    }

    /// The same tool, with its answers marked as text that strangers may have written;
    /// a mark that is there stays.
    #[must_use]
    pub fn with_external_content(mut self, external: bool) -> Self {
        self.external_content |= external;
        self
    }

    /// SHA-256 of the code behind the tool, where it has a digest.
    #[must_use]
    pub fn content_digest(&self) -> Option<String> {
        self.tool.content_digest()
    }

    /// The definition as it came; see [`Tool::declaration`].
    #[must_use]
    pub fn declaration(&self) -> Value {
        self.tool.declaration()
    }

    /// The name that calls use.
    #[must_use]
    pub fn name(&self) -> &ToolName {
        &self.definition.name
    }
}

/// What happens to a tool whose name is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnConflict {
    /// Nothing of the batch is registered.
    #[default]
    Error,
    /// The tool that is there stays.
    Skip,
    /// The new tool takes the place of the old one, at its position.
    Overwrite,
}

/// Why tools were not registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The name is taken.
    #[error("the name `{name}` is taken by a tool of origin `{holder}`")]
    Conflict {
        /// The name.
        name: ToolName,
        /// Who holds it.
        holder: Origin,
    },
}

type Tools = IndexMap<ToolName, Arc<RegisteredTool>>;

/// The tools that exist. Shared and changeable while calls run: a call keeps the
/// tool that it resolved.
#[derive(Debug, Default)]
pub struct ToolRegistry {
    tools: RwLock<Arc<Tools>>,
    /// Counts the changes.
    revision: watch::Sender<u64>,
}

impl ToolRegistry {
    /// Registers one tool.
    ///
    /// # Errors
    /// [`RegistryError::Conflict`] when the name is taken.
    pub fn register(&self, tool: RegisteredTool) -> Result<(), RegistryError> {
        self.register_all(vec![tool], OnConflict::Error).map(drop)
    }

    /// Registers a batch, whole or not at all, and gives the names that were
    /// registered, in order. Names that appear twice in the batch conflict too:
    /// `Skip` keeps the first, `Overwrite` the last.
    ///
    /// # Errors
    /// [`RegistryError::Conflict`] under [`OnConflict::Error`].
    pub fn register_all(
        &self,
        batch: Vec<RegisteredTool>,
        on_conflict: OnConflict,
    ) -> Result<Vec<ToolName>, RegistryError> {
        let mut guard = self.tools.write().unwrap_or_else(PoisonError::into_inner);
        let mut tools = Tools::clone(&guard);
        let mut registered = Vec::with_capacity(batch.len());
        for tool in batch {
            let name = tool.name().clone();
            match (tools.get(&name), on_conflict) {
                (Some(held), OnConflict::Error) => {
                    return Err(RegistryError::Conflict { name, holder: held.origin.clone() });
                }
                (Some(_), OnConflict::Skip) => continue,
                _ => tools.insert(name.clone(), Arc::new(tool)),
            };
            if !registered.contains(&name) {
                registered.push(name);
            }
        }
        self.put(&mut guard, tools);
        Ok(registered)
    }

    /// Makes these the tools of an origin, whole or not at all: those that it had and
    /// that are not in the batch go, a tool whose name stays keeps its position.
    ///
    /// # Errors
    /// [`RegistryError::Conflict`] when a name is taken by another origin, or stands
    /// twice in the batch.
    pub fn replace_origin(
        &self,
        origin: &Origin,
        batch: Vec<RegisteredTool>,
    ) -> Result<(), RegistryError> {
        let mut guard = self.tools.write().unwrap_or_else(PoisonError::into_inner);
        let mut tools = Tools::clone(&guard);
        for (position, tool) in batch.iter().enumerate() {
            let name = tool.name();
            let twice = batch[..position].iter().find(|other| other.name() == name);
            let foreign = tools.get(name).filter(|held| held.origin != *origin);
            if let Some(holder) = twice.or(foreign.map(|held| &**held)) {
                let (name, holder) = (name.clone(), holder.origin.clone());
                return Err(RegistryError::Conflict { name, holder });
            }
        }
        let stays = |name: &ToolName| batch.iter().any(|tool| tool.name() == name);
        tools.retain(|name, held| held.origin != *origin || stays(name));
        for tool in batch {
            tools.insert(tool.name().clone(), Arc::new(tool));
        }
        self.put(&mut guard, tools);
        Ok(())
    }

    /// Removes a tool; the order of the others stays. Calls that run go on.
    pub fn unregister(&self, name: &str) -> Option<Arc<RegisteredTool>> {
        let mut guard = self.tools.write().unwrap_or_else(PoisonError::into_inner);
        let mut tools = Tools::clone(&guard);
        let removed = tools.shift_remove(name);
        self.put(&mut guard, tools);
        removed
    }

    /// Tells of every change: the value counts them.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.revision.subscribe()
    }

    /// The tool of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<RegisteredTool>> {
        self.snapshot().get(name).cloned()
    }

    /// A registry of tools that are registered elsewhere.
    #[must_use]
    pub fn of(tools: Vec<Arc<RegisteredTool>>) -> Self {
        let tools = tools.into_iter().map(|tool| (tool.name().clone(), tool)).collect();
        Self { tools: RwLock::new(Arc::new(tools)), ..Self::default() }
    }

    /// All tools, in order.
    #[must_use]
    pub fn tools(&self) -> Vec<Arc<RegisteredTool>> {
        self.snapshot().values().cloned().collect()
    }

    fn put(&self, held: &mut Arc<Tools>, tools: Tools) {
        *held = Arc::new(tools);
        self.revision.send_modify(|revision| *revision += 1);
    }

    fn snapshot(&self) -> Arc<Tools> {
        Arc::clone(&self.tools.read().unwrap_or_else(PoisonError::into_inner))
    }
}
