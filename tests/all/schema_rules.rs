//! Vectors: what a schema accepts, what the tool then receives, and what the model
//! is told. How signatures become schemas is tested where the macro lives.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use toolstile::core::{ToolExecutor, ToolRegistry, catalog, descriptions, function_schemas};
use toolstile::{
    Call, Completion, Origin, Refusal, RegisteredTool, SchemaShape, Stop, ToolResponse,
};
use toolstile_tests::{Comparison, RecordingTool, id, vectors};

const DIFFERENT: [(&str, &str); 4] = [
    ("schema_inference-061", "a whole number has one form, without a fraction"),
    ("schema_inference-064", "null for an optional argument means that it was left out"),
    ("schema_inference-076", "null for an optional argument means that it was left out"),
    ("schema_inference-079", "an integer beyond 64 bits is refused, with a reason"),
];

/// `g(s: str, i: int = 1, n: float = 1.5, b: bool = False, l: list = None,
/// d: dict = None, o: Optional[str] = None)`.
fn simple_schema() -> Value {
    json!({"type": "object", "required": ["s"], "properties": {
        "s": {"type": "string"},
        "i": {"type": "integer", "default": 1},
        "n": {"type": "number", "default": 1.5},
        "b": {"type": "boolean", "default": false},
        "l": {"type": "array"},
        "d": {"type": "object"},
        "o": {"type": "string"},
    }})
}

fn complex_schema() -> Value {
    json!({"type": "object", "required": ["mode"], "properties": {
        "mode": {"enum": ["a", "b"]},
        "tags": {"type": "array", "maxItems": 2, "items": {"type": "string", "minLength": 1}},
        "o": {
            "type": "object",
            "properties": {"x": {"type": "integer", "minimum": 0}},
            "additionalProperties": false,
        },
    }})
}

#[tokio::test]
async fn what_is_valid_holds() {
    let mut comparison = Comparison::new(&DIFFERENT);
    for case in vectors("seeds/schema_inference.json") {
        let (schema, shown): (_, fn(&Value) -> String) = match case["category"].as_str() {
            Some("validate") => (simple_schema(), python_tuple),
            Some("validate_complex") => (complex_schema(), Value::to_string),
            _ => continue,
        };
        let completion = call(schema, &case["params"]).await;
        let found = match &completion.result {
            Ok(ToolResponse { data: Some(arguments), .. }) => Ok(shown(arguments)),
            _ => Err(violations(&completion)),
        };
        comparison.case(id(&case), expected(&case), found);
    }
    comparison.finish("validation", 32);
}

async fn call(schema: Value, params: &Value) -> Completion {
    let registry = Arc::new(ToolRegistry::default());
    let tool = Arc::new(RecordingTool::new("g", schema));
    registry.register(RegisteredTool::new(tool, Origin::Native)).expect("free");
    // A value of serde_json holds that integer as a float.
    let text = params.to_string().replace("1e30", &format!("1{}", "0".repeat(30)));
    ToolExecutor::builder(registry).build().execute(Call::new("g", text)).await
}

/// What is wrong: path (RFC 6901), keyword and, for a missing property, its name.
type Violations = BTreeSet<(String, String, String)>;

fn violations(completion: &Completion) -> Violations {
    let Err(Stop::Refused(Refusal::InvalidArguments { violations, .. })) = &completion.result
    else {
        return BTreeSet::from([(completion.response().text, String::new(), String::new())]);
    };
    let missing = |keyword: &str, message: &str| match keyword {
        "required" => message.split('"').nth(1).unwrap_or_default().to_owned(),
        _ => String::new(),
    };
    let found = violations.iter();
    found.map(|v| (v.path.clone(), v.keyword.clone(), missing(&v.keyword, &v.message))).collect()
}

fn expected(case: &Value) -> Result<String, Violations> {
    match (&case["text"], case["category"] == "validate") {
        (Value::String(text), true) => Ok(text.clone()),
        (Value::String(text), false) => {
            Ok(serde_json::from_str::<Value>(text).expect("JSON").to_string())
        }
        (text, _) => {
            let list = text["violations"].as_array().expect("violations");
            Err(list.iter().map(expected_violation).collect())
        }
    }
}

/// The vectors write paths with dots.
fn expected_violation(violation: &Value) -> (String, String, String) {
    let text = |field: &str| violation[field].as_str().unwrap_or_default().to_owned();
    let path = match text("path").as_str() {
        "" => String::new(),
        dotted => format!("/{}", dotted.replace('.', "/")),
    };
    (path, text("keyword"), text("missing"))
}

/// The arguments as the function of the vectors shows them.
fn python_tuple(arguments: &Value) -> String {
    let parameters = ["s", "i", "n", "b", "l", "d", "o"];
    let shown: Vec<String> = parameters.map(|name| python(&arguments[name])).into();
    format!("({})", shown.join(", "))
}

fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("'{text}'"),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(python).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            let shown = members.iter().map(|(key, value)| format!("'{key}': {}", python(value)));
            format!("{{{}}}", shown.collect::<Vec<_>>().join(", "))
        }
    }
}

#[test]
fn renderings_hold() {
    let mut comparison = Comparison::new(&[]);
    let mut described = RecordingTool::new("calculator", json!({}));
    described.definition.description = "<calculator description>".into();
    let mut silent = RecordingTool::new("g", simple_schema());
    silent.definition.description = String::new();
    let tools = [described, silent]
        .map(|tool| Arc::new(RegisteredTool::new(Arc::new(tool), Origin::Native)));
    for case in vectors("seeds/schema_inference.json") {
        let (expected, found) = match case["what"].as_str() {
            Some("description of an empty registry") => {
                (json!("no tools are available"), json!(descriptions(&[])))
            }
            Some("schema of an empty registry") => {
                (case["value"].clone(), json!(function_schemas(&[], SchemaShape::OpenAi)))
            }
            Some(_) => (case["text"].clone(), json!(catalog(&tools))),
            None => continue,
        };
        comparison.case(id(&case), expected, found);
    }
    comparison.finish("renderings", 3);
}
