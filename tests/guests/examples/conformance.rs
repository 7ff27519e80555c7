//! The fixtures that the conformance suite of the Model Context Protocol wants of a server:
//! tools, resources and prompts with these names and these answers.

use toolstile_sdk::client::{Answer, Question, ask, ask_all};
use toolstile_sdk::prompts::{
    Given, Prompt, PromptArgument, PromptDefinition, PromptMessage, Prompts, Reference,
};
use toolstile_sdk::resources::{Resource, ResourceContent, ResourceTemplate, Resources};
use toolstile_sdk::serde_json::{Map, Value, json};
use toolstile_sdk::{
    Attachment, Error, ErrorKind, Tool, ToolDefinition, ToolResponse, export, export_prompts,
    export_resources, log, progress, tool,
};

/// One red pixel.
const PNG: &[u8] = include_bytes!("conformance/pixel.png");
/// One sample of silence.
const WAV: &[u8] = include_bytes!("conformance/silence.wav");

fn image() -> Attachment {
    Attachment::Image { mime_type: "image/png".into(), data: PNG.into() }
}

fn embedded(uri: &str, mime_type: &str, text: &str) -> Attachment {
    Attachment::Embedded {
        uri: uri.into(),
        mime_type: Some(mime_type.into()),
        data: text.as_bytes().into(),
    }
}

/// Answers with text.
#[tool]
fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

/// Answers with a picture.
#[tool]
fn test_image_content() -> ToolResponse {
    ToolResponse::success("").with_attachment(image())
}

/// Answers with a sound.
#[tool]
fn test_audio_content() -> ToolResponse {
    let sound = Attachment::Audio { mime_type: "audio/wav".into(), data: WAV.into() };
    ToolResponse::success("").with_attachment(sound)
}

/// Answers with a resource.
#[tool]
fn test_embedded_resource() -> ToolResponse {
    let text = "This is an embedded resource content.";
    let resource = embedded("test://embedded-resource", "text/plain", text);
    ToolResponse::success("").with_attachment(resource)
}

/// Answers with text, a picture and a resource.
#[tool]
fn test_multiple_content_types() -> ToolResponse {
    let text = json!({"test": "data", "value": 123}).to_string();
    let resource = embedded("test://mixed-content-resource", "application/json", &text);
    ToolResponse::success("Multiple content types test:")
        .with_attachment(image())
        .with_attachment(resource)
}

/// Logs three lines.
#[tool]
fn test_tool_with_logging() -> &'static str {
    for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        log::info(line);
    }
    "Three lines were logged."
}

/// Logs a line.
#[tool]
fn test_logging_tool() -> &'static str {
    log::info("A line.");
    "A line was logged."
}

/// Fails.
#[tool]
fn test_error_handling() -> ToolResponse {
    ToolResponse::error("This tool intentionally returns an error for testing")
}

/// Reports progress.
#[tool]
fn test_tool_with_progress() -> &'static str {
    for done in [0.0, 50.0, 100.0] {
        progress::report(done, Some(100.0), None);
    }
    "Progress was reported three times."
}

fn say(prompt: &str, max_tokens: u32) -> Question {
    let content = json!({"type": "text", "text": prompt});
    let messages = json!([{"role": "user", "content": content}]);
    Question::Sample(json!({"messages": messages, "maxTokens": max_tokens}))
}

fn form(message: &str, properties: Value, required: &[&str]) -> Question {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    Question::Elicit { message: message.into(), schema }
}

fn sampled_text(answer: &Answer) -> String {
    match answer {
        Answer::Sampled(result) => {
            let content = &result["content"];
            let text = content["text"].as_str().or_else(|| content[0]["text"].as_str());
            text.unwrap_or_default().to_owned()
        }
        other => format!("{other:?}"),
    }
}

/// What became of a form, in the words that the suite looks for.
fn outcome(answer: &Answer) -> String {
    match answer {
        Answer::Accepted(form) => format!("action=accept, content={}", Value::Object(form.clone())),
        Answer::Declined => "action=decline, content={}".into(),
        _ => "action=cancel, content={}".into(),
    }
}

fn member(answer: &Answer, name: &str) -> String {
    match answer {
        Answer::Accepted(form) => form[name].as_str().unwrap_or_default().to_owned(),
        _ => "nobody".into(),
    }
}

/// Asks the client's model.
#[tool]
fn test_sampling(prompt: String) -> Result<String, Error> {
    Ok(format!("LLM response: {}", sampled_text(&ask(say(&prompt, 100))?)))
}

/// Asks a person for a name and an address.
#[tool]
fn test_elicitation(message: String) -> Result<String, Error> {
    let properties = json!({
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    });
    let answer = ask(form(&message, properties, &["username", "email"]))?;
    Ok(format!("User response: {}", outcome(&answer)))
}

/// Asks a person with a default for every primitive type.
#[tool]
fn test_elicitation_sep1034_defaults() -> Result<String, Error> {
    let properties = json!({
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string", "enum": ["active", "inactive", "pending"], "default": "active",
        },
        "verified": {"type": "boolean", "default": true},
    });
    let answer = ask(form("Please check the values.", properties, &[]))?;
    Ok(format!("Elicitation completed: {}", outcome(&answer)))
}

/// Asks a person with every kind of choice.
#[tool]
fn test_elicitation_sep1330_enums() -> Result<String, Error> {
    let titled = |ordinals: [&str; 3], noun: &str| -> Value {
        let choice = |(number, ordinal): (usize, &&str)| json!({"const": format!("value{}", number + 1), "title": format!("{ordinal} {noun}")});
        ordinals.iter().enumerate().map(choice).collect()
    };
    let options = json!(["option1", "option2", "option3"]);
    let ordinals = ["First", "Second", "Third"];
    let properties = json!({
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled(ordinals, "Option")},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled(ordinals, "Choice")}},
    });
    let answer = ask(form("Please choose.", properties, &[]))?;
    Ok(format!("Elicitation completed: {}", outcome(&answer)))
}

fn name_form(message: &str) -> Question {
    form(message, json!({"name": {"type": "string"}}), &["name"])
}

/// Asks a person for a name.
#[tool]
fn test_input_required_result_elicitation() -> Result<String, Error> {
    let answers = ask_all([("user_name", name_form("What is your name?"))])?;
    Ok(format!("Hello, {}!", member(&answers[0].1, "name")))
}

/// Asks the client's model for a capital.
#[tool]
fn test_input_required_result_sampling() -> Result<String, Error> {
    let answers = ask_all([("capital_question", say("What is the capital of France?", 100))])?;
    Ok(sampled_text(&answers[0].1))
}

/// Asks for the client's directories.
#[tool]
fn test_input_required_result_list_roots() -> Result<String, Error> {
    let answers = ask_all([("client_roots", Question::Roots)])?;
    Ok(format!("roots: {}", roots(&answers[0].1)))
}

fn roots(answer: &Answer) -> String {
    match answer {
        Answer::Roots(roots) => {
            roots.iter().map(|root| root.uri.as_str()).collect::<Vec<_>>().join(", ")
        }
        other => format!("{other:?}"),
    }
}

fn confirm() -> Result<String, Error> {
    let question = form("Please confirm", json!({"ok": {"type": "boolean"}}), &["ok"]);
    let answers = ask_all([("confirm", question)])?;
    Ok(format!("state-ok: {}", outcome(&answers[0].1)))
}

/// Asks a person to confirm.
#[tool]
fn test_input_required_result_request_state() -> Result<String, Error> {
    confirm()
}

/// Asks a person to confirm; the suite changes the state in between.
#[tool]
fn test_input_required_result_tampered_state() -> Result<String, Error> {
    confirm()
}

/// Asks a person, a model and for directories at once.
#[tool]
fn test_input_required_result_multiple_inputs() -> Result<String, Error> {
    let answers = ask_all([
        ("user_name", name_form("What is your name?")),
        ("greeting", say("Generate a greeting", 50)),
        ("client_roots", Question::Roots),
    ])?;
    let find = |key: &str| &answers.iter().find(|(name, _)| name == key).expect("answered").1;
    let (name, greeting) = (member(find("user_name"), "name"), sampled_text(find("greeting")));
    Ok(format!("{greeting}, {name}; roots: {}", roots(find("client_roots"))))
}

/// Asks a person twice.
#[tool]
fn test_input_required_result_multi_round() -> Result<String, Error> {
    let name = ask_all([("step1", name_form("Step 1: What is your name?"))])?;
    let color = json!({"color": {"type": "string"}});
    let color =
        ask_all([("step2", form("Step 2: What is your favorite color?", color, &["color"]))])?;
    Ok(format!("{} likes {}.", member(&name[0].1, "name"), member(&color[0].1, "color")))
}

/// Asks only for what the client declares.
#[tool]
fn test_input_required_result_capabilities() -> Result<String, Error> {
    use toolstile_sdk::client::{Offer, offered};
    let mut questions = Vec::new();
    if offered().contains(Offer::ELICIT) {
        questions.push(("user_name", name_form("What is your name?")));
    }
    if offered().contains(Offer::SAMPLE) {
        questions.push(("greeting", say("Generate a greeting", 50)));
    }
    if offered().contains(Offer::ROOTS) {
        questions.push(("client_roots", Question::Roots));
    }
    let answers = ask_all(questions)?;
    Ok(format!("{} answers", answers.len()))
}

/// Needs a client that has a model.
#[tool]
fn test_missing_capability() -> Result<String, Error> {
    Ok(sampled_text(&ask(say("Say something.", 10))?))
}

/// Asks a person in the middle of a stream.
#[tool]
fn test_streaming_elicitation() -> Result<String, Error> {
    Ok(outcome(&ask(name_form("What is your name?"))?))
}

/// A tool whose schema stands in a file.
macro_rules! tool_with_schema {
    ($name:ident, $file:literal, $description:literal) => {
        #[derive(Default)]
        #[allow(non_camel_case_types, reason = "the tool has this name")]
        struct $name;

        impl Tool for $name {
            fn name(&self) -> &str {
                stringify!($name)
            }

            fn definition(&self) -> ToolDefinition {
                let schema = toolstile_sdk::serde_json::from_str(include_str!($file));
                ToolDefinition::new(self.name(), $description, schema.expect("JSON"))
            }

            fn call(&self, arguments: Map<String, Value>) -> ToolResponse {
                ToolResponse::success(format!("called with {}", Value::Object(arguments)))
            }
        }
    };
}

tool_with_schema!(
    json_schema_2020_12_tool,
    "conformance/schema.json",
    "Tool with JSON Schema 2020-12 features"
);
tool_with_schema!(
    test_custom_header,
    "conformance/header.json",
    "A tool with an argument that stands in a header field too."
);

export!(
    test_simple_text,
    test_image_content,
    test_audio_content,
    test_embedded_resource,
    test_multiple_content_types,
    test_tool_with_logging,
    test_logging_tool,
    test_error_handling,
    test_tool_with_progress,
    test_sampling,
    test_elicitation,
    test_elicitation_sep1034_defaults,
    test_elicitation_sep1330_enums,
    test_input_required_result_elicitation,
    test_input_required_result_sampling,
    test_input_required_result_list_roots,
    test_input_required_result_request_state,
    test_input_required_result_tampered_state,
    test_input_required_result_multiple_inputs,
    test_input_required_result_multi_round,
    test_input_required_result_capabilities,
    test_missing_capability,
    test_streaming_elicitation,
    json_schema_2020_12_tool,
    test_custom_header,
);

struct Fixtures;

impl Resources for Fixtures {
    fn list() -> Result<Vec<Resource>, Error> {
        let resource = |uri: &str, mime_type: &str| Resource {
            description: Some("A fixture.".into()),
            mime_type: Some(mime_type.into()),
            ..Resource::new(uri, uri.trim_start_matches("test://"))
        };
        Ok(vec![
            resource("test://static-text", "text/plain"),
            resource("test://static-binary", "image/png"),
            resource("test://watched-resource", "text/plain"),
        ])
    }

    fn templates() -> Vec<ResourceTemplate> {
        vec![ResourceTemplate {
            description: Some("A fixture.".into()),
            mime_type: Some("application/json".into()),
            ..ResourceTemplate::new("test://template/{id}/data", "template")
        }]
    }

    fn read(uri: &str) -> Result<Vec<ResourceContent>, Error> {
        let id = |uri: &str| {
            let rest = uri.strip_prefix("test://template/")?;
            Some(rest.strip_suffix("/data")?.to_owned())
        };
        let content = match (uri, id(uri)) {
            ("test://static-text", _) => {
                ResourceContent::text(uri, "This is the content of the static text resource.")
            }
            ("test://watched-resource", _) => ResourceContent::text(uri, "Never changes."),
            ("test://static-binary", _) => ResourceContent::bytes(uri, "image/png", PNG),
            (_, Some(id)) => {
                let data = format!("Data for ID: {id}");
                let text = json!({"id": id, "templateTest": true, "data": data}).to_string();
                let mime_type = Some("application/json".into());
                ResourceContent { mime_type, ..ResourceContent::text(uri, text) }
            }
            _ => return Err(Error::not_found(format!("there is no resource `{uri}`"))),
        };
        Ok(vec![content])
    }
}

impl Prompts for Fixtures {
    fn list() -> Vec<PromptDefinition> {
        let argument = |name: &str| PromptArgument::required(name).described("A fixture.");
        vec![
            PromptDefinition::new("test_simple_prompt", "Says one thing.", []),
            PromptDefinition::new(
                "test_prompt_with_arguments",
                "Says what it was told.",
                [argument("arg1"), argument("arg2")],
            ),
            PromptDefinition::new(
                "test_prompt_with_embedded_resource",
                "Shows a resource.",
                [argument("resourceUri")],
            ),
            PromptDefinition::new("test_prompt_with_image", "Shows a picture.", []),
            PromptDefinition::new("test_input_required_result_prompt", "Asks first.", []),
        ]
    }

    fn get(name: &str, given: &Given) -> Result<Prompt, Error> {
        let prompt = match name {
            "test_simple_prompt" => Prompt::user("This is a simple prompt for testing."),
            "test_prompt_with_arguments" => Prompt::user(format!(
                "Prompt with arguments: arg1='{}', arg2='{}'",
                given["arg1"], given["arg2"]
            )),
            "test_prompt_with_embedded_resource" => Prompt::of([
                PromptMessage::showing(embedded(
                    &given["resourceUri"],
                    "text/plain",
                    "Embedded resource content for testing.",
                )),
                PromptMessage::user("Please process the embedded resource above."),
            ]),
            "test_prompt_with_image" => Prompt::of([
                PromptMessage::showing(image()),
                PromptMessage::user("Please analyze the image above."),
            ]),
            "test_input_required_result_prompt" => {
                let properties = json!({"context": {"type": "string"}});
                let message = "What context should the prompt use?";
                let question = form(message, properties, &["context"]);
                let answers = ask_all([("user_context", question)])?;
                Prompt::user(format!("Context: {}", member(&answers[0].1, "context")))
            }
            _ => {
                let message = format!("there is no prompt `{name}`");
                return Err(Error { kind: ErrorKind::NotFound, message });
            }
        };
        Ok(prompt)
    }

    fn complete(of: &Reference, argument: &str, value: &str, _given: &Given) -> Vec<String> {
        match (of, argument) {
            (Reference::Prompt(name), "arg1") if name == "test_prompt_with_arguments" => {
                let words = ["paris", "park", "party"].iter();
                words.filter(|word| word.starts_with(value)).map(ToString::to_string).collect()
            }
            _ => Vec::new(),
        }
    }
}

export_resources!(Fixtures);
export_prompts!(Fixtures);
