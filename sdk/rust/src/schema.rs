//! JSON Schemas (2020-12) of arguments: from a type, or parameter by parameter.
//!
//! Subschemas are written in place; only a type that contains itself goes to
//! `$defs`. Integers carry the bounds of their Rust type, so that the host
//! refuses what the tool could not read anyway.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Map, Number, Value, json};

use crate::Argument;

/// The JSON Schema of a type, fit for [`crate::ToolDefinition::input_schema`]
/// when the type is a struct.
///
/// ```
/// use toolstile_sdk::{schema_for, schemars, serde_json::json};
///
/// #[derive(schemars::JsonSchema)]
/// # #[schemars(crate = "toolstile_sdk::schemars")]
/// struct Point { x: i8 }
///
/// assert_eq!(schema_for::<Point>(), json!({
///     "type": "object",
///     "properties": { "x": { "type": "integer", "minimum": -128, "maximum": 127 } },
///     "required": ["x"],
/// }));
/// ```
#[must_use]
pub fn schema_for<T: JsonSchema>() -> Value {
    let mut schema = generator().into_root_schema_for::<T>();
    schema.remove("title");
    finish(schema)
}

/// The schema of a function's parameters, in the making.
#[derive(Debug)]
pub struct InputSchema {
    generator: SchemaGenerator,
    properties: Map<String, Value>,
    required: Vec<&'static str>,
}

impl InputSchema {
    /// The schema of a function without parameters.
    #[expect(clippy::new_without_default, reason = "generated code alone calls it")]
    pub fn new() -> Self {
        Self { generator: generator(), properties: Map::new(), required: Vec::new() }
    }

    /// Adds a parameter that has to be there.
    pub fn required<T: Argument>(mut self, name: &'static str, description: &str) -> Self {
        self.required.push(name);
        self.optional::<T>(name, description)
    }

    /// Adds a parameter that may be absent.
    pub fn optional<T: Argument>(self, name: &'static str, description: &str) -> Self {
        self.add::<T>(name, description, None)
    }

    /// Adds a parameter with a default. A default that has no JSON form is not
    /// shown; the function gets it all the same.
    pub fn with_default<T: Argument + Serialize>(
        self,
        name: &'static str,
        description: &str,
        default: T,
    ) -> Self {
        self.add::<T>(name, description, serde_json::to_value(default).ok())
    }

    /// Gives a parameter that was added before a format.
    pub fn with_format(mut self, name: &'static str, format: &'static str) -> Self {
        let property = self.properties.get_mut(name).and_then(Value::as_object_mut);
        if let Some(property) = property {
            property.insert("format".into(), format.into());
        }
        self
    }

    /// The whole schema.
    pub fn finish(mut self) -> Value {
        let mut root = Schema::default();
        root.insert("type".into(), "object".into());
        root.insert("properties".into(), self.properties.into());
        root.insert("required".into(), json!(self.required));
        let definitions = self.generator.take_definitions(true);
        if !definitions.is_empty() {
            root.insert("$defs".into(), definitions.into());
        }
        finish(root)
    }

    fn add<T: Argument>(
        mut self,
        name: &'static str,
        description: &str,
        default: Option<Value>,
    ) -> Self {
        let mut schema = self.generator.subschema_for::<T>();
        if !description.is_empty() {
            schema.insert("description".into(), description.into());
        }
        if let Some(default) = default {
            schema.insert("default".into(), default);
        }
        self.properties.insert(name.into(), schema.into());
        self
    }
}

fn generator() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    settings.into_generator()
}

fn finish(mut schema: Schema) -> Value {
    RecursiveTransform(plain_numbers).transform(&mut schema);
    schema.into()
}

/// Replaces the names that schemars gives the number types of Rust (`uint32`,
/// which no validator knows) by the bounds they stand for.
fn plain_numbers(schema: &mut Schema) {
    let Some(format) = schema.get("format").and_then(Value::as_str) else { return };
    let bounds = integer_bounds(format);
    if bounds.is_none() && !matches!(format, "float" | "double") {
        return;
    }
    schema.remove("format");
    let Some((minimum, maximum)) = bounds else { return };
    // Bounds that are there already are narrower: the author asked for them.
    for (keyword, bound) in [("minimum", minimum), ("maximum", maximum)] {
        if schema.get(keyword).is_none() {
            schema.insert(keyword.into(), bound.into());
        }
    }
}

/// What fits into an integer type and through JSON: the numbers of serde_json
/// end at 64 bits. A guest's `usize` has 32 bits.
fn integer_bounds(format: &str) -> Option<(Number, Number)> {
    Some(match format {
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        "int" | "int32" => (i32::MIN.into(), i32::MAX.into()),
        "int64" => (i64::MIN.into(), i64::MAX.into()),
        "int128" => (i64::MIN.into(), u64::MAX.into()),
        "uint8" => (0.into(), u8::MAX.into()),
        "uint16" => (0.into(), u16::MAX.into()),
        "uint" | "uint32" => (0.into(), u32::MAX.into()),
        "uint64" | "uint128" => (0.into(), u64::MAX.into()),
        _ => return None,
    })
}
