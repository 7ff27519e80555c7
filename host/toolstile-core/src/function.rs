//! Rust functions and closures as tools.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;

use crate::arguments::Arguments;
use crate::confirm::ConfirmRule;
use crate::context::CallContext;
use crate::name::{NameError, ToolName};
use crate::response::{IntoToolResponse, ToolResponse};
use crate::schema::{SchemaError, ToolSchema};
use crate::tool::{FailureKind, Tool, ToolDefinition, ToolError, ToolTraits};

type Handler = dyn Fn(Arguments, CallContext) -> BoxFuture<'static, Result<ToolResponse, ToolError>>
    + Send
    + Sync;

/// A Rust function as a tool. Its argument is one type that derives
/// `serde::Deserialize` and `schemars::JsonSchema`; the schema comes from the type,
/// the descriptions of the parameters from its doc comments.
#[derive(Clone)]
pub struct FunctionTool {
    definition: ToolDefinition,
    handler: Arc<Handler>,
}

/// Why a function is not a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FunctionError {
    /// The name is not a tool name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The argument type does not describe an object, or its schema is refused.
    #[error("the schema of the arguments of `{tool}` is refused")]
    Schema {
        /// The tool.
        tool: ToolName,
        /// Why.
        source: SchemaError,
    },
}

impl FunctionTool {
    /// An async function as a tool. A closure that captures something has to hand a
    /// copy of it to each call: `move |args| { let x = x.clone(); async move { … } }`.
    ///
    /// # Errors
    /// [`FunctionError`] for a bad name or an argument type that is no object.
    pub fn new<A, F, Fut, R>(
        name: &str,
        description: &str,
        function: F,
    ) -> Result<Self, FunctionError>
    where
        A: DeserializeOwned + JsonSchema,
        F: Fn(A) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoToolResponse,
    {
        Self::with_context(name, description, move |arguments, _| function(arguments))
    }

    /// As [`FunctionTool::new`], for a function that takes the context of the call too:
    /// one that shows other tools to the model, or ends the run.
    ///
    /// # Errors
    /// As [`FunctionTool::new`].
    pub fn with_context<A, F, Fut, R>(
        name: &str,
        description: &str,
        function: F,
    ) -> Result<Self, FunctionError>
    where
        A: DeserializeOwned + JsonSchema,
        F: Fn(A, CallContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoToolResponse,
    {
        Self::with_handler::<A>(name, description, move |arguments, context| {
            let called = decode(arguments).map(|arguments| function(arguments, context));
            Box::pin(async move {
                match called {
                    Ok(answer) => Ok(answer.await.into_tool_response()),
                    Err(undecodable) => Ok(ToolResponse::error(undecodable)),
                }
            })
        })
    }

    /// A function that computes or blocks, as a tool: it runs on a thread where
    /// that disturbs nobody.
    ///
    /// # Errors
    /// As [`FunctionTool::new`].
    pub fn blocking<A, F, R>(
        name: &str,
        description: &str,
        function: F,
    ) -> Result<Self, FunctionError>
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(A) -> R + Send + Sync + 'static,
        R: IntoToolResponse,
    {
        let function = Arc::new(function);
        Self::with_handler::<A>(name, description, move |arguments, _| {
            let function = Arc::clone(&function);
            Box::pin(async move {
                let run = move || match decode(arguments) {
                    Ok(arguments) => function(arguments).into_tool_response(),
                    Err(undecodable) => ToolResponse::error(undecodable),
                };
                let joined = tokio::task::spawn_blocking(run).await;
                joined.map_err(|error| ToolError::new(FailureKind::Crash, error.to_string()))
            })
        })
    }

    fn with_handler<A: JsonSchema>(
        name: &str,
        description: &str,
        handler: impl Fn(Arguments, CallContext) -> BoxFuture<'static, Result<ToolResponse, ToolError>>
        + Send
        + Sync
        + 'static,
    ) -> Result<Self, FunctionError> {
        let name = ToolName::parse(name)?;
        let schema = ToolSchema::compile(schema_of::<A>())
            .map_err(|source| FunctionError::Schema { tool: name.clone(), source })?;
        let definition = ToolDefinition::new(name, description, schema);
        Ok(Self { definition, handler: Arc::new(handler) })
    }

    /// The same tool with traits.
    #[must_use]
    pub fn with_traits(mut self, traits: ToolTraits) -> Self {
        self.definition.traits = traits;
        self
    }

    /// The same tool with a rule on which calls need confirmation.
    #[must_use]
    pub fn with_confirm(mut self, confirm: ConfirmRule) -> Self {
        self.definition.confirm = confirm;
        self
    }
}

/// The argument's schema (2020-12) without the noise that a model does not need.
fn schema_of<A: JsonSchema>() -> serde_json::Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None);
    let mut schema = settings.into_generator().into_root_schema_for::<A>();
    schema.remove("title");
    schema.to_value()
}

/// The schema passed the arguments, so this fails only where a type accepts less
/// than its schema says; the model can still correct it.
fn decode<A: DeserializeOwned>(arguments: Arguments) -> Result<A, String> {
    serde_json::from_value(arguments.into_object().into())
        .map_err(|error| format!("the arguments do not fit: {error}"))
}

#[async_trait]
impl Tool for FunctionTool {
    fn definition(&self) -> ToolDefinition {
        self.definition.clone()
    }

    async fn call(
        &self,
        arguments: &Arguments,
        context: &CallContext,
    ) -> Result<ToolResponse, ToolError> {
        (self.handler)(arguments.clone(), context.clone()).await
    }
}

impl fmt::Debug for FunctionTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FunctionTool").field("definition", &self.definition).finish_non_exhaustive()
    }
}
