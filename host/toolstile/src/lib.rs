#![doc = include_str!("../README.md")]

mod audit_log;
mod config;
mod config_file;
mod host;
mod inspect;
mod loader;

pub use audit_log::{AuditLog, AuditTarget};
pub use config::{
    AuditConfig, ConfirmPolicy, HostConfig, PermissionsConfig, PluginSettings, PluginsConfig,
    RuntimeSettings,
};
pub use config_file::{CONFIG_FILE, ConfigError, TEMPLATE};
pub use host::{Host, HostBuilder, HostError};
pub use inspect::{InspectError, Inspection, inspect, inspect_runtime};
pub use loader::{LoadedPlugin, Quarantined};

pub use toolstile_core::{
    ArgumentDetail, Arguments, Attachment, AuditRecord, AuditSink, Call, Completion, Confirm,
    ConfirmRequest, ConfirmRule, Decision, DenyAll, FailureKind, Fingerprint, FunctionError,
    FunctionTool, Gate, GateDecision, IntoToolResponse, Invocation, Json, JsonLimits, MemorySink,
    Middleware, Next, OnConflict, Origin, ParameterType, Pin, Refusal, RegisteredTool,
    RegistryError, ResultGuard, SchemaError, SchemaShape, Status, Stop, Tool, ToolDefinition,
    ToolError, ToolName, ToolParameter, ToolPermissions, ToolResponse, ToolSchema, ToolTraits,
    Verdict, Violation, escape_invisible, object_schema,
};
pub use toolstile_wasm::{Allocator, Capability, Import, PluginLimits, RuntimeReport};

/// The whole vocabulary of the gates, for those who need more than is named here.
pub use toolstile_core as core;
