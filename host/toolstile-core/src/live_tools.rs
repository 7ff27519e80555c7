//! The tools that one run shows to its model: a list that tools change while the run
//! goes on, without anybody else's list changing.

use std::sync::{Arc, Mutex, PoisonError};

use indexmap::IndexMap;

use crate::executor::ToolExecutor;
use crate::name::ToolName;
use crate::origin::Origin;
use crate::registry::RegisteredTool;
use crate::suggest::nearest;
use crate::tool::Tool;

/// The tools that a model is shown, in order. Starts with what the run was given;
/// changes count from the model's next turn on.
pub struct LiveTools {
    /// Where names are looked up, and who may be shown at all.
    source: ToolExecutor,
    shown: Mutex<Shown>,
}

#[derive(Default)]
struct Shown {
    tools: IndexMap<ToolName, Arc<RegisteredTool>>,
    revision: u64,
}

/// Why no tool was added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExposureError {
    /// No tool of that name may be shown.
    #[error("there is no tool `{}`{}", name.escape_debug(), .nearest.as_ref().map(|n| format!("; did you mean `{n}`?")).unwrap_or_default())]
    Unknown {
        /// The name.
        name: String,
        /// The permitted name nearest to it.
        nearest: Option<String>,
    },
    /// Another tool of that name is shown, or two of the batch share it.
    #[error("another tool of the name `{name}` is shown; remove it first")]
    Duplicate {
        /// The name.
        name: ToolName,
    },
}

impl LiveTools {
    /// The list of a run. Names are looked up in the executor's registry, under its
    /// permissions.
    #[must_use]
    pub fn new(source: ToolExecutor) -> Self {
        Self { source, shown: Mutex::default() }
    }

    /// The tools, in order.
    #[must_use]
    pub fn tools(&self) -> Vec<Arc<RegisteredTool>> {
        self.lock().tools.values().cloned().collect()
    }

    /// Their names, in order.
    #[must_use]
    pub fn names(&self) -> Vec<ToolName> {
        self.lock().tools.keys().cloned().collect()
    }

    /// Counts the changes, so that others can tell whether there were any.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.lock().revision
    }

    /// The tool of that name among those that could be shown: in the registry, and
    /// permitted.
    ///
    /// # Errors
    /// [`ExposureError::Unknown`].
    pub fn find(&self, name: &str) -> Result<Arc<RegisteredTool>, ExposureError> {
        let found = self.source.registry().get(name);
        found.filter(|tool| self.source.check_permissions(tool).is_ok()).ok_or_else(|| {
            let permitted = self.source.permitted_tools();
            let names = permitted.iter().map(|tool| tool.name().as_str());
            let nearest = nearest(name, names).map(str::to_owned);
            ExposureError::Unknown { name: name.to_owned(), nearest }
        })
    }

    /// Adds tools of the registry by name, all or none. Those that are shown stay.
    ///
    /// # Errors
    /// [`ExposureError`]; then nothing was added.
    pub fn add_names<N: AsRef<str>>(&self, names: &[N]) -> Result<(), ExposureError> {
        let found: Result<_, _> = names.iter().map(|name| self.find(name.as_ref())).collect();
        self.add_registered(found?)
    }

    /// Adds tools of the embedding program (origin `native`), all or none. A tool that
    /// is shown, the very same object, is left where it is.
    ///
    /// # Errors
    /// [`ExposureError::Duplicate`]; then nothing was added.
    pub fn add(&self, tools: Vec<Arc<dyn Tool>>) -> Result<(), ExposureError> {
        let native = |tool| Arc::new(RegisteredTool::new(tool, Origin::Native));
        self.add_registered(tools.into_iter().map(native).collect())
    }

    /// Adds tools that a loader stamped, all or none.
    ///
    /// # Errors
    /// [`ExposureError::Duplicate`]; then nothing was added.
    pub fn add_registered(&self, batch: Vec<Arc<RegisteredTool>>) -> Result<(), ExposureError> {
        let mut shown = self.lock();
        let mut tools = shown.tools.clone();
        for tool in batch {
            match tools.get(tool.name()) {
                Some(held) if same(held, &tool) => {}
                Some(_) => return Err(ExposureError::Duplicate { name: tool.name().clone() }),
                None => drop(tools.insert(tool.name().clone(), tool)),
            }
        }
        if tools.len() != shown.tools.len() {
            *shown = Shown { tools, revision: shown.revision + 1 };
        }
        Ok(())
    }

    /// Removes tools by name. Names that are not shown are ignored.
    pub fn remove<N: AsRef<str>>(&self, names: &[N]) {
        let mut shown = self.lock();
        for name in names {
            if shown.tools.shift_remove(name.as_ref()).is_some() {
                shown.revision += 1;
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The same object, not an equal one: two closures with one name are two tools.
fn same(a: &Arc<RegisteredTool>, b: &Arc<RegisteredTool>) -> bool {
    Arc::ptr_eq(a, b) || std::ptr::addr_eq(Arc::as_ptr(&a.tool), Arc::as_ptr(&b.tool))
}

impl std::fmt::Debug for LiveTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}
