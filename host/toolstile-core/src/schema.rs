//! Schemas: what the model is shown is what validates, one object for both.

use std::fmt;
use std::sync::Arc;

use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::Value;

use crate::arguments::type_name;
use crate::schema_cost;
use crate::schema_formats::{self, FormattedText};
use crate::strict_json::{JsonError, JsonLimits, parse_json};

/// Violations reported for one call; a model that made more will make fewer once
/// these are mended.
const MAX_VIOLATIONS: usize = 20;

/// Work for one validation (subschemas times values): some 50 ms on a slow machine.
const MAX_WORK: u64 = 2_000_000;
/// Work up to which all violations are collected; each costs far more than a check.
const MAX_ERROR_WORK: u64 = 100_000;
/// Schemas up to this need no look at the value's size.
const ORDINARY_VISITS: u64 = 64;

/// Bytes that one compiled regular expression may take.
const REGEX_BYTES: usize = 256 * 1024;

/// A JSON Schema of an object, compiled.
///
/// Bounds: 128 KiB of text, 64 levels, 8,192 values, references within the
/// document only, regular expressions that run in linear time, and a static bound
/// on the work for one value (see [`SchemaError::TooCostly`]). `format` is an
/// annotation.
#[derive(Clone)]
pub struct ToolSchema(Arc<Compiled>);

struct Compiled {
    schema: Value,
    validator: Validator,
    /// Subschemas that one value can be checked against.
    visits: u64,
    mentions_format: bool,
}

impl ToolSchema {
    /// Compiles a schema whose instances are objects.
    ///
    /// # Errors
    /// [`SchemaError`]. A schema that does not compile must keep its tool from
    /// being registered; it never means "no validation".
    pub fn compile(schema: Value) -> Result<Self, SchemaError> {
        let schema = with_object_type(schema)?;
        Self::compile_any(schema)
    }

    /// Compiles the text of a schema whose instances are objects.
    ///
    /// # Errors
    /// As [`ToolSchema::compile`], and for text that is not strict JSON.
    pub fn parse(text: &str) -> Result<Self, SchemaError> {
        Self::compile(parse_json(text, JsonLimits::SCHEMA)?)
    }

    /// Compiles a schema whose instances may be of any type, for results.
    ///
    /// # Errors
    /// As [`ToolSchema::compile`], but the root may describe any type.
    pub fn compile_any(schema: Value) -> Result<Self, SchemaError> {
        JsonLimits::SCHEMA.check(&schema)?;
        let bytes = schema.to_string().len();
        if bytes > JsonLimits::SCHEMA.bytes {
            return Err(JsonError::TooLong { actual: bytes, max: JsonLimits::SCHEMA.bytes }.into());
        }
        check_dialect(&schema)?;
        let visits = schema_cost::check(&schema)?;
        let validator = jsonschema::options()
            .offline()
            .should_validate_formats(false)
            .with_pattern_options(
                PatternOptions::regex().size_limit(REGEX_BYTES).dfa_size_limit(REGEX_BYTES * 8),
            )
            .build(&schema)
            .map_err(|error| SchemaError::Invalid {
                path: pointer(error.instance_path().as_str()),
                message: bounded(&error.to_string()),
            })?;
        let mentions_format = schema_formats::mentions_format(&schema);
        Ok(Self(Arc::new(Compiled { schema, validator, visits, mentions_format })))
    }

    /// The schema as JSON, as the model is shown it.
    #[must_use]
    pub fn as_value(&self) -> &Value {
        &self.0.schema
    }

    /// Whether a value is valid. A value that is too large to be checked against this
    /// schema is not; see [`ToolSchema::affords`].
    #[must_use]
    pub fn is_valid(&self, value: &Value) -> bool {
        self.affords(value) && self.0.validator.is_valid(value)
    }

    /// Whether checking the value stays within a bound on the work: subschemas times
    /// what there is in the value.
    #[must_use]
    pub fn affords(&self, value: &Value) -> bool {
        // What arguments can hold at all is affordable for an ordinary schema.
        self.0.visits <= ORDINARY_VISITS || self.work(value) <= MAX_WORK
    }

    /// The strings of a value that the schema marks with a `format`. What a format
    /// means is for others to say.
    #[must_use]
    pub fn formatted<'a>(&'a self, value: &'a Value) -> Vec<FormattedText<'a>> {
        match self.0.mentions_format {
            true => schema_formats::formatted(&self.0.schema, value),
            false => Vec::new(),
        }
    }

    fn work(&self, value: &Value) -> u64 {
        self.0.visits.saturating_mul(schema_cost::weight(value))
    }

    /// Validates a value.
    ///
    /// # Errors
    /// All violations up to 20, sorted by path; the first one alone where finding all
    /// would be much work.
    pub fn validate(&self, value: &Value) -> Result<(), Vec<Violation>> {
        if !self.affords(value) {
            return Err(vec![Violation::too_large()]);
        }
        if self.0.validator.is_valid(value) {
            return Ok(());
        }
        let validator = &self.0.validator;
        let mut violations: Vec<Violation> = match self.work(value) <= MAX_ERROR_WORK {
            true => validator.iter_errors(value).map(|error| Violation::new(&error)).collect(),
            false => validator.validate(value).err().iter().map(Violation::new).collect(),
        };
        violations.sort();
        violations.dedup();
        violations.truncate(MAX_VIOLATIONS);
        Err(violations)
    }

    /// Validates arguments and gives the value to run with: `null` for an optional
    /// property that does not take it is left out, and an absent optional property
    /// with a `default` is filled in. A default that would make valid arguments
    /// invalid is not used.
    ///
    /// # Errors
    /// The violations of the arguments as they were given.
    pub fn complete(&self, arguments: Value) -> Result<Value, Vec<Violation>> {
        let mut completed = arguments.clone();
        complete_object(self.as_value(), self.as_value(), &mut completed, 0);
        if self.is_valid(&completed) {
            return Ok(completed);
        }
        self.validate(&arguments).map(|()| arguments)
    }
}

impl fmt::Debug for ToolSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ToolSchema").field(&self.0.schema).finish()
    }
}

impl PartialEq for ToolSchema {
    fn eq(&self, other: &Self) -> bool {
        self.0.schema == other.0.schema
    }
}

/// Why a schema is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// Not acceptable JSON, or too much of it.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The root does not describe an object.
    #[error("the root of the schema must be an object with `\"type\": \"object\"`")]
    RootNotObject,
    /// `$schema` names a dialect that is not known.
    #[error(
        "the dialect {0:?} is not known; leave `$schema` out (2020-12) or name 2020-12, 2019-09, \
         draft-07, draft-06 or draft-04"
    )]
    Dialect(String),
    /// A reference that leaves the document.
    #[error(
        "the reference {0:?} leaves the document; only references that start with `#` are followed"
    )]
    RemoteReference(String),
    /// A reference to nothing.
    #[error("the reference {0:?} points to nothing in the schema")]
    DanglingReference(String),
    /// Two places with the same anchor.
    #[error("the anchor {0:?} stands in the schema twice")]
    DuplicateAnchor(String),
    /// An identifier inside the document, which would move the base of references.
    #[error("`$id` is accepted at the root only, found {0:?} inside the schema")]
    NestedId(String),
    /// A schema that contains itself at the same place of the value.
    #[error("the schema refers to itself without descending into the value, at {0:?}")]
    Cycle(String),
    /// Validation could take very long.
    #[error(
        "one value could be checked against more than {max} subschemas; use fewer references inside \
         `anyOf`, `oneOf` and `allOf`"
    )]
    TooCostly {
        /// Subschemas that one value may be checked against.
        max: u64,
    },
    /// Not a valid schema of its dialect, or a regular expression that is not
    /// supported (look-around and back-references are not).
    #[error("not a valid schema, at `{path}`: {message}")]
    Invalid {
        /// Where in the schema (RFC 6901).
        path: String,
        /// What is wrong.
        message: String,
    },
}

/// One way in which a value breaks its schema.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// Where in the value (RFC 6901); empty for the whole.
    pub path: String,
    /// The keyword that was broken, for example `type`.
    pub keyword: String,
    /// What was expected; carries no value.
    pub message: String,
}

impl Violation {
    /// The tool crashed while it looked at the arguments.
    pub(crate) fn not_assessed() -> Self {
        Self {
            path: String::new(),
            keyword: "format".to_owned(),
            message: "could not be checked against what the tool may use".to_owned(),
        }
    }

    fn too_large() -> Self {
        Self {
            path: String::new(),
            keyword: "cost".to_owned(),
            message: "too much to be checked against the schema; send less at once".to_owned(),
        }
    }

    fn new(error: &ValidationError<'_>) -> Self {
        let expected = error.masked_with("the value").to_string();
        let message = match error.kind().keyword() {
            "type" => format!("{expected}, it is {}", type_of(error.instance())),
            _ => expected,
        };
        Self {
            path: error.instance_path().as_str().to_owned(),
            keyword: error.kind().keyword().to_owned(),
            message: bounded(&message),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => write!(f, "arguments: {}", self.message),
            path => write!(f, "{path}: {}", self.message),
        }
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Number(number) if number.is_f64() => "a number with a fraction",
        other => type_name(other),
    }
}

fn bounded(message: &str) -> String {
    const MAX: usize = 300;
    match message.char_indices().nth(MAX) {
        None => message.to_owned(),
        Some((cut, _)) => format!("{}…", &message[..cut]),
    }
}

fn pointer(path: &str) -> String {
    if path.is_empty() { "/".to_owned() } else { path.to_owned() }
}

/// An absent root type is filled in, so that what is shown says what is checked.
fn with_object_type(mut schema: Value) -> Result<Value, SchemaError> {
    let root = schema.as_object_mut().ok_or(SchemaError::RootNotObject)?;
    let kind = root.entry("type").or_insert_with(|| "object".into());
    match kind.as_str() {
        Some("object") => Ok(schema),
        _ => Err(SchemaError::RootNotObject),
    }
}

fn check_dialect(schema: &Value) -> Result<(), SchemaError> {
    const KNOWN: [&str; 5] = [
        "//json-schema.org/draft/2020-12/schema",
        "//json-schema.org/draft/2019-09/schema",
        "//json-schema.org/draft-07/schema",
        "//json-schema.org/draft-06/schema",
        "//json-schema.org/draft-04/schema",
    ];
    let Some(dialect) = schema.get("$schema") else { return Ok(()) };
    let text = dialect.as_str().unwrap_or_default();
    let bare = text.strip_prefix("https:").or_else(|| text.strip_prefix("http:"));
    match bare.is_some_and(|bare| KNOWN.contains(&bare.strip_suffix('#').unwrap_or(bare))) {
        true => Ok(()),
        false => Err(SchemaError::Dialect(bounded(dialect.as_str().unwrap_or("not a string")))),
    }
}

/// Objects nested deeper than this are left as they are.
const MAX_COMPLETION_DEPTH: usize = 16;

fn complete_object(root: &Value, schema: &Value, value: &mut Value, depth: usize) {
    let schema = schema_cost::dereference(root, schema);
    if depth > MAX_COMPLETION_DEPTH {
        return;
    }
    match value {
        Value::Array(items) => {
            let Some(schema) = schema.get("items") else { return };
            items.iter_mut().for_each(|item| complete_object(root, schema, item, depth + 1));
        }
        Value::Object(members) => {
            let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
                return;
            };
            for (name, property) in properties {
                let property = schema_cost::dereference(root, property);
                if !is_required(schema, name) {
                    complete_optional(root, property, name, members);
                }
                if let Some(member) = members.get_mut(name) {
                    complete_object(root, property, member, depth + 1);
                }
            }
        }
        _ => {}
    }
}

fn complete_optional(
    root: &Value,
    property: &Value,
    name: &str,
    members: &mut serde_json::Map<String, Value>,
) {
    if members.get(name).is_some_and(Value::is_null) && !admits_null(root, property) {
        members.remove(name);
    }
    let default = property.get("default").filter(|default| !default.is_null());
    if let (Some(default), false) = (default, members.contains_key(name)) {
        members.insert(name.to_owned(), default.clone());
    }
}

fn is_required(schema: &Value, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|list| list.iter().any(|entry| entry == name))
}

/// Whether a schema may accept `null`; in doubt it may.
fn admits_null(root: &Value, schema: &Value) -> bool {
    let schema = schema_cost::dereference(root, schema);
    let is_null = |value: &Value| value == "null" || value.is_null();
    match (schema.get("type"), schema.get("enum"), schema.get("const")) {
        (Some(Value::String(kind)), ..) => kind == "null",
        (Some(Value::Array(kinds)), ..) => kinds.iter().any(is_null),
        (_, Some(Value::Array(values)), _) => values.iter().any(Value::is_null),
        (.., Some(value)) => value.is_null(),
        _ => {
            let branches = schema.get("anyOf").or_else(|| schema.get("oneOf"));
            let branches = branches.and_then(Value::as_array);
            branches.is_none_or(|list| list.iter().any(|branch| admits_null(root, branch)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema(value: Value) -> ToolSchema {
        ToolSchema::compile(value).unwrap()
    }

    #[test]
    fn all_violations_are_reported_with_their_paths() {
        let schema = schema(json!({
            "properties": {"n": {"type": "integer"}, "mode": {"enum": ["a", "b"]}},
            "required": ["s"],
        }));
        let violations = schema.validate(&json!({"n": "5", "mode": "c"})).unwrap_err();
        let found: Vec<_> =
            violations.iter().map(|v| (v.path.as_str(), v.keyword.as_str())).collect();
        assert_eq!(found, [("", "required"), ("/mode", "enum"), ("/n", "type")]);
        assert!(violations[2].to_string().contains("integer"), "{}", violations[2]);
    }

    #[test]
    fn defaults_are_filled_in_and_null_means_absent() {
        let schema = schema(json!({"properties": {
            "top": {"type": "integer", "default": 3},
            "order": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "inner": {"$ref": "#/$defs/inner"},
        }, "$defs": {"inner": {"type": "object", "properties": {"x": {"type": "boolean", "default": true}}}}}));
        let given = json!({"top": null, "order": null, "inner": {}});
        let expected = json!({"top": 3, "order": null, "inner": {"x": true}});
        assert_eq!(schema.complete(given).unwrap(), expected);
    }

    #[test]
    fn a_default_that_breaks_the_schema_is_not_used() {
        let schema = schema(json!({"properties": {"n": {"type": "integer", "default": "x"}}}));
        assert_eq!(schema.complete(json!({})).unwrap(), json!({}));
    }

    #[test]
    fn null_for_a_required_property_stays_a_violation() {
        let schema = schema(json!({"properties": {"s": {"type": "string"}}, "required": ["s"]}));
        assert!(schema.complete(json!({"s": null})).is_err());
    }

    #[test]
    fn an_unknown_dialect_is_refused() {
        let error =
            ToolSchema::compile(json!({"$schema": "https://example.org/mine"})).unwrap_err();
        assert!(matches!(error, SchemaError::Dialect(_)));
    }

    #[test]
    fn a_schema_must_satisfy_its_metaschema() {
        let error =
            ToolSchema::compile(json!({"properties": {"x": {"type": "strnig"}}})).unwrap_err();
        assert!(matches!(error, SchemaError::Invalid { .. }), "{error:?}");
    }
}
