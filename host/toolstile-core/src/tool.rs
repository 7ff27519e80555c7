//! What a tool is to the gates.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::arguments::Arguments;
use crate::assessment::Assessment;
use crate::confirm::ConfirmRule;
use crate::context::CallContext;
use crate::name::ToolName;
use crate::response::ToolResponse;
use crate::schema::{ToolSchema, Violation};

/// A tool: something with a definition that answers calls.
///
/// A tool sees only calls that passed every gate. It has no say in its origin,
/// its fingerprint or the permissions.
#[async_trait]
pub trait Tool: Send + Sync + fmt::Debug {
    /// What the model is shown and what drives the gates. Read once, when the tool
    /// is registered.
    fn definition(&self) -> ToolDefinition;

    /// The definition as it came, an object with every field, before anything was
    /// cleaned or cut: what the fingerprint covers. Only who cleans has one of its own.
    fn declaration(&self) -> Value {
        self.definition().to_value()
    }

    /// SHA-256 of the code behind the tool, in hexadecimal digits, where the tool
    /// is code that can change without its definition changing.
    fn content_digest(&self) -> Option<String> {
        None
    }

    /// The capabilities that the tool asks for, and those that it was granted.
    fn capabilities(&self) -> CapabilityUse {
        CapabilityUse::default()
    }

    /// Looks at arguments that are valid against the input schema, before anybody is
    /// asked and before anything of the tool runs: whether what they name lies inside
    /// what the tool was granted. Must be quick and change nothing.
    ///
    /// # Errors
    /// The arguments that do not, each saying what would.
    fn assess(&self, _arguments: &Arguments) -> Result<Assessment, Vec<Violation>> {
        Ok(Assessment::default())
    }

    /// Runs a call whose arguments are valid against the input schema.
    ///
    /// # Errors
    /// [`ToolError`] when the tool did not answer at all. A failure that the tool
    /// itself reports is an answer with [`Status::Error`](crate::Status::Error).
    async fn call(
        &self,
        arguments: &Arguments,
        context: &CallContext,
    ) -> Result<ToolResponse, ToolError>;
}

/// What the model is shown of a tool, and what drives the gates.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    /// The name that calls use.
    pub name: ToolName,
    /// A name for people.
    pub title: Option<String>,
    /// What the tool does and when to use it.
    pub description: String,
    /// The schema of the arguments.
    pub input_schema: ToolSchema,
    /// The schema of the response's data.
    pub output_schema: Option<ToolSchema>,
    /// What the tool says about its behaviour.
    pub traits: ToolTraits,
    /// Which calls need a person's confirmation.
    pub confirm: ConfirmRule,
}

impl ToolDefinition {
    /// A definition with the least: no title, no output schema, no traits, no
    /// confirmation.
    #[must_use]
    pub fn new(name: ToolName, description: impl Into<String>, input_schema: ToolSchema) -> Self {
        Self {
            name,
            title: None,
            description: description.into(),
            input_schema,
            output_schema: None,
            traits: ToolTraits::default(),
            confirm: ConfirmRule::Never,
        }
    }

    /// The definition as JSON, every field, as it is fingerprinted.
    #[must_use]
    pub fn to_value(&self) -> Value {
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "input_schema": self.input_schema.as_value(),
            "output_schema": self.output_schema.as_ref().map(ToolSchema::as_value),
            "traits": self.traits.names(),
            "confirm": self.confirm.to_value(),
        })
    }
}

/// What a tool says about its behaviour. Each is taken as a request for more
/// care, never for less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolTraits {
    /// The result carries text that strangers may have written.
    pub external_content: bool,
    /// Calls may run at the same time as others of the same batch.
    pub supports_parallel: bool,
    /// The tool changes nothing.
    pub read_only: bool,
    /// The tool may delete or overwrite.
    pub destructive: bool,
    /// A second call with the same arguments changes nothing more.
    pub idempotent: bool,
    /// The tool reaches beyond the machine.
    pub open_world: bool,
}

impl ToolTraits {
    /// The names of those that are set, in alphabetical order.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        let all = [
            ("destructive", self.destructive),
            ("external_content", self.external_content),
            ("idempotent", self.idempotent),
            ("open_world", self.open_world),
            ("read_only", self.read_only),
            ("supports_parallel", self.supports_parallel),
        ];
        all.iter().filter(|(_, set)| *set).map(|(name, _)| *name).collect()
    }
}

/// The capabilities of a tool, by name and sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct CapabilityUse {
    /// What the tool declares that it uses.
    pub asked: Vec<String>,
    /// What the operator granted of it.
    pub granted: Vec<String>,
}

/// Why a tool gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}: {detail}")]
pub struct ToolError {
    /// What happened, for the model and for programs.
    pub kind: FailureKind,
    /// All that is known, for the operator; never shown to the model.
    pub detail: String,
}

impl ToolError {
    /// A failure with its detail.
    #[must_use]
    pub fn new(kind: FailureKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }
}

/// The closed set of ways in which a tool can fail to answer. Its text is what the
/// model reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FailureKind {
    /// It did not finish in time.
    #[error("it did not finish within {}", Seconds(*.0))]
    Deadline(Duration),
    /// It wanted more memory or tables than its limit.
    #[error("it ran out of the memory that it may use")]
    Memory,
    /// It recursed too deep.
    #[error("it recursed too deep")]
    Stack,
    /// It moved more data between itself and the host than its limit.
    #[error("it exceeded the amount of data that it may exchange with the host")]
    HostData,
    /// It crashed.
    #[error("it crashed")]
    Crash,
    /// It ended its process, or tried to.
    #[error("it exited instead of answering")]
    Exit,
    /// It answered something that is not an answer, or called the host in a way that
    /// is no call.
    #[error("it broke the contract between tools and host")]
    Contract,
    /// Too many calls to it are waiting.
    #[error("too many calls to it are in progress; try again later")]
    Busy,
    /// The host itself failed.
    #[error("the host could not run it")]
    Host,
}

impl FailureKind {
    /// A short word for programs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deadline(_) => "deadline",
            Self::Memory => "memory",
            Self::Stack => "stack",
            Self::HostData => "host_data",
            Self::Crash => "crash",
            Self::Exit => "exit",
            Self::Contract => "contract",
            Self::Busy => "busy",
            Self::Host => "host",
        }
    }
}

struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_millis() {
            ms if ms % 1000 == 0 => write!(f, "{} s", ms / 1000),
            ms => write!(f, "{ms} ms"),
        }
    }
}
