//! A schema without references: what they point at stands where they stood.

use serde_json::{Map, Value, json};

use super::node::{Holds, holds, map_children, remark};

/// Schemas that one schema may grow to. What is left then is cut as recursion is.
const MAX_NODES: usize = 4096;

/// References within what references point at.
const MAX_OPEN: usize = 32;

/// Keywords that mean nothing once references are gone.
const DROPPED: [&str; 10] = [
    "$schema",
    "$id",
    "$defs",
    "definitions",
    "$comment",
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$vocabulary",
    "$ref",
];

/// The formats of toolstile, which no provider knows, and what they tell a model.
const FORMATS: [(&str, &str); 3] = [
    ("shell-command", "a shell command"),
    ("notes-path", "a path among the notes"),
    ("http-url", "an http or https URL"),
];

/// Puts the local references of a schema in place.
pub(super) fn inline(root: &Value) -> Value {
    Inliner { root, open: Vec::new(), nodes: 0 }.visit(root)
}

struct Inliner<'a> {
    root: &'a Value,
    /// The references that are being put in place, outermost first.
    open: Vec<&'a str>,
    nodes: usize,
}

impl<'a> Inliner<'a> {
    fn visit(&mut self, schema: &'a Value) -> Value {
        self.nodes += 1;
        let Value::Object(members) = schema else { return schema.clone() };
        let mut own = self.without_references(members);
        if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
            let mut target = self.target(reference);
            // What stands beside a reference is nearer to the reader.
            target.append(&mut own);
            own = target;
        }
        drop_own_format(&mut own);
        Value::Object(own)
    }

    fn without_references(&mut self, members: &'a Map<String, Value>) -> Map<String, Value> {
        let mut kept = Map::new();
        for (keyword, value) in members {
            if !DROPPED.contains(&keyword.as_str()) {
                kept.insert(keyword.clone(), self.visit_keyword(keyword, value));
            }
        }
        kept
    }

    fn visit_keyword(&mut self, keyword: &str, value: &'a Value) -> Value {
        match (holds(keyword), value) {
            (Holds::Schema, value) if keyword == "items" => object(self.visit(value)),
            (Holds::Schema, value) => self.visit(value),
            (Holds::List, Value::Array(list)) => {
                list.iter().map(|schema| object(self.visit(schema))).collect()
            }
            (Holds::Named, Value::Object(named)) => {
                let visited = |(name, schema): (&String, &'a Value)| {
                    (name.clone(), object(self.visit(schema)))
                };
                named.iter().map(visited).collect()
            }
            (_, value) => value.clone(),
        }
    }

    fn target(&mut self, reference: &'a str) -> Map<String, Value> {
        let spent = self.nodes > MAX_NODES || self.open.len() >= MAX_OPEN;
        if spent || self.open.contains(&reference) {
            return nested(reference);
        }
        let root: &'a Value = self.root;
        let Some(target) = reference.strip_prefix('#').and_then(|p| root.pointer(p)) else {
            return Map::new();
        };
        self.open.push(reference);
        let found = self.visit(target);
        self.open.pop();
        super::members(found)
    }
}

/// A schema that is `true` or `false`, written as an object.
fn object(schema: Value) -> Value {
    match schema {
        Value::Bool(true) => json!({}),
        Value::Bool(false) => json!({"not": {}}),
        other => other,
    }
}

/// What stands in place of a schema that contains itself.
fn nested(reference: &str) -> Map<String, Value> {
    let mut cut = Map::new();
    cut.insert("type".to_owned(), Value::from("object"));
    let name = reference.rsplit('/').next().filter(|name| !name.is_empty() && *name != "#");
    let sentence = match name {
        Some(name) => format!("nested: another `{name}` of the same form"),
        None => "nested: the same form as the whole".to_owned(),
    };
    remark(&mut cut, &sentence);
    cut
}

fn drop_own_format(schema: &mut Map<String, Value>) {
    let format = schema.get("format").and_then(Value::as_str);
    let known = format.and_then(|format| FORMATS.iter().find(|(name, _)| *name == format));
    if let Some((_, sentence)) = known {
        schema.remove("format");
        remark(schema, sentence);
    }
}

/// Every schema in `schema` changed, innermost first.
pub(super) fn bottom_up(schema: Value, change: &mut dyn FnMut(&mut Map<String, Value>)) -> Value {
    let Value::Object(members) = schema else { return schema };
    let mut members = map_children(members, |child| bottom_up(child, change));
    change(&mut members);
    Value::Object(members)
}
