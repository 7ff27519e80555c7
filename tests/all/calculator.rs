//! Vectors: the bundled calculator, as the component that users call, through
//! every gate.

use serde_json::{Value, json};
use toolstile::core::canonical_json;
use toolstile::{Completion, Host, HostConfig, Origin, Refusal, Stop};
use toolstile_tests::{Comparison, id, vectors};

/// Results of the vectors that this calculator refuses.
const DIFFERENT: [(&str, &str); 9] = [
    ("calculator-101", "no complex numbers"),
    ("calculator-104", "infinity is no result"),
    ("calculator-109", "infinity is no result"),
    ("calculator-111", "infinity is no result"),
    ("calculator-233", "no booleans"),
    ("calculator-234", "no booleans"),
    ("calculator-235", "no booleans"),
    ("calculator-236", "no booleans"),
    ("calculator-291", "names are not normalised (NFKC)"),
];

/// Calls that run at the same time.
const AT_ONCE: usize = 16;

#[tokio::test(flavor = "multi_thread")]
async fn expressions_and_parameters_hold() {
    let directory = tempfile::tempdir().unwrap();
    let host = host(directory.path()).await;
    let mut comparison = Comparison::new(&DIFFERENT);
    for cases in vectors("seeds/calculator.json").chunks(AT_ONCE) {
        let call = |case: &Value| {
            let (host, arguments) = (host.clone(), arguments(case));
            tokio::spawn(async move { host.call("calculator", arguments).await })
        };
        let calls: Vec<_> = cases.iter().map(call).collect();
        for (case, call) in cases.iter().zip(calls) {
            let completion = call.await.expect("the call ends");
            comparison.case(id(case), expected(case), found(&completion));
        }
    }
    comparison.finish("calculator", 209);
}

/// A host with nothing but the bundled plugins, and with a cache of its own.
async fn host(directory: &std::path::Path) -> Host {
    let mut config = HostConfig { base_dir: directory.to_owned(), ..HostConfig::default() };
    config.runtime.cache_dir = Some("cache".into());
    let host = Host::builder().config(config).build().await.expect("a host");
    assert_eq!(host.quarantined(), []);
    let tools = host.tools(Some(&["calculator"]));
    assert_eq!(tools[0].origin, Origin::Builtin);
    host
}

fn arguments(case: &Value) -> String {
    match &case["expression"] {
        Value::Null => case["parameters"].to_string(),
        expression => json!({ "expression": expression }).to_string(),
    }
}

/// What a case says: status and, where they are part of it, text, data, violations.
fn expected(case: &Value) -> Value {
    match (&case["text"], case["status"] == "success") {
        (text, true) => {
            let data = [&case["value"], &case["value_decimal"]].into_iter().find(|v| !v.is_null());
            // A case about parameters tells the text of its result alone.
            let data = data.map_or_else(|| text.as_str().unwrap_or_default().into(), digits);
            json!({"status": "success", "text": text, "data": data})
        }
        (text, false) => match &text["violations"] {
            // The kinds of errors are compared in the plugin's own tests.
            Value::Null => json!({"status": "error", "from": "tool"}),
            violations => json!({"status": "error", "from": "schema", "violations": violations}),
        },
    }
}

fn found(completion: &Completion) -> Value {
    let response = completion.response();
    match &completion.result {
        Ok(_) if response.status.as_str() == "error" => {
            json!({"status": "error", "from": "tool"})
        }
        Ok(response) => {
            let data = digits(response.data.as_ref().unwrap_or(&Value::Null));
            json!({"status": response.status, "text": response.text, "data": data})
        }
        Err(Stop::Refused(Refusal::InvalidArguments { violations, .. })) => {
            let violations: Vec<Value> = violations.iter().map(violation).collect();
            json!({"status": response.status, "from": "schema", "violations": violations})
        }
        Err(stop) => json!({ "stopped": stop.to_string() }),
    }
}

/// As the vectors write it: a path with dots, and what is missing.
fn violation(violation: &toolstile::Violation) -> Value {
    let path = violation.path.trim_start_matches('/').replace('/', ".");
    let mut value = json!({"path": path, "keyword": violation.keyword});
    if violation.keyword == "required" {
        value["missing"] = violation.message.split('"').nth(1).into();
    }
    value
}

/// The same text for the same number: `3.0` and `3` are one number in JSON, and
/// integers beyond ±2^53 are strings of digits.
fn digits(number: &Value) -> String {
    number.as_str().map_or_else(|| canonical_json(number), str::to_owned)
}
