//! Parameters of hand-written tools, as the JSON Schema that they stand for.

use serde_json::{Map, Value, json};

/// The JSON type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterType {
    /// Text.
    String,
    /// A number without a fractional part.
    Integer,
    /// Any finite number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A list of anything; give a whole schema to say of what.
    Array,
    /// An object of any shape; give a whole schema to say of which.
    Object,
}

impl ParameterType {
    fn schema(self) -> Value {
        match self {
            Self::String => json!({"type": "string"}),
            Self::Integer => json!({"type": "integer"}),
            Self::Number => json!({"type": "number"}),
            Self::Boolean => json!({"type": "boolean"}),
            // Some providers refuse an array without `items`.
            Self::Array => json!({"type": "array", "items": {}}),
            Self::Object => json!({"type": "object"}),
        }
    }
}

/// One parameter of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolParameter {
    name: String,
    schema: Value,
    required: bool,
}

impl ToolParameter {
    /// A required parameter.
    #[must_use]
    pub fn new(name: &str, kind: ParameterType, description: &str) -> Self {
        let mut schema = kind.schema();
        schema["description"] = description.into();
        Self::from_schema(name, schema)
    }

    /// A required parameter that is described by a whole JSON Schema.
    #[must_use]
    pub fn from_schema(name: &str, schema: Value) -> Self {
        Self { name: name.to_owned(), schema, required: true }
    }

    /// The same parameter, but it may be left out.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.required = false;
        self
    }

    /// The same parameter with a default: it may be left out, and the host fills
    /// `value` in.
    #[must_use]
    pub fn with_default(mut self, value: Value) -> Self {
        if let Value::Object(schema) = &mut self.schema {
            schema.insert("default".into(), value);
        }
        self.optional()
    }
}

/// The JSON Schema of an object with these parameters.
#[must_use]
pub fn object_schema(parameters: &[ToolParameter]) -> Value {
    let properties: Map<String, Value> =
        parameters.iter().map(|p| (p.name.clone(), p.schema.clone())).collect();
    let required: Vec<&str> =
        parameters.iter().filter(|p| p.required).map(|p| p.name.as_str()).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_makes_a_parameter_optional() {
        let schema = object_schema(&[
            ToolParameter::new("query", ParameterType::String, "What to find"),
            ToolParameter::new("limit", ParameterType::Integer, "How many").with_default(json!(5)),
        ]);
        assert_eq!(schema["required"], json!(["query"]));
        assert_eq!(schema["properties"]["limit"]["default"], json!(5));
    }
}
