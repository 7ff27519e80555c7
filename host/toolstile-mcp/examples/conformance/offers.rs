//! What can be read, and what a conversation can begin with.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use serde_json::json;
use toolstile_core::{
    Answer, CallContext, CompletionOf, OfferError, Prompt, PromptArgument, PromptContent,
    PromptDefinition, PromptMessage, PromptRole, Prompts, Question, Resource, ResourceBody,
    ResourceContent, ResourceTemplate, Resources,
};

use crate::tools::{PIXEL, embedded, image};

#[derive(Debug)]
pub(crate) struct Documents;

const TEMPLATE: &str = "test://template/{id}/data";

#[async_trait]
impl Resources for Documents {
    async fn list(&self, _: &CallContext) -> Result<Vec<Resource>, OfferError> {
        let resource = |name: &str, mime_type: &str| Resource {
            uri: format!("test://{name}"),
            name: name.to_owned(),
            title: None,
            description: Some("A resource for testing.".to_owned()),
            mime_type: Some(mime_type.to_owned()),
        };
        Ok(vec![
            resource("static-text", "text/plain"),
            resource("static-binary", "image/png"),
            resource("watched-resource", "text/plain"),
        ])
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![ResourceTemplate {
            uri_template: TEMPLATE.to_owned(),
            name: "template".to_owned(),
            title: None,
            description: Some("A family for testing.".to_owned()),
            mime_type: Some("application/json".to_owned()),
        }]
    }

    async fn read(&self, uri: &str, _: &CallContext) -> Result<Vec<ResourceContent>, OfferError> {
        let text = |text: &str| ("text/plain", ResourceBody::Text(text.to_owned()));
        let (mime_type, body) = match uri {
            "test://static-text" => text("This is the content of the static text resource."),
            "test://watched-resource" => text("This does not change."),
            "test://static-binary" => ("image/png", ResourceBody::Bytes(PIXEL.to_vec())),
            _ => ("application/json", ResourceBody::Text(from_template(uri)?)),
        };
        let mime_type = Some(mime_type.to_owned());
        Ok(vec![ResourceContent { uri: uri.to_owned(), mime_type, body }])
    }
}

fn from_template(uri: &str) -> Result<String, OfferError> {
    let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
    let id = id.ok_or_else(|| OfferError::NotFound(format!("there is no resource `{uri}`")))?;
    let data = format!("Data for ID: {id}");
    Ok(json!({"id": id, "templateTest": true, "data": data}).to_string())
}

#[derive(Debug)]
pub(crate) struct Beginnings {
    /// There is one prompt more.
    pub(crate) more: Arc<AtomicBool>,
}

fn definition(name: &str, arguments: &[&str]) -> PromptDefinition {
    let argument = |name: &&str| PromptArgument {
        name: (*name).to_owned(),
        title: None,
        description: None,
        required: true,
    };
    PromptDefinition {
        name: name.to_owned(),
        title: None,
        description: Some("A prompt for testing.".to_owned()),
        arguments: arguments.iter().map(argument).collect(),
    }
}

fn text(text: impl Into<String>) -> PromptContent {
    PromptContent::Text(text.into())
}

#[async_trait]
impl Prompts for Beginnings {
    fn list(&self) -> Vec<PromptDefinition> {
        let mut all = vec![
            definition("test_simple_prompt", &[]),
            definition("test_prompt_with_arguments", &["arg1", "arg2"]),
            definition("test_prompt_with_embedded_resource", &["resourceUri"]),
            definition("test_prompt_with_image", &[]),
            definition("test_input_required_result_prompt", &[]),
        ];
        if self.more.load(Ordering::SeqCst) {
            all.push(definition("test_late_prompt", &[]));
        }
        all
    }

    async fn get(
        &self,
        name: &str,
        arguments: Vec<(String, String)>,
        context: &CallContext,
    ) -> Result<Prompt, OfferError> {
        let argument = |wanted: &str| {
            let given = arguments.iter().find(|(name, _)| name == wanted);
            let missing = || OfferError::Refused(format!("the argument `{wanted}` is missing"));
            given.map(|(_, value)| value.as_str()).ok_or_else(missing)
        };
        let contents = match name {
            "test_simple_prompt" | "test_late_prompt" => {
                vec![text("This is a simple prompt for testing.")]
            }
            "test_prompt_with_arguments" => {
                let (one, two) = (argument("arg1")?, argument("arg2")?);
                vec![text(format!("Prompt with arguments: arg1='{one}', arg2='{two}'"))]
            }
            "test_prompt_with_embedded_resource" => {
                let data = b"Embedded resource content for testing.";
                let resource = embedded(argument("resourceUri")?, "text/plain", data);
                let then = text("Please process the embedded resource above.");
                vec![PromptContent::Attachment(resource), then]
            }
            "test_prompt_with_image" => {
                vec![PromptContent::Attachment(image()), text("Please analyze the image above.")]
            }
            "test_input_required_result_prompt" => vec![text(user_context(context).await?)],
            _ => return Err(OfferError::NotFound(format!("there is no prompt `{name}`"))),
        };
        let message = |content| PromptMessage { role: PromptRole::User, content };
        Ok(Prompt { description: None, messages: contents.into_iter().map(message).collect() })
    }

    async fn complete(
        &self,
        _: CompletionOf,
        _: &str,
        value: &str,
        _: Vec<(String, String)>,
        _: &CallContext,
    ) -> Result<Vec<String>, OfferError> {
        let all = ["paris", "park", "party"].into_iter();
        Ok(all.filter(|word| word.starts_with(value)).map(str::to_owned).collect())
    }
}

async fn user_context(context: &CallContext) -> Result<String, OfferError> {
    let fields = json!({"context": {"type": "string"}});
    let schema = json!({"type": "object", "properties": fields, "required": ["context"]});
    let message = "What context should the prompt use?".to_owned();
    let question = ("user_context".to_owned(), Question::Elicit { message, schema });
    let refused = |error: toolstile_core::AskError| OfferError::Refused(error.to_string());
    let answers = context.ask(vec![question]).await.map_err(refused)?;
    match answers.into_iter().next() {
        Some((_, Answer::Accepted(form))) => Ok(format!("The context is {}", form["context"])),
        _ => Err(OfferError::Refused("nobody said which context to use".to_owned())),
    }
}
