//! A tool of a server, as the gates know it.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use toolstile_core::{Arguments, CallContext, Tool, ToolDefinition, ToolError, ToolResponse};

use super::call::call;
use super::listing::Taken;
use super::supervisor::Shared;

/// A tool of an MCP server. It reaches the server over whatever connection there is, as
/// long as the server still lists it as it was.
#[derive(Clone, Debug)]
pub struct McpTool {
    pub(crate) taken: Taken,
    pub(crate) shared: Arc<Shared>,
}

#[async_trait]
impl Tool for McpTool {
    fn definition(&self) -> ToolDefinition {
        self.taken.definition.clone()
    }

    fn declaration(&self) -> Value {
        self.taken.declaration.clone()
    }

    async fn call(
        &self,
        arguments: &Arguments,
        context: &CallContext,
    ) -> Result<ToolResponse, ToolError> {
        let (name, server) = (&self.taken.definition.name, &self.shared.server);
        let link = match self.shared.link().await {
            Ok(link) => link,
            Err(reason) => {
                let namespace = &server.namespace;
                let text = format!("the server `{namespace}` of `{name}` is not there: {reason}");
                return Ok(ToolResponse::error(text));
            }
        };
        if link.tools.get(&self.taken.remote) != Some(&self.taken.declaration) {
            let text = format!("the server no longer has `{name}` as it was; it was not called");
            return Ok(ToolResponse::error(text));
        }
        let what = (self.taken.remote.as_str(), arguments.as_value());
        call(&link, &self.shared, what, context).await
    }
}
