//! The public cases of argument texts and schemas.

use serde_json::{Value, json};
use toolstile::core::ArgumentsText;
use toolstile::{Arguments, JsonLimits};
use toolstile_tests::{Comparison, id, vector_lines};

use super::judge;

fn cases(class: &str) -> Vec<Value> {
    let mut cases = vector_lines("security/gates.jsonl");
    cases.retain(|case| case["cls"] == class);
    cases
}

fn accepts(case: &Value, outcome: &str) -> bool {
    match case["accept"].as_array() {
        Some(accepted) => accepted.iter().any(|a| a == outcome),
        None => case["expect"] == outcome,
    }
}

#[test]
fn argument_texts_hold() {
    let mut comparison = Comparison::new(&[]);
    for case in cases("json") {
        let raw = raw(&case);
        let found = match Arguments::read(&ArgumentsText::Text(raw.clone()), JsonLimits::ARGUMENTS)
        {
            Err(_) if accepts(&case, "error_or_exact") => "error_or_exact",
            Err(_) => "reject",
            Ok(_) if raw.is_empty() => "empty_object",
            Ok(_) => "accept",
        };
        comparison.accept(id(&case), accepts(&case, found), || found.to_owned());
    }
    comparison.finish("argument texts", 19);
}

fn raw(case: &Value) -> String {
    let recipe = &case["raw_gen"];
    let part = |name: &str| recipe[name].as_str().unwrap_or_default();
    let Some(count) = recipe["count"].as_u64() else {
        return case["raw"].as_str().expect("a text").to_owned();
    };
    let repeat = |text: &str| text.repeat(usize::try_from(count).expect("a count"));
    let (open, close) = (repeat(part("open")), repeat(part("close")));
    format!("{}{open}{}{close}{}", part("prefix"), part("middle"), part("suffix"))
}

#[test]
fn schemas_hold() {
    let mut comparison = Comparison::new(&[]);
    for case in cases("schema") {
        let judged = judge(schema(&case), instance(&case));
        let outcomes: &[&str] = match &judged {
            Err(_) => &["reject_at_registration"],
            Ok(_) => &["accept", "bounded"],
        };
        let holds = outcomes.iter().any(|outcome| accepts(&case, outcome));
        comparison.accept(id(&case), holds, || format!("{judged:?}"));
    }
    comparison.finish("schemas", 20);
}

fn schema(case: &Value) -> Value {
    match case["schema_gen"]["properties"].as_u64() {
        Some(count) => {
            let properties = (0..count).map(|i| (format!("p{i}"), json!({"type": "string"})));
            json!({"type": "object", "properties": properties.collect::<serde_json::Map<_, _>>()})
        }
        None => case["schema"].clone(),
    }
}

/// Without an instance, the empty object.
fn instance(case: &Value) -> Value {
    if let Some(key) = case["instance_gen"].get("@key") {
        return json!({ text(key): "x" });
    }
    match (&case["instance_gen"]["x"], &case["instance"]) {
        (Value::Null, Value::Null) => json!({}),
        (Value::Null, instance) => instance.clone(),
        (recipe, _) => match recipe["array_of_objects"].as_u64() {
            Some(count) => json!({"x": (0..count).map(|i| json!({ "i": i })).collect::<Vec<_>>()}),
            None => json!({"x": text(recipe)}),
        },
    }
}

fn text(recipe: &Value) -> String {
    let part = |name: &str| recipe[name].as_str().expect("a text");
    let count = usize::try_from(recipe["count"].as_u64().expect("a count")).expect("a count");
    format!("{}{}", part("repeat").repeat(count), part("suffix"))
}
