//! Questions and answers in the words of the protocol.

use rmcp::model::{
    ClientCapabilities, CreateMessageRequest, CreateMessageRequestParams, CreateMessageResult,
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    InputRequest, ListRootsRequest, ListRootsResult,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use toolstile_core::{Answer, AskError, Offered, Question, Root, ToolSchema};

/// What a client declares that it answers.
pub(crate) fn offered(capabilities: Option<&ClientCapabilities>) -> Offered {
    let Some(capabilities) = capabilities else { return Offered::default() };
    let form = |elicitation: &rmcp::model::ElicitationCapability| {
        // Without a mode it is forms (MCP 2025-11-25, "Elicitation").
        elicitation.form.is_some() || elicitation.url.is_none()
    };
    Offered {
        elicit: capabilities.elicitation.as_ref().is_some_and(form),
        sample: capabilities.sampling.is_some(),
        roots: capabilities.roots.is_some(),
    }
}

/// What a client would have to declare to be asked for this.
pub(crate) fn needed(missing: Offered) -> ClientCapabilities {
    let mut capabilities = ClientCapabilities::default();
    capabilities.elicitation = missing.elicit.then(Default::default);
    capabilities.sampling = missing.sample.then(Default::default);
    capabilities.roots = missing.roots.then(Default::default);
    capabilities
}

/// A question as a request to the client.
pub(crate) fn request(question: &Question) -> Result<InputRequest, AskError> {
    Ok(match question {
        Question::Elicit { message, schema } => InputRequest::Elicitation(ElicitRequest::new(
            ElicitRequestParams::FormElicitationParams {
                meta: None,
                message: message.clone(),
                requested_schema: read::<ElicitationSchema>(schema, "the schema of the form")?,
            },
        )),
        Question::Sample(parameters) => {
            let parameters: CreateMessageRequestParams = read(parameters, "the sampling request")?;
            parameters.validate().map_err(AskError::Failed)?;
            InputRequest::CreateMessage(CreateMessageRequest::new(parameters))
        }
        Question::Roots => InputRequest::ListRoots(ListRootsRequest {
            method: Default::default(),
            extensions: Default::default(),
        }),
        _ => return Err(AskError::NotOffered),
    })
}

fn read<T: DeserializeOwned>(value: &Value, what: &str) -> Result<T, AskError> {
    serde_json::from_value(value.clone())
        .map_err(|error| AskError::Failed(format!("{what} is not valid: {error}")))
}

/// What a client answered, checked: a form against its schema.
pub(crate) fn answer(question: &Question, answered: &Value) -> Result<Answer, AskError> {
    match question {
        Question::Elicit { schema, .. } => form(schema, read(answered, "the client's answer")?),
        Question::Sample(_) => {
            let _: CreateMessageResult = read(answered, "the client's answer")?;
            Ok(Answer::Sampled(answered.clone()))
        }
        Question::Roots => {
            let listed: ListRootsResult = read(answered, "the client's answer")?;
            let root = |root: rmcp::model::Root| Root { uri: root.uri, name: root.name };
            Ok(Answer::Roots(listed.roots.into_iter().map(root).collect()))
        }
        _ => Err(AskError::NotOffered),
    }
}

fn form(schema: &Value, answered: ElicitResult) -> Result<Answer, AskError> {
    let unusable = |why: &str| AskError::Failed(format!("the form came back unusable: {why}"));
    match answered.action {
        ElicitationAction::Decline => Ok(Answer::Declined),
        ElicitationAction::Accept => {
            let content = answered.content.unwrap_or_else(|| Value::Object(Default::default()));
            let schema = ToolSchema::compile_any(schema.clone());
            let schema = schema.map_err(|error| unusable(&error.to_string()))?;
            match content {
                content if !schema.is_valid(&content) => Err(unusable("it breaks its schema")),
                Value::Object(content) => Ok(Answer::Accepted(content)),
                _ => Err(unusable("it is no object")),
            }
        }
        _ => Ok(Answer::Cancelled),
    }
}
