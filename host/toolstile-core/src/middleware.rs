//! Functions of the embedding program around every call.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::FutureExt as _;

use crate::arguments::Arguments;
use crate::call::Stop;
use crate::context::CallContext;
use crate::executor::Protected;
use crate::refusal::Refusal;
use crate::registry::RegisteredTool;
use crate::response::ToolResponse;

/// A call on its way to its tool, after permissions and schema passed it.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The caller's identifier of the call, and the run that it belongs to.
    pub context: CallContext,
    /// The tool.
    pub tool: Arc<RegisteredTool>,
    /// The arguments. A middleware may replace them: they are validated again, and
    /// a person confirms them as replaced.
    pub arguments: Arguments,
}

/// Wraps every call. Implementations may look, replace arguments, answer without
/// calling (by not running `next`) or change the answer. Beyond that there are three
/// different ways to say no: refuse the call and let the model go on
/// ([`Invocation::reject`]), answer and end the run ([`CallContext::end_run`]), and
/// abort the run with an error ([`Stop::Aborted`]).
#[async_trait]
pub trait Middleware: Send + Sync {
    /// The name for the audit log.
    fn name(&self) -> &str;

    /// Handles one call; `next.run(invocation)` goes on to the tool.
    ///
    /// # Errors
    /// [`Stop`]; build one with [`Invocation::reject`], or pass on what `next` gave.
    async fn handle(&self, invocation: Invocation, next: Next<'_>) -> Result<ToolResponse, Stop>;
}

impl Invocation {
    /// Refuses the call, with a reason that the model reads.
    #[must_use]
    pub fn reject(&self, reason: impl Into<String>) -> Stop {
        let tool = self.tool.name().to_string();
        Stop::Refused(Refusal::Rejected { tool, reason: reason.into() })
    }
}

/// The rest of a call: the middlewares that are left, then the remaining gates and
/// the tool.
#[derive(Clone, Copy)]
pub struct Next<'a> {
    pub(crate) chain: &'a [Arc<dyn Middleware>],
    pub(crate) last: &'a Protected<'a>,
}

impl std::fmt::Debug for Next<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Next").field("middlewares_left", &self.chain.len()).finish()
    }
}

impl Next<'_> {
    /// Goes on. A middleware that panics refuses the call.
    ///
    /// # Errors
    /// [`Stop`] when a gate refused or the tool failed.
    pub async fn run(self, invocation: Invocation) -> Result<ToolResponse, Stop> {
        let Some((first, rest)) = self.chain.split_first() else {
            return self.last.run(invocation).await;
        };
        let rejected = invocation.reject("a middleware failed");
        let handled = first.handle(invocation, Next { chain: rest, last: self.last });
        AssertUnwindSafe(handled).catch_unwind().await.unwrap_or(Err(rejected))
    }
}
