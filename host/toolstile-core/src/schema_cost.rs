//! How much work a schema can make, found before it is compiled.
//!
//! A schema of a kilobyte can keep a validator busy for hours: a chain of
//! definitions that each try the next one twice doubles the work at every step.
//! [`check`] bounds the number of subschemas that one value inside the arguments
//! can meet, over every path by which validation reaches it; it also finds
//! references that leave the document, point to nothing or never descend.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::schema::SchemaError;
use crate::strict_json::JsonLimits;

/// Subschemas that one value may be checked against.
pub(crate) const MAX_VISITS: u64 = 2_000;

/// Schemas that may be nested in one another, references followed: recursion, here
/// and in the validator, stays within a small stack.
const MAX_PATH: usize = 400;

/// Keywords whose value is a map from names to schemas, applied to nothing.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];
/// Keywords whose schemas apply to the very value that their parent applies to.
const IN_PLACE: [&str; 9] =
    ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"];
/// Keywords whose schemas may all apply to the same part of the value.
const DESCEND_SUM: [&str; 6] = [
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "contains",
    "unevaluatedItems",
];
/// Keywords whose schemas each apply to another part of the value.
const DESCEND_MAX: [&str; 4] = ["properties", "prefixItems", "items", "additionalItems"];
/// Keywords that walk all schemas of the same value once more, to see what those left.
const UNEVALUATED: [&str; 2] = ["unevaluatedProperties", "unevaluatedItems"];
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// Checks references and cost, and gives the number of subschemas that one value can
/// be checked against.
///
/// # Errors
/// [`SchemaError`], naming the reference where one is at fault.
pub(crate) fn check(root: &Value) -> Result<u64, SchemaError> {
    let mut anchors = HashMap::new();
    survey(root, true, &mut anchors)?;
    let mut cost = Cost { root, anchors, memo: HashMap::new(), walks: HashMap::new(), path: 0 };
    match cost.visits(root, JsonLimits::ARGUMENTS.depth)? {
        visits if visits > MAX_VISITS => Err(SchemaError::TooCostly { max: MAX_VISITS }),
        visits => Ok(visits),
    }
}

/// How much there is to check in a value: every value inside it, and its text, since
/// patterns read all of it.
pub(crate) fn weight(value: &Value) -> u64 {
    const TEXT_UNIT: usize = 64;
    match value {
        Value::String(text) => 1 + (text.len() / TEXT_UNIT) as u64,
        Value::Array(items) => 1 + items.iter().map(weight).sum::<u64>(),
        Value::Object(members) => {
            let key = |key: &String| (key.len() / TEXT_UNIT) as u64;
            1 + members.iter().map(|(k, v)| key(k) + weight(v)).sum::<u64>()
        }
        _ => 1,
    }
}

/// What comparing with the alternatives of `enum` costs: scalars are cheap.
fn enum_visits(members: &Map<String, Value>) -> u64 {
    let Some(Value::Array(values)) = members.get("enum") else { return 0 };
    let scalar = |value: &&Value| !value.is_array() && !value.is_object();
    let scalars = values.iter().filter(scalar).count();
    ((values.len() - scalars) + scalars / 32) as u64
}

/// Follows local references, at most eight in a row; what cannot be followed is
/// given back as it is.
pub(crate) fn dereference<'a>(root: &'a Value, mut schema: &'a Value) -> &'a Value {
    for _ in 0..8 {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { break };
        let Some(target) = by_pointer(root, reference) else { break };
        schema = target;
    }
    schema
}

/// The target of `#` or `#/a/b` (RFC 6901, percent-encoding undone).
fn by_pointer<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let pointer = reference.strip_prefix('#')?;
    root.pointer(&percent_decoded(pointer)?)
}

fn percent_decoded(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let (byte, step) = match bytes[at] {
            b'%' => (u8::from_str_radix(text.get(at + 1..at + 3)?, 16).ok()?, 3),
            byte => (byte, 1),
        };
        decoded.push(byte);
        at += step;
    }
    String::from_utf8(decoded).ok()
}

type Anchors<'a> = HashMap<&'a str, &'a Value>;

/// Collects anchors; refuses references that leave the document and inner `$id`s.
fn survey<'a>(
    schema: &'a Value,
    is_root: bool,
    anchors: &mut Anchors<'a>,
) -> Result<(), SchemaError> {
    let Value::Object(members) = schema else { return Ok(()) };
    for keyword in REFERENCES {
        match members.get(keyword).and_then(Value::as_str) {
            Some(reference) if !reference.starts_with('#') => {
                return Err(SchemaError::RemoteReference(reference.to_owned()));
            }
            _ => {}
        }
    }
    for keyword in ["$id", "id"] {
        // Draft 4 spells the keyword `id`; a property of that name has a schema, not a string.
        if let (Some(Value::String(id)), false) = (members.get(keyword), is_root) {
            return Err(SchemaError::NestedId(id.clone()));
        }
    }
    for keyword in ["$anchor", "$dynamicAnchor"] {
        let Some(name) = members.get(keyword).and_then(Value::as_str) else { continue };
        // Which of two a reference means is for each validator to guess.
        if anchors.insert(name, schema).is_some_and(|other| !std::ptr::eq(other, schema)) {
            return Err(SchemaError::DuplicateAnchor(name.to_owned()));
        }
    }
    subschemas(members).try_for_each(|(_, inner)| survey(inner, false, anchors))
}

/// Every schema directly inside another, with its keyword.
fn subschemas(members: &Map<String, Value>) -> impl Iterator<Item = (&str, &Value)> {
    let keywords = DEFINITIONS.iter().chain(&IN_PLACE).chain(&DESCEND_SUM).chain(&DESCEND_MAX);
    let found = keywords.chain(&["contentSchema"]);
    found.filter_map(|k| members.get_key_value(*k)).flat_map(|(k, v)| schemas_of(k, v))
}

/// The schemas that the value of a keyword holds: itself, a list, or a map.
fn schemas_of<'a>(
    keyword: &'a str,
    value: &'a Value,
) -> Box<dyn Iterator<Item = (&'a str, &'a Value)> + 'a> {
    let is_map =
        matches!(keyword, "properties" | "patternProperties" | "dependentSchemas" | "dependencies")
            || DEFINITIONS.contains(&keyword);
    match value {
        Value::Array(list) => Box::new(list.iter().map(move |v| (keyword, v))),
        Value::Object(map) if is_map => Box::new(map.values().map(move |v| (keyword, v))),
        _ => Box::new(std::iter::once((keyword, value))),
    }
}

/// What is known of a schema at a depth of the value.
#[derive(Clone, Copy)]
enum Known {
    /// Being counted: meeting it again means a cycle.
    Pending,
    Visits(u64),
}

struct Cost<'a> {
    root: &'a Value,
    anchors: Anchors<'a>,
    /// By address of the schema and levels left in the value.
    memo: HashMap<(usize, usize), Known>,
    /// The same for the walks of the `unevaluated…` keywords.
    walks: HashMap<(usize, usize), u64>,
    /// Schemas on the way from the root to the current one.
    path: usize,
}

impl<'a> Cost<'a> {
    /// Subschemas that one value at this level, or one below it, can meet.
    fn visits(&mut self, schema: &'a Value, levels: usize) -> Result<u64, SchemaError> {
        let Value::Object(members) = schema else { return Ok(1) };
        let key = (std::ptr::from_ref(schema).addr(), levels);
        match self.memo.get(&key) {
            Some(Known::Visits(visits)) => return Ok(*visits),
            Some(Known::Pending) => return Err(SchemaError::Cycle(reference_in(members))),
            None => self.memo.insert(key, Known::Pending),
        };
        self.path += 1;
        if self.path > MAX_PATH {
            return Err(SchemaError::TooCostly { max: MAX_VISITS });
        }
        let visits = self.visits_of(members, levels)?.min(MAX_VISITS + 1);
        self.path -= 1;
        self.memo.insert(key, Known::Visits(visits));
        Ok(visits)
    }

    fn visits_of(
        &mut self,
        members: &'a Map<String, Value>,
        levels: usize,
    ) -> Result<u64, SchemaError> {
        let mut visits = 1 + enum_visits(members);
        for schema in self.in_place(members)? {
            visits += self.visits(schema, levels)?;
        }
        if levels > 0 {
            visits += self.sum(members, &DESCEND_SUM, levels - 1)?;
            visits += self.max(members, &DESCEND_MAX, levels - 1)?;
        }
        for _ in UNEVALUATED.iter().filter(|keyword| members.contains_key(**keyword)) {
            visits += self.walk(members, levels)?;
        }
        Ok(visits)
    }

    /// Subschemas that an `unevaluated…` keyword meets: it asks each schema that
    /// applies to its value whether it holds, and then walks that one's in turn.
    fn walk(&mut self, members: &'a Map<String, Value>, levels: usize) -> Result<u64, SchemaError> {
        let key = (std::ptr::from_ref(members).addr(), levels);
        if let Some(known) = self.walks.get(&key) {
            return Ok(*known);
        }
        let mut visits = 1;
        for schema in self.in_place(members)? {
            visits += self.visits(schema, levels)?;
            if let Value::Object(members) = schema {
                visits += self.walk(members, levels)?;
            }
        }
        if levels > 0 {
            visits += self.sum(members, &UNEVALUATED, levels - 1)?;
        }
        let visits = visits.min(MAX_VISITS + 1);
        self.walks.insert(key, visits);
        Ok(visits)
    }

    /// The schemas that apply to the value of their parent, references followed.
    fn in_place(&self, members: &'a Map<String, Value>) -> Result<Vec<&'a Value>, SchemaError> {
        let mut schemas: Vec<_> = inside(members, &IN_PLACE).map(|(_, schema)| schema).collect();
        for keyword in REFERENCES {
            if let Some(reference) = members.get(keyword).and_then(Value::as_str) {
                schemas.push(self.resolve(reference)?);
            }
        }
        Ok(schemas)
    }

    fn sum(
        &mut self,
        members: &'a Map<String, Value>,
        keywords: &[&str],
        levels: usize,
    ) -> Result<u64, SchemaError> {
        let mut total = 0_u64;
        for (_, schema) in inside(members, keywords) {
            total = total.saturating_add(self.visits(schema, levels)?);
        }
        Ok(total)
    }

    fn max(
        &mut self,
        members: &'a Map<String, Value>,
        keywords: &[&str],
        levels: usize,
    ) -> Result<u64, SchemaError> {
        let mut most = 0;
        for (_, schema) in inside(members, keywords) {
            most = most.max(self.visits(schema, levels)?);
        }
        Ok(most)
    }

    fn resolve(&self, reference: &str) -> Result<&'a Value, SchemaError> {
        let anchor = reference.strip_prefix('#').and_then(|name| self.anchors.get(name).copied());
        anchor
            .or_else(|| by_pointer(self.root, reference))
            .ok_or_else(|| SchemaError::DanglingReference(reference.to_owned()))
    }
}

fn inside<'a>(
    members: &'a Map<String, Value>,
    keywords: &[&str],
) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let found = keywords.iter().filter_map(|k| members.get_key_value(*k)).collect::<Vec<_>>();
    found.into_iter().flat_map(|(k, v)| schemas_of(k, v))
}

fn reference_in(members: &Map<String, Value>) -> String {
    let reference = REFERENCES.iter().find_map(|k| members.get(*k).and_then(Value::as_str));
    reference.unwrap_or("a subschema").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Definitions that each try the next one twice, through `wrap`.
    fn doubling(steps: usize, wrap: impl Fn(Value) -> Value) -> Value {
        let mut defs = Map::new();
        for i in 0..steps {
            let next = wrap(json!({"$ref": format!("#/$defs/d{}", i + 1)}));
            defs.insert(format!("d{i}"), json!({"anyOf": [next, next]}));
        }
        defs.insert(format!("d{steps}"), json!({"type": "integer"}));
        json!({"type": "object", "$defs": defs, "properties": {"x": {"$ref": "#/$defs/d0"}}})
    }

    #[test]
    fn doubling_in_place_is_too_costly() {
        assert_eq!(check(&doubling(26, |s| s)), Err(SchemaError::TooCostly { max: MAX_VISITS }));
        assert!(check(&doubling(5, |s| s)).is_ok());
    }

    #[test]
    fn doubling_while_descending_is_too_costly() {
        let nested = doubling(26, |s| json!({"items": s}));
        assert_eq!(check(&nested), Err(SchemaError::TooCostly { max: MAX_VISITS }));
    }

    #[test]
    fn unevaluated_keywords_nested_in_one_another_are_too_costly() {
        let nest = |steps| {
            let inner = json!({"type": "object"});
            let wrap = |s, _| json!({"allOf": [s], "unevaluatedProperties": false});
            check(&(0..steps).fold(inner, wrap))
        };
        assert!(nest(3).is_ok());
        assert_eq!(nest(25), Err(SchemaError::TooCostly { max: MAX_VISITS }));
    }

    #[test]
    fn a_long_chain_of_references_is_refused() {
        let mut defs = Map::new();
        for i in 0..2_000 {
            defs.insert(format!("d{i}"), json!({"$ref": format!("#/$defs/d{}", i + 1)}));
        }
        defs.insert("d2000".into(), json!({}));
        let chain = json!({"$defs": defs, "properties": {"x": {"$ref": "#/$defs/d0"}}});
        assert_eq!(check(&chain), Err(SchemaError::TooCostly { max: MAX_VISITS }));
    }

    #[test]
    fn a_tree_is_fine_and_a_cycle_is_not() {
        let tree = json!({"$defs": {"node": {"type": "object", "properties": {
            "left": {"$ref": "#/$defs/node"}, "right": {"$ref": "#/$defs/node"},
        }}}, "properties": {"root": {"$ref": "#/$defs/node"}}});
        assert!(check(&tree).is_ok());
        let cycle = json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
            "properties": {"x": {"$ref": "#/$defs/a"}}});
        assert!(matches!(check(&cycle), Err(SchemaError::Cycle(_))));
    }

    #[test]
    fn data_that_looks_like_a_reference_is_data() {
        let schema =
            json!({"properties": {"$ref": {"type": "string"}}, "enum": [{"$ref": "http://x"}]});
        assert!(check(&schema).is_ok());
    }

    #[test]
    fn anchors_and_pointers_resolve() {
        let schema = json!({"$defs": {"a b": {"$anchor": "here"}}, "properties": {
            "x": {"$ref": "#here"}, "y": {"$ref": "#/$defs/a%20b"}}});
        assert!(check(&schema).is_ok());
        let dangling = json!({"properties": {"x": {"$ref": "#nowhere"}}});
        assert!(matches!(check(&dangling), Err(SchemaError::DanglingReference(_))));
    }
}
