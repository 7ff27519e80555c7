//! From the JSON object of a call to a function's arguments.
//!
//! The host has checked the object against the schema; what fails here all the
//! same (a rule of a type that its schema does not show) is answered as an error
//! that names the parameter.

use std::fmt;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};

use crate::ToolResponse;

/// A type that a parameter of a tool may have: it can be read from JSON and
/// describe itself as a JSON Schema. Implemented for everything that can.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a tool",
    label = "no JSON Schema is known for this type",
    note = "derive `toolstile_sdk::serde::Deserialize` and `toolstile_sdk::schemars::JsonSchema` for it, with `#[serde(crate = \"toolstile_sdk::serde\")]` and `#[schemars(crate = \"toolstile_sdk::schemars\")]`"
)]
pub trait Argument: DeserializeOwned + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> Argument for T {}

/// The arguments of one call, by name.
#[derive(Debug)]
pub struct Arguments(Map<String, Value>);

impl Arguments {
    /// Hands `arguments` to `run`; what it cannot read becomes an error answer.
    pub fn run(
        arguments: Map<String, Value>,
        run: impl FnOnce(&mut Self) -> Result<ToolResponse, ArgumentError>,
    ) -> ToolResponse {
        run(&mut Self(arguments)).unwrap_or_else(|error| ToolResponse::error(error.to_string()))
    }

    /// A parameter that has to be there.
    pub fn required<T: Argument>(&mut self, name: &'static str) -> Result<T, ArgumentError> {
        match self.0.remove(name) {
            Some(value) => read(name, value),
            None => Err(ArgumentError { name, reason: Reason::Missing }),
        }
    }

    /// A parameter whose type is an `Option`; absent and null are the same.
    pub fn optional<T: Argument + Default>(
        &mut self,
        name: &'static str,
    ) -> Result<T, ArgumentError> {
        self.or_else(name, T::default)
    }

    /// A parameter with a default.
    pub fn or_else<T: Argument>(
        &mut self,
        name: &'static str,
        default: impl FnOnce() -> T,
    ) -> Result<T, ArgumentError> {
        match self.0.remove(name) {
            Some(value) => read(name, value),
            None => Ok(default()),
        }
    }
}

/// An argument that is missing or cannot be read.
#[derive(Debug)]
pub struct ArgumentError {
    name: &'static str,
    reason: Reason,
}

#[derive(Debug)]
enum Reason {
    Missing,
    Unreadable(serde_json::Error),
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Reason::Missing => write!(formatter, "argument `{}` is missing", self.name),
            Reason::Unreadable(error) => write!(formatter, "argument `{}`: {error}", self.name),
        }
    }
}

fn read<T: Argument>(name: &'static str, mut value: Value) -> Result<T, ArgumentError> {
    T::deserialize(&value).or_else(|error| {
        // JSON Schema calls 5.0 an integer (2020-12 validation, 6.1.1), serde
        // does not: a second try with such numbers written as integers.
        write_integers(&mut value);
        let unreadable = |_| ArgumentError { name, reason: Reason::Unreadable(error) };
        serde_json::from_value(value).map_err(unreadable)
    })
}

fn write_integers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(integer) = number.as_f64().and_then(as_integer) {
                *number = integer;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(write_integers),
        Value::Object(members) => members.values_mut().for_each(write_integers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// `number` as an integer, if it is one that a double holds exactly.
fn as_integer(number: f64) -> Option<Number> {
    const LARGEST: f64 = 9_007_199_254_740_992.0; // 2^53
    let exact = number.fract() == 0.0 && number.abs() <= LARGEST;
    exact.then(|| Number::from(number as i64))
}
