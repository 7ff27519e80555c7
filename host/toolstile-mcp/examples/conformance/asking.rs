//! The tools that ask the client in the middle of a call.

use serde_json::{Map, Value, json};
use toolstile_core::{Answer, CallContext, Question, ToolResponse};

use crate::native::Native;
use crate::tools::none;

type Questions = Vec<(String, Question)>;

pub(crate) fn all() -> Vec<Native> {
    let prompt = json!({
        "type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"],
    });
    let message = json!({
        "type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"],
    });
    let sampling = Native::new("test_sampling", "Asks a model.", prompt, |arguments, context| {
        let question = sample(arguments["prompt"].as_str().unwrap_or_default(), 100);
        Box::pin(asked(vec![one("answer", question)], context))
    });
    let elicitation =
        Native::new("test_elicitation", "Asks a person.", message, |arguments, context| {
            let text = arguments["message"].as_str().unwrap_or_default();
            let fields = json!({"username": {"type": "string"}, "email": {"type": "string"}});
            Box::pin(asked(vec![one("user", form(text, fields))], context))
        });
    let prefixed = |name: &str| format!("test_input_required_result_{name}");
    vec![
        sampling,
        elicitation,
        asking("test_elicitation_sep1034_defaults", || vec![one("user", form("Who?", defaults()))]),
        asking("test_elicitation_sep1330_enums", || vec![one("user", form("Which?", enums()))]),
        asking("test_missing_capability", || vec![one("answer", sample("Hello", 10))]),
        asking("test_streaming_elicitation", || vec![one("user_name", name())]),
        asking(&prefixed("elicitation"), || vec![one("user_name", name())]),
        asking(&prefixed("sampling"), || {
            vec![one("capital_question", sample("What is the capital of France?", 100))]
        }),
        asking(&prefixed("list_roots"), || vec![one("client_roots", Question::Roots)]),
        asking(&prefixed("request_state"), || vec![one("confirm", confirmation())]),
        asking(&prefixed("tampered_state"), || vec![one("confirm", confirmation())]),
        asking(&prefixed("multiple_inputs"), || {
            let greeting = sample("Generate a greeting", 50);
            let mut questions = one("user_name", name());
            questions.extend(one("greeting", greeting));
            questions.extend(one("client_roots", Question::Roots));
            vec![questions]
        }),
        asking(&prefixed("multi_round"), || {
            let color = json!({"color": {"type": "string"}});
            let color = form("Step 2: What is your favorite color?", color);
            let name = form("Step 1: What is your name?", json!({"name": {"type": "string"}}));
            vec![one("step1", name), one("step2", color)]
        }),
        Native::new(&prefixed("capabilities"), "Asks what it may.", none(), |_, context| {
            let offered = context.offered();
            let all = [("user_name", name()), ("answer", sample("Hello", 10))];
            let may = all.into_iter().filter(|(_, question)| offered.answers(question));
            let questions = may.map(|(key, question)| (key.to_owned(), question)).collect();
            Box::pin(asked(vec![questions], context))
        }),
    ]
}

fn one(key: &str, question: Question) -> Questions {
    vec![(key.to_owned(), question)]
}

fn asking(name: &str, rounds: fn() -> Vec<Questions>) -> Native {
    Native::new(name, "Asks the client.", none(), move |_, c| Box::pin(asked(rounds(), c)))
}

async fn asked(rounds: Vec<Questions>, context: CallContext) -> ToolResponse {
    let mut answers = Vec::new();
    for questions in rounds {
        match context.ask(questions).await {
            Ok(more) => answers.extend(more),
            Err(error) => return ToolResponse::error(error.to_string()),
        }
    }
    let said: Vec<String> =
        answers.iter().map(|(key, answer)| format!("{key}: {}", said(answer))).collect();
    // The word that the suite looks for after a state was sent back.
    ToolResponse::success(format!("state-ok; {}", said.join("; ")))
}

fn said(answer: &Answer) -> String {
    match answer {
        Answer::Accepted(form) => format!("action=accept, content={}", Value::from(form.clone())),
        Answer::Sampled(message) => message["content"]["text"].to_string(),
        Answer::Roots(roots) => {
            roots.iter().map(|root| root.uri.as_str()).collect::<Vec<_>>().join(", ")
        }
        Answer::Declined => "action=decline".to_owned(),
        _ => "action=cancel".to_owned(),
    }
}

/// A form of these fields, all of them required unless they have a default.
fn form(message: &str, fields: Value) -> Question {
    let open = |field: &Value| field.get("default").is_none() && field["type"] != "array";
    let required: Vec<String> = match &fields {
        Value::Object(fields) => required(fields, open),
        _ => Vec::new(),
    };
    let schema = json!({"type": "object", "properties": fields, "required": required});
    Question::Elicit { message: message.to_owned(), schema }
}

fn required(fields: &Map<String, Value>, open: impl Fn(&Value) -> bool) -> Vec<String> {
    fields.iter().filter(|(_, field)| open(field)).map(|(name, _)| name.clone()).collect()
}

pub(crate) fn name() -> Question {
    form("What is your name?", json!({"name": {"type": "string"}}))
}

fn confirmation() -> Question {
    form("Please confirm", json!({"ok": {"type": "boolean"}}))
}

fn sample(text: &str, max_tokens: u32) -> Question {
    let content = json!({"type": "text", "text": text});
    let messages = json!([{"role": "user", "content": content}]);
    Question::Sample(json!({"messages": messages, "maxTokens": max_tokens}))
}

fn defaults() -> Value {
    json!({
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string", "enum": ["active", "inactive", "pending"], "default": "active",
        },
        "verified": {"type": "boolean", "default": true},
    })
}

fn enums() -> Value {
    let plain = json!(["option1", "option2", "option3"]);
    let titled = json!([
        {"const": "value1", "title": "First"},
        {"const": "value2", "title": "Second"},
        {"const": "value3", "title": "Third"},
    ]);
    json!({
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {
            "type": "string", "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    })
}
