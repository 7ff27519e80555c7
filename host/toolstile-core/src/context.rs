//! What surrounds a call: who asked, and the run of an agent that it belongs to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::caller::{Answer, AskError, Caller, Level, Offered, Progress, Question};
use crate::live_tools::LiveTools;

/// What a tool and the middlewares can reach beside the arguments. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct CallContext {
    call_id: Option<Arc<str>>,
    run: Option<Arc<RunScope>>,
    caller: Option<Arc<dyn Caller>>,
}

/// A run of an agent, as its calls see it: the tools that the model is shown, and
/// whether the run should go on.
#[derive(Debug)]
pub struct RunScope {
    tools: LiveTools,
    ended: AtomicBool,
}

/// There is no run: the call was made directly, not by an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this works inside an agent's run only, and the call was not made in one")]
pub struct NotInRun;

impl CallContext {
    /// What surrounds something that is no call of a tool, where somebody listens.
    #[must_use]
    pub fn of_caller(caller: Arc<dyn Caller>) -> Self {
        Self { caller: Some(caller), ..Self::default() }
    }

    pub(crate) fn new(
        call_id: Option<&str>,
        run: Option<&Arc<RunScope>>,
        caller: Option<&Arc<dyn Caller>>,
    ) -> Self {
        Self { call_id: call_id.map(Arc::from), run: run.cloned(), caller: caller.cloned() }
    }

    /// The caller's identifier of the call.
    #[must_use]
    pub fn call_id(&self) -> Option<&str> {
        self.call_id.as_deref()
    }

    /// The tools that the model of this run is shown. What is added or removed counts
    /// from the model's next turn on.
    ///
    /// # Errors
    /// [`NotInRun`].
    pub fn tools(&self) -> Result<&LiveTools, NotInRun> {
        self.run.as_deref().map(RunScope::tools).ok_or(NotInRun)
    }

    /// Tells whoever called how far the call has come, where somebody listens.
    pub fn report(&self, progress: &Progress) {
        if let Some(caller) = &self.caller {
            caller.progress(progress);
        }
    }

    /// Passes a line of the tool's log on to whoever called, where somebody listens.
    pub fn log(&self, level: Level, line: &str) {
        if let Some(caller) = &self.caller {
            caller.log(level, line);
        }
    }

    /// What whoever called can be asked.
    #[must_use]
    pub fn offered(&self) -> Offered {
        self.caller.as_ref().map_or_else(Offered::default, |caller| caller.offered())
    }

    /// Asks whoever called; see [`Caller::ask`].
    ///
    /// # Errors
    /// [`AskError`], where nobody listens [`AskError::NotOffered`].
    pub async fn ask(
        &self,
        questions: Vec<(String, Question)>,
    ) -> Result<Vec<(String, Answer)>, AskError> {
        match &self.caller {
            Some(caller) => caller.ask(questions).await,
            None => Err(AskError::NotOffered),
        }
    }

    /// Ends the run after this batch of calls, without another turn of the model. The
    /// call's own answer stands.
    ///
    /// # Errors
    /// [`NotInRun`].
    pub fn end_run(&self) -> Result<(), NotInRun> {
        self.run.as_deref().map(RunScope::end).ok_or(NotInRun)
    }
}

impl RunScope {
    /// A run that begins with these tools.
    #[must_use]
    pub fn new(tools: LiveTools) -> Self {
        Self { tools, ended: AtomicBool::new(false) }
    }

    /// The tools that the model is shown.
    #[must_use]
    pub fn tools(&self) -> &LiveTools {
        &self.tools
    }

    fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Whether a call asked for the run to end.
    #[must_use]
    pub fn ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }
}
