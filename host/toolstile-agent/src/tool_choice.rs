//! Whether a model may, must or must not call tools, and which.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolstile_core::{NameError, ToolName};

/// What a run asks of its model about tools. The host enforces it, whatever the model
/// does: see [`ToolMode`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolChoice {
    /// Whether tools are called.
    pub mode: ToolMode,
    /// The only tools that the run is shown; `None` sets no bound.
    pub allowed_tools: Option<Vec<ToolName>>,
}

/// Whether tools are called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolMode {
    /// The model decides.
    #[default]
    Auto,
    /// No call runs; the model answers in text.
    None,
    /// The model has to call some tool, or this one, before it answers; no other call
    /// runs until then. After the first round of calls the model decides.
    Required(Option<ToolName>),
}

/// Why a tool choice is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolChoiceError {
    /// No known mode.
    #[error("the tool choice {0} is not known; use `auto`, `none` or `required`")]
    UnknownMode(String),
    /// An object without `mode`.
    #[error("a tool choice that is an object needs `mode`")]
    ModeMissing,
    /// A name makes sense with `required` only.
    #[error("`required_function_name` goes with the mode `required` only")]
    NameWithoutRequired,
    /// No list of names.
    #[error("`allowed_tools` must be a list of tool names, and goes with `auto` and `required`")]
    AllowedTools,
    /// No tool can have that name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The run shows no tool of that name.
    #[error("the tool choice names `{0}`, and no such tool is shown and permitted")]
    NotShown(ToolName),
    /// No tool is shown at all.
    #[error("the tool choice requires a call, and no tool is shown and permitted")]
    NothingShown,
}

impl ToolChoice {
    /// The model decides.
    #[must_use]
    pub fn auto() -> Self {
        Self::default()
    }

    /// No call runs.
    #[must_use]
    pub fn none() -> Self {
        Self { mode: ToolMode::None, allowed_tools: None }
    }

    /// Some tool has to be called first.
    #[must_use]
    pub fn required() -> Self {
        Self { mode: ToolMode::Required(None), allowed_tools: None }
    }

    /// This tool has to be called first.
    #[must_use]
    pub fn required_tool(name: ToolName) -> Self {
        Self { mode: ToolMode::Required(Some(name)), allowed_tools: None }
    }

    /// Reads the form in which other systems write it: `null`, `"auto"`, `"none"`,
    /// `"required"`, or `{"mode", "required_function_name"?, "allowed_tools"?}`.
    ///
    /// # Errors
    /// [`ToolChoiceError`].
    pub fn parse(value: &Value) -> Result<Self, ToolChoiceError> {
        let members = match value {
            Value::Null => return Ok(Self::auto()),
            Value::String(mode) => {
                return Ok(Self { mode: mode_of(mode)?, allowed_tools: None });
            }
            Value::Object(members) => members,
            other => return Err(ToolChoiceError::UnknownMode(other.to_string())),
        };
        let mode = match members.get("mode") {
            None => return Err(ToolChoiceError::ModeMissing),
            Some(Value::String(mode)) => mode_of(mode)?,
            Some(other) => return Err(ToolChoiceError::UnknownMode(other.to_string())),
        };
        let name = members.get("required_function_name").filter(|name| !name.is_null());
        let mode = match (mode, name) {
            (ToolMode::Required(_), Some(name)) => ToolMode::Required(Some(tool_name(name)?)),
            (_, Some(_)) => return Err(ToolChoiceError::NameWithoutRequired),
            (mode, None) => mode,
        };
        let allowed_tools = match members.get("allowed_tools").filter(|list| !list.is_null()) {
            None => None,
            Some(Value::Array(names)) if mode != ToolMode::None => {
                let names = names.iter().map(|name| match name {
                    Value::String(name) => Ok(ToolName::parse(name)?),
                    _ => Err(ToolChoiceError::AllowedTools),
                });
                Some(names.collect::<Result<_, _>>()?)
            }
            Some(_) => return Err(ToolChoiceError::AllowedTools),
        };
        Ok(Self { mode, allowed_tools })
    }

    /// Whether the run shows a tool of this name at all.
    #[must_use]
    pub fn allows(&self, name: &ToolName) -> bool {
        self.allowed_tools.as_ref().is_none_or(|allowed| allowed.contains(name))
    }
}

impl ToolMode {
    /// Whether a call of this tool may run in a turn of this mode.
    #[must_use]
    pub fn admits(&self, name: &str) -> bool {
        match self {
            Self::Auto | Self::Required(None) => true,
            Self::None => false,
            Self::Required(Some(required)) => required.as_str() == name,
        }
    }
}

fn mode_of(mode: &str) -> Result<ToolMode, ToolChoiceError> {
    match mode {
        "auto" => Ok(ToolMode::Auto),
        "none" => Ok(ToolMode::None),
        "required" => Ok(ToolMode::Required(None)),
        other => Err(ToolChoiceError::UnknownMode(format!("{other:?}"))),
    }
}

fn tool_name(value: &Value) -> Result<ToolName, ToolChoiceError> {
    // What is no string is no name either.
    Ok(ToolName::parse(value.as_str().unwrap_or_default())?)
}
