//! Schemas made of others, made into one: at the root, where providers want a plain
//! object, and wherever `allOf` is not understood.

use serde_json::{Map, Value, json};

use super::members;

/// What no provider takes at the root.
const ROOT_ONLY: [&str; 12] = [
    "anyOf",
    "oneOf",
    "allOf",
    "enum",
    "const",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "dependentRequired",
    "nullable",
];

/// The schema as an object whose `properties` tell of every branch. Required is what is
/// required in all of them.
pub(super) fn flat_root(schema: Value) -> Map<String, Value> {
    let mut root = members(schema);
    merge_all_of(&mut root, 0);
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = root.remove(keyword) {
            // Branches have branches.
            let branches = branches.into_iter().filter(is_object).map(flat_root);
            join(&mut root, branches.collect());
        }
    }
    root.retain(|keyword, _| !ROOT_ONLY.contains(&keyword.as_str()));
    root.insert("type".to_owned(), Value::from("object"));
    root.entry("properties").or_insert_with(|| json!({}));
    root
}

/// Whether the schema admits an object at all; `null` beside an object tells nothing.
fn is_object(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::String(name)) => name == "object",
        Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
        _ => schema.is_object(),
    }
}

/// Merges `allOf` into the schema: every branch holds.
pub(super) fn merge_all_of(schema: &mut Map<String, Value>, depth: usize) {
    let Some(Value::Array(branches)) = schema.remove("allOf") else { return };
    for branch in branches {
        let mut branch = members(branch);
        if depth < 64 {
            merge_all_of(&mut branch, depth + 1);
        }
        merge(schema, branch);
    }
}

/// Both hold. Of a keyword that both have, properties and required names are put
/// together, and else the first stays.
fn merge(schema: &mut Map<String, Value>, branch: Map<String, Value>) {
    for (keyword, value) in branch {
        match (keyword.as_str(), schema.get_mut(&keyword), value) {
            ("properties", Some(Value::Object(own)), Value::Object(more)) => {
                for (name, property) in more {
                    merge_property(own, name, property);
                }
            }
            ("required", Some(Value::Array(own)), Value::Array(more)) => {
                own.extend(more.into_iter().filter(|name| !own.contains(name)).collect::<Vec<_>>());
            }
            (_, Some(_), _) => {}
            (_, None, value) => {
                schema.insert(keyword, value);
            }
        }
    }
}

fn merge_property(own: &mut Map<String, Value>, name: String, property: Value) {
    match own.get_mut(&name) {
        Some(Value::Object(known)) => merge(known, members(property)),
        _ => {
            own.insert(name, property);
        }
    }
}

/// One of the branches holds.
fn join(root: &mut Map<String, Value>, branches: Vec<Map<String, Value>>) {
    if branches.is_empty() {
        return;
    }
    let common = common_required(&branches);
    let mut own = members(root.remove("properties").unwrap_or_default());
    let given: Vec<String> = own.keys().cloned().collect();
    for branch in branches {
        for (name, property) in members(branch.get("properties").cloned().unwrap_or_default()) {
            // What the root says of a property, it says for every branch.
            if !given.contains(&name) || own.get(&name) == Some(&json!({})) {
                add_alternative(&mut own, name, property);
            }
        }
    }
    root.insert("properties".to_owned(), Value::Object(own));
    if !common.is_empty() {
        let mut more = Map::new();
        more.insert("required".to_owned(), Value::Array(common));
        merge(root, more);
    }
}

fn common_required(branches: &[Map<String, Value>]) -> Vec<Value> {
    let required = |branch: &Map<String, Value>| match branch.get("required") {
        Some(Value::Array(names)) => names.clone(),
        _ => Vec::new(),
    };
    let mut common = branches.first().map(required).unwrap_or_default();
    for branch in branches.iter().skip(1) {
        let names = required(branch);
        common.retain(|name| names.contains(name));
    }
    common
}

/// A property that branches describe differently is one or the other. Where a branch
/// says nothing of it, what the others say is of more use than that it may be anything.
fn add_alternative(own: &mut Map<String, Value>, name: String, property: Value) {
    let Some(known) = own.get_mut(&name) else {
        own.insert(name, property);
        return;
    };
    if *known == property || property == json!({}) {
        return;
    }
    if *known == json!({}) {
        *known = property;
        return;
    }
    if let Some(consts) = joined_consts(known, &property) {
        *known = consts;
        return;
    }
    let only_alternatives = known.as_object().is_some_and(|members| members.len() == 1);
    match known.get_mut("anyOf") {
        Some(Value::Array(alternatives)) if only_alternatives => {
            if !alternatives.contains(&property) {
                alternatives.push(property);
            }
        }
        _ => *known = json!({"anyOf": [known.take(), property]}),
    }
}

/// `const` in every branch, as a tag has it, is an `enum`.
fn joined_consts(known: &Value, property: &Value) -> Option<Value> {
    let mut values = match (known.get("const"), known.get("enum")) {
        (Some(only), _) => vec![only.clone()],
        (None, Some(Value::Array(values))) => values.clone(),
        _ => return None,
    };
    let next = property.get("const")?;
    if !values.contains(next) {
        values.push(next.clone());
    }
    let mut joined = members(known.clone());
    joined.remove("const");
    joined.insert("enum".to_owned(), Value::Array(values));
    Some(Value::Object(joined))
}
