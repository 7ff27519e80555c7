//! The arguments of a call: an object, bounded, understood one way only.

use serde_json::{Map, Value};

use crate::fingerprint::sha256_hex;
use crate::strict_json::{JsonError, JsonLimits, canonical_json, parse_json};

/// Arguments as the caller gave them, not looked at yet.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentsText {
    /// JSON text, as models send it. Empty text stands for no arguments.
    Text(String),
    /// A value that the embedding program built.
    Value(Value),
}

impl From<&str> for ArgumentsText {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for ArgumentsText {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Value> for ArgumentsText {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

/// Why arguments are not an acceptable JSON object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentsError {
    /// Not acceptable JSON at all.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// JSON, but no object.
    #[error("the arguments must be a JSON object, not {0}")]
    NotAnObject(&'static str),
}

/// Arguments that are a bounded JSON object.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments(Value);

impl Arguments {
    /// Reads arguments strictly.
    ///
    /// # Errors
    /// [`ArgumentsError`] says what is wrong with the text or the value.
    pub fn read(given: &ArgumentsText, limits: JsonLimits) -> Result<Self, ArgumentsError> {
        let value = match given {
            ArgumentsText::Text(text) if is_blank(text) => Value::Object(Map::new()),
            ArgumentsText::Text(text) => parse_json(text, limits)?,
            ArgumentsText::Value(value) => {
                limits.check(value)?;
                value.clone()
            }
        };
        match value {
            Value::Object(_) => Ok(Self(value)),
            other => Err(ArgumentsError::NotAnObject(type_name(&other))),
        }
    }

    /// Arguments from an object that was checked before.
    #[must_use]
    pub fn from_object(object: Map<String, Value>) -> Self {
        Self(Value::Object(object))
    }

    /// The object.
    #[must_use]
    pub fn as_value(&self) -> &Value {
        &self.0
    }

    /// The members, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.as_object().into_iter().flatten()
    }

    /// The members.
    #[must_use]
    pub fn into_object(self) -> Map<String, Value> {
        match self.0 {
            Value::Object(object) => object,
            _ => Map::new(),
        }
    }

    /// JSON text, compact.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.0.to_string()
    }

    /// SHA-256 of the RFC 8785 form, in lower-case hexadecimal digits.
    #[must_use]
    pub fn digest(&self) -> String {
        sha256_hex(canonical_json(&self.0).as_bytes())
    }
}

/// Nothing but the white space of RFC 8259.
fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

/// The JSON type of a value, with its article.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
