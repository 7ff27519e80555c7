//! What happens to a tool call before, around and after the tool itself.
//!
//! This crate is the vocabulary of toolstile and its gates: names, schemas,
//! permissions, confirmation, the registry and the executor. It knows nothing of
//! WebAssembly, files, sockets, processes or models: a [`Tool`] is a trait, and
//! whoever loads tools says where they came from ([`Origin`]).
//!
//! Start reading at [`ToolExecutor::execute`]: one call, from top to bottom.

mod arguments;
mod assessment;
mod audit;
mod builder;
mod call;
mod caller;
mod confirm;
mod context;
mod escape;
mod executor;
mod explain;
mod fingerprint;
mod function;
mod guard;
mod journal;
mod live_tools;
mod middleware;
mod name;
mod origin;
mod parameter;
mod permissions;
mod prompt;
mod recorder;
mod redact;
mod redactor;
mod refusal;
mod registry;
mod render;
mod repair;
mod resource;
mod response;
mod schema;
mod schema_cost;
mod schema_formats;
mod strict_json;
mod suggest;
mod tool;

pub use arguments::{Arguments, ArgumentsError, ArgumentsText};
pub use assessment::{Assessment, Finding};
pub use audit::{ArgumentDetail, AuditRecord, AuditSink, GateDecision, MemorySink, Verdict};
pub use builder::ToolExecutorBuilder;
pub use call::{Call, Completion, Stop};
pub use caller::{Answer, AskError, Caller, Level, Offered, Progress, Question, Root};
pub use confirm::{Confirm, ConfirmRequest, ConfirmRule, Decision, DenyAll};
pub use context::{CallContext, NotInRun, RunScope};
pub use escape::escape_invisible;
pub use executor::ToolExecutor;
pub use explain::{Explanation, Forecast, Outlook};
pub use fingerprint::{Fingerprint, Pin, PinMismatch, sha256_hex};
pub use function::{FunctionError, FunctionTool};
pub use guard::ResultGuard;
pub use journal::Journal;
pub use live_tools::{ExposureError, LiveTools};
pub use middleware::{Invocation, Middleware, Next};
pub use name::{NameError, NamingError, ToolName, namespaced};
pub use origin::{IdentityError, Namespace, Origin, PluginId};
pub use parameter::{ParameterType, ToolParameter, object_schema};
pub use permissions::{PermissionDenial, ToolPermissions};
pub use prompt::{
    CompletionOf, Prompt, PromptArgument, PromptContent, PromptDefinition, PromptMessage,
    PromptRole, Prompts,
};
pub use redactor::{Redactor, SecretTooShort};
pub use refusal::{Gate, Refusal};
pub use registry::{OnConflict, RegisteredTool, RegistryError, ToolRegistry};
pub use render::{SchemaShape, catalog, descriptions, function_schemas};
pub use resource::{
    OfferError, Resource, ResourceBody, ResourceContent, ResourceTemplate, Resources,
};
pub use response::{Attachment, IntoToolResponse, Json, Status, ToolResponse};
pub use schema::{SchemaError, ToolSchema, Violation};
pub use schema_formats::FormattedText;
pub use strict_json::{JsonError, JsonLimits, canonical_json, parse_json};
pub use suggest::nearest;
pub use tool::{CapabilityUse, FailureKind, Tool, ToolDefinition, ToolError, ToolTraits};
