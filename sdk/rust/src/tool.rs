//! What a tool is: the trait, and the definition that the host is shown.

use serde_json::{Map, Value};

use crate::ToolResponse;
use crate::bindings::exports::toolstile::plugin::tool as wit;

/// A tool. `#[tool]` implements it for a function; implement it by hand for a
/// tool that holds state or brings its own schema.
///
/// Every call runs in a fresh instance of the plugin, so state lives for one
/// call; what has to last belongs into [`crate::notes`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no tool",
    note = "put `#[tool]` on the function, or implement `toolstile_sdk::Tool` for the type"
)]
pub trait Tool {
    /// The name the host and the model know the tool by: unique in the plugin,
    /// matching `^[a-zA-Z0-9_-]{1,64}$`.
    fn name(&self) -> &str;

    /// What the host is shown. Asked for once, when the plugin is loaded and has
    /// no capability; never on the way of a call.
    fn definition(&self) -> ToolDefinition;

    /// Runs the tool. The host has checked `arguments` against the input schema
    /// and has passed every gate.
    fn call(&self, arguments: Map<String, Value>) -> ToolResponse;
}

/// What the model is shown of a tool, and what drives the host's gates.
///
/// ```
/// use toolstile_sdk::{ToolDefinition, Traits, serde_json::json};
///
/// let definition = ToolDefinition {
///     title: Some("Dice".into()),
///     traits: Traits { read_only: true, ..Traits::default() },
///     ..ToolDefinition::new("roll", "Rolls a die.", json!({ "type": "object" }))
/// };
/// assert_eq!(definition.name, "roll");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    /// The same as [`Tool::name`], which wins if they differ.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What the tool does and when to use it, for the model.
    pub description: String,
    /// JSON Schema (2020-12) of the arguments; its root describes an object and
    /// its references are local. [`crate::schema_for`] makes one from a type.
    pub input_schema: Value,
    /// JSON Schema of [`ToolResponse::data`].
    pub output_schema: Option<Value>,
    /// The tool's own account of its behaviour.
    pub traits: Traits,
    /// JSON Schema of an object: arguments that match it need confirmation.
    /// Counts only with [`Traits::requires_confirmation`]; absent, every call does.
    pub confirm_when: Option<Value>,
}

impl ToolDefinition {
    /// A definition with nothing but the necessary; the rest by struct update.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        input_schema: Value,
    ) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: description.into(),
            input_schema,
            output_schema: None,
            traits: Traits::default(),
            confirm_when: None,
        }
    }
}

/// What a tool says about its behaviour. The host takes each as a request for
/// more care, never for less. All false by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits {
    /// Every call needs confirmation, or those that
    /// [`ToolDefinition::confirm_when`] matches.
    pub requires_confirmation: bool,
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

impl From<Traits> for wit::Traits {
    fn from(traits: Traits) -> Self {
        let mut flags = Self::empty();
        flags.set(Self::REQUIRES_CONFIRMATION, traits.requires_confirmation);
        flags.set(Self::EXTERNAL_CONTENT, traits.external_content);
        flags.set(Self::SUPPORTS_PARALLEL, traits.supports_parallel);
        flags.set(Self::READ_ONLY, traits.read_only);
        flags.set(Self::DESTRUCTIVE, traits.destructive);
        flags.set(Self::IDEMPOTENT, traits.idempotent);
        flags.set(Self::OPEN_WORLD, traits.open_world);
        flags
    }
}

impl From<ToolDefinition> for wit::ToolDefinition {
    fn from(definition: ToolDefinition) -> Self {
        Self {
            name: definition.name,
            title: definition.title,
            description: definition.description,
            input_schema: definition.input_schema.to_string(),
            output_schema: definition.output_schema.map(|schema| schema.to_string()),
            traits: definition.traits.into(),
            confirm_when: definition.confirm_when.map(|schema| schema.to_string()),
        }
    }
}
