#![doc = include_str!("../README.md")]

mod audit_log;
mod config;
mod config_agent;
mod config_file;
mod config_grants;
mod doctor;
mod grants;
mod host;
mod inspect;
mod loader;
mod lock;
mod lock_diff;
mod offers;
mod policy;
mod secrets;
mod servers;
mod texts;
mod watch;

pub use audit_log::{AuditLog, AuditTarget};
pub use config::{
    AuditConfig, ConfirmPolicy, HostConfig, PermissionsConfig, PluginSettings, PluginsConfig,
    RuntimeSettings,
};
pub use config_agent::{AgentConfig, AgentLimits, ModelConfig, TelemetryConfig};
pub use config_file::{CONFIG_FILE, ConfigError, TEMPLATE};
pub use config_grants::{
    ClientGrant, ExposureGrant, GrantsConfig, HttpCredential, HttpGrant, HttpTarget,
    HttpTargetMethods, NotesAccess, NotesGrant, SecretSource, SecretsConfig, ShellGrant,
    TextsConfig,
};
pub use doctor::{Check, Health, doctor};
pub use host::{Host, HostBuilder, HostError};
pub use inspect::{InspectError, Inspection, inspect, inspect_runtime};
pub use loader::{LoadedPlugin, PluginChange, Quarantined};
pub use lock::{LOCK_FILE, Lock, LockError, LockedPlugin, LockedServer, LockedTool};
pub use lock_diff::Difference;
pub use policy::{PolicyProblem, check_policy};
pub use servers::ServerReport;
pub use toolstile_mcp::client::McpServerConfig;
pub use toolstile_shell::sandbox_support;
pub use watch::{PluginWatch, WatchError};

pub use toolstile_core::{
    ArgumentDetail, Arguments, Attachment, AuditRecord, AuditSink, Call, CallContext, Completion,
    Confirm, ConfirmRequest, ConfirmRule, Decision, DenyAll, Explanation, FailureKind, Finding,
    Fingerprint, Forecast, FunctionError, FunctionTool, Gate, GateDecision, IntoToolResponse,
    Invocation, Json, JsonLimits, MemorySink, Middleware, Next, OnConflict, Origin, Outlook,
    ParameterType, Pin, Refusal, RegisteredTool, RegistryError, ResultGuard, SchemaError,
    SchemaShape, Status, Stop, Tool, ToolDefinition, ToolError, ToolName, ToolParameter,
    ToolPermissions, ToolResponse, ToolSchema, ToolTraits, Verdict, Violation, escape_invisible,
    object_schema,
};
pub use toolstile_wasm::{Allocator, Capability, Import, PluginLimits, RuntimeReport};

/// Agents: models that call tools through the gates. [`Host::agent`] builds one.
pub use toolstile_agent as agent;
/// The whole vocabulary of the gates, for those who need more than is named here.
pub use toolstile_core as core;
/// The Model Context Protocol: servers whose tools a host uses, and serving those of a host.
pub use toolstile_mcp as mcp;
