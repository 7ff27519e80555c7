//! How each provider wants functions declared.
//!
//! A tool has one JSON Schema (2020-12). Providers accept parts of that language, and
//! not the same parts. A profile says the most of a schema that its provider accepts;
//! what is lost on the way only the model does not learn: calls are still checked
//! against the whole schema.

mod combine;
mod gemini;
mod inline;
mod json_schema;
mod names;
mod node;

use serde_json::{Map, Value, json};
use toolstile_core::RegisteredTool;

pub use names::NameMap;

/// The rules of one provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaProfile {
    /// Objects at the root, nothing that combines schemas there, arrays with `items`.
    OpenAi,
    /// Objects at the root, nothing that combines schemas there.
    Anthropic,
    /// A small part of the schemas of OpenAPI 3.0.
    Gemini,
    /// As OpenAI, with a single name as `type` and without `const`.
    Ollama,
}

/// A tool as a provider is shown it.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionDeclaration {
    /// The name, within the provider's rule.
    pub name: String,
    /// What the tool does.
    pub description: String,
    /// The schema of the arguments; `None` where the provider wants it left out.
    pub parameters: Option<Value>,
}

impl FunctionDeclaration {
    /// As JSON, with `parameters` only where there are some.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut value = json!({"name": self.name, "description": self.description});
        if let Some(parameters) = &self.parameters {
            value["parameters"] = parameters.clone();
        }
        value
    }
}

impl SchemaProfile {
    /// The declaration of one tool. Where several are declared together,
    /// [`SchemaProfile::names`] gives their names.
    #[must_use]
    pub fn render(&self, tool: &RegisteredTool) -> FunctionDeclaration {
        FunctionDeclaration {
            name: names::nearest(*self, tool.name().as_str()),
            description: tool.definition.description.clone(),
            parameters: self.parameters(tool.definition.input_schema.as_value()),
        }
    }

    /// The schema of arguments; `None` where the provider wants it left out.
    #[must_use]
    pub fn parameters(&self, schema: &Value) -> Option<Value> {
        let root = combine::flat_root(inline::inline(schema));
        match self {
            Self::Gemini => gemini::parameters(root),
            Self::OpenAi => Some(json_schema::openai(root)),
            Self::Anthropic => Some(json_schema::anthropic(root)),
            Self::Ollama => Some(json_schema::ollama(root)),
        }
    }

    /// The names of tools that are declared together.
    #[must_use]
    pub fn names<T: AsRef<RegisteredTool>>(&self, tools: &[T]) -> NameMap {
        NameMap::new(*self, tools.iter().map(|tool| tool.as_ref().name().as_str()))
    }
}

/// The members of a schema; a schema that is `true` or `false` has none.
fn members(schema: Value) -> Map<String, Value> {
    match schema {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
