//! Being told of a call right before its tool runs.

use async_trait::async_trait;

use crate::arguments::Arguments;
use crate::call::Stop;
use crate::context::CallContext;
use crate::registry::RegisteredTool;

/// Told of every call after its last gate, before the first line of the tool. What
/// must be known after a crash is written down here.
#[async_trait]
pub trait Journal: Send + Sync {
    /// Notes that the call starts now.
    ///
    /// # Errors
    /// Why the tool must not run after all.
    async fn starting(
        &self,
        tool: &RegisteredTool,
        arguments: &Arguments,
        context: &CallContext,
    ) -> Result<(), Stop>;
}
