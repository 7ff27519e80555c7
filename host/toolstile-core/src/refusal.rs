//! Why a call did not run. The text of a [`Refusal`] is what the model reads: it
//! says what was wrong and what would be right, and nothing about the host.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::arguments::ArgumentsError;
use crate::permissions::PermissionDenial;
use crate::schema::Violation;

/// The gates, in the order in which a call passes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gate {
    /// Is there such a tool?
    Registry,
    /// May it be called?
    Permissions,
    /// Are the arguments valid?
    Schema,
    /// What does the embedding program say?
    Middleware,
    /// Has a person approved it, where that is needed?
    Confirm,
    /// What may it use?
    Capabilities,
}

impl Gate {
    /// The gate's name, in lower case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Registry => "registry",
            Self::Permissions => "permissions",
            Self::Schema => "schema",
            Self::Middleware => "middleware",
            Self::Confirm => "confirm",
            Self::Capabilities => "capabilities",
        }
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Gate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Why a call did not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no tool of that name, or none that this caller may see.
    #[error("there is no tool `{}`{}", shown(.name), instead(.nearest.as_deref(), .known))]
    UnknownTool {
        /// The name that was asked for.
        name: String,
        /// The permitted name nearest to it, when one is near.
        nearest: Option<String>,
        /// Permitted names, at most 20.
        known: Vec<String>,
    },
    /// The permissions refuse the tool.
    #[error("the tool `{}` is not permitted: {reason}", shown(.name))]
    NotPermitted {
        /// The name that was asked for.
        name: String,
        /// The rule that refused it.
        reason: PermissionDenial,
    },
    /// The arguments are not an acceptable JSON object.
    #[error("the arguments of `{tool}` were not accepted: {reason}")]
    MalformedArguments {
        /// The tool.
        tool: String,
        /// What is wrong.
        reason: ArgumentsError,
    },
    /// The arguments break the tool's schema.
    #[error("the arguments of `{tool}` are not valid: {}", joined(.violations))]
    InvalidArguments {
        /// The tool.
        tool: String,
        /// Every violation, sorted by path.
        violations: Vec<Violation>,
    },
    /// A middleware refused the call.
    #[error("the call of `{tool}` was rejected: {reason}")]
    Rejected {
        /// The tool.
        tool: String,
        /// Why, in the middleware's words.
        reason: String,
    },
    /// The call needs a confirmation and did not get it.
    #[error("the call of `{tool}` needs a person's confirmation and did not get it{}", because(.reason))]
    NotConfirmed {
        /// The tool.
        tool: String,
        /// Why, in the words of whoever decided.
        reason: Option<String>,
    },
    /// The call needs a confirmation that somebody will be asked for later.
    #[error("the call of `{tool}` waits for a person's confirmation")]
    Deferred {
        /// The tool.
        tool: String,
        /// What the approval must be bound to.
        digest: String,
    },
}

impl Refusal {
    /// The gate that refused.
    #[must_use]
    pub fn gate(&self) -> Gate {
        match self {
            Self::UnknownTool { .. } => Gate::Registry,
            Self::NotPermitted { .. } => Gate::Permissions,
            Self::MalformedArguments { .. } | Self::InvalidArguments { .. } => Gate::Schema,
            Self::Rejected { .. } => Gate::Middleware,
            Self::NotConfirmed { .. } | Self::Deferred { .. } => Gate::Confirm,
        }
    }

    /// A short word for programs.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::UnknownTool { .. } => "unknown_tool",
            Self::NotPermitted { reason, .. } => reason.kind(),
            Self::MalformedArguments { .. } => "malformed_arguments",
            Self::InvalidArguments { .. } => "invalid_arguments",
            Self::Rejected { .. } => "rejected",
            Self::NotConfirmed { .. } => "not_confirmed",
            Self::Deferred { .. } => "deferred",
        }
    }
}

/// A name that a model made up, fit to be shown: bounded, nothing invisible.
fn shown(name: &str) -> String {
    let start: String = name.chars().take(80).collect();
    let dots = if start.len() < name.len() { "…" } else { "" };
    format!("{}{dots}", start.escape_debug())
}

fn joined(violations: &[Violation]) -> String {
    violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn because(reason: &Option<String>) -> String {
    reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default()
}

fn instead(nearest: Option<&str>, known: &[String]) -> String {
    match (nearest, known) {
        (Some(nearest), _) => format!("; did you mean `{nearest}`?"),
        (None, []) => "; no tools are available".to_owned(),
        (None, known) => format!("; available: {}", known.join(", ")),
    }
}
