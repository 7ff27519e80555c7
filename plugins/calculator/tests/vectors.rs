//! Every public vector that evaluates an expression.

use serde_json::Value;
use toolstile_plugin_calculator::evaluate;

const VECTORS: &str = include_str!("../../../tests/cases/seeds/calculator.json");

/// What this calculator refuses on purpose, with the kind of its error.
const DELIBERATE: [(&str, &str, &str); 9] = [
    ("calculator-101", "domain", "no complex numbers"),
    ("calculator-104", "not_finite", "infinity is no result"),
    ("calculator-109", "not_finite", "infinity is no result"),
    ("calculator-111", "not_finite", "infinity is no result"),
    ("calculator-233", "bad_constant", "no booleans"),
    ("calculator-234", "bad_constant", "no booleans"),
    ("calculator-235", "bad_constant", "no booleans"),
    ("calculator-236", "bad_constant", "no booleans"),
    ("calculator-291", "bad_name", "names are not normalised (NFKC)"),
];

#[derive(serde::Deserialize)]
struct Vectors {
    cases: Vec<Case>,
}

#[derive(serde::Deserialize)]
struct Case {
    id: String,
    category: String,
    /// Absent where the parameters themselves are the case.
    expression: Option<String>,
    text: Value,
    value: Option<Value>,
    value_decimal: Option<String>,
}

#[test]
#[expect(clippy::print_stdout, reason = "says how many cases ran")]
fn vectors_hold() {
    let vectors: Vectors = serde_json::from_str(VECTORS).expect("the vectors are readable");
    let (expressions, others): (Vec<Case>, Vec<Case>) =
        vectors.cases.into_iter().partition(|case| case.expression.is_some());
    assert!(others.iter().all(|case| case.category == "parameters"));

    let failures: Vec<String> = expressions.iter().filter_map(failure).collect();
    println!(
        "{} expressions, {} of them different on purpose; {} other cases",
        expressions.len(),
        DELIBERATE.len(),
        others.len()
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!((expressions.len(), others.len()), (204, 5));
}

/// What is wrong with the answer to a case.
fn failure(case: &Case) -> Option<String> {
    let expression = case.expression.as_deref()?;
    let deliberate = DELIBERATE.iter().find(|(id, ..)| *id == case.id);
    let expected = match deliberate {
        Some((_, kind, _)) => format!("error calculator.{kind}"),
        None => expected(case),
    };
    let found = match evaluate(expression) {
        Ok(number) => format!("{} = {number}", comparable(&number.to_json())),
        Err(error) => format!("error calculator.{}", error.kind()),
    };
    (found != expected).then(|| format!("{}: {found}, expected {expected}", case.id))
}

fn expected(case: &Case) -> String {
    let value = case.value.as_ref().map(comparable).or(case.value_decimal.clone());
    match (value, &case.text) {
        (Some(value), Value::String(text)) => format!("{value} = {text}"),
        (_, text) => format!("error {}", text["kind"].as_str().unwrap_or("without kind")),
    }
}

/// The same text for the same number, whether it is a JSON number or a string
/// of digits.
fn comparable(value: &Value) -> String {
    match value {
        Value::String(digits) => digits.clone(),
        other => other.to_string(),
    }
}
