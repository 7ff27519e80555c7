//! A tool from a definition and a closure, for the examples and tests of this crate.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use serde_json::Value;
use toolstile_core::{
    Arguments, CallContext, Origin, RegisteredTool, Tool, ToolDefinition, ToolError, ToolName,
    ToolResponse, ToolSchema,
};

type Run = dyn Fn(Value, CallContext) -> BoxFuture<'static, ToolResponse> + Send + Sync;

/// A tool that is compiled in.
pub(crate) struct Native {
    pub(crate) definition: ToolDefinition,
    run: Arc<Run>,
}

impl Native {
    /// A tool whose arguments follow a schema. Names and schemas are constants: what is
    /// wrong with one shows at the first start.
    pub(crate) fn new(
        name: &str,
        description: &str,
        input_schema: Value,
        run: impl Fn(Value, CallContext) -> BoxFuture<'static, ToolResponse> + Send + Sync + 'static,
    ) -> Self {
        let name = ToolName::parse(name).expect("a tool name");
        let schema = ToolSchema::compile(input_schema).expect("a schema");
        Self { definition: ToolDefinition::new(name, description, schema), run: Arc::new(run) }
    }

    /// As the registry wants it.
    pub(crate) fn registered(self) -> RegisteredTool {
        RegisteredTool::new(Arc::new(self), Origin::Native)
    }
}

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Native").field("definition", &self.definition).finish_non_exhaustive()
    }
}

#[async_trait]
impl Tool for Native {
    fn definition(&self) -> ToolDefinition {
        self.definition.clone()
    }

    async fn call(
        &self,
        arguments: &Arguments,
        context: &CallContext,
    ) -> Result<ToolResponse, ToolError> {
        Ok((self.run)(arguments.as_value().clone(), context.clone()).await)
    }
}
