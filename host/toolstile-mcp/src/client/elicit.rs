//! What a server asks for in the middle of a call, where the operator lets it
//! (`elicit = true`): a form for whoever made the call. Nothing else can be asked for.

use std::collections::BTreeMap;

use rmcp::model::{
    ElicitRequestParams, ElicitResult, ElicitationAction, InputRequest, InputRequests,
    InputResponses,
};
use serde_json::{Map, Value};
use toolstile_core::{Answer, AskError, CallContext, Namespace, Question};

use super::clean::clean;

/// Characters of a question.
const MAX_MESSAGE: usize = 2000;

/// Forms of one answer.
const MAX_FORMS: usize = 16;

/// Asks whoever made the call for everything that the server wants at once.
pub(crate) async fn fulfil(
    requests: InputRequests,
    server: &Namespace,
    context: &CallContext,
) -> Result<InputResponses, AskError> {
    if requests.len() > MAX_FORMS {
        return Err(AskError::Failed(format!("it asks for more than {MAX_FORMS} things at once")));
    }
    let mut questions = Vec::new();
    for (key, request) in requests {
        match request {
            InputRequest::Elicitation(elicit) => {
                questions.push((key, question(elicit.params, server)?));
            }
            _ => return Err(AskError::NotOffered),
        }
    }
    let mut responses = InputResponses::new();
    for (key, result) in put(questions, context).await? {
        let result = serde_json::to_value(result);
        responses.insert(key, result.map_err(|error| AskError::Failed(error.to_string()))?);
    }
    Ok(responses)
}

/// The same for a server that asks while it works (MCP 2025-11-25, "Elicitation").
pub(crate) async fn ask(
    params: ElicitRequestParams,
    server: &Namespace,
    context: &CallContext,
) -> Result<ElicitResult, AskError> {
    let question = (String::new(), question(params, server)?);
    let answered = put(vec![question], context).await?.pop();
    Ok(answered.map_or_else(|| ElicitResult::new(ElicitationAction::Cancel), |(_, result)| result))
}

/// Puts forms to whoever made the call. Where there is none, nobody is bothered.
async fn put(
    questions: Vec<(String, Question)>,
    context: &CallContext,
) -> Result<Vec<(String, ElicitResult)>, AskError> {
    if questions.is_empty() {
        return Ok(Vec::new());
    }
    let asked: BTreeMap<String, Question> = questions.iter().cloned().collect();
    let answers = context.ask(questions).await?.into_iter();
    let answers = answers.map(|(key, answer)| {
        let unasked = || AskError::Failed("an answer to what was not asked".to_owned());
        let result = result(answer, asked.get(&key).ok_or_else(unasked)?)?;
        Ok((key, result))
    });
    answers.collect()
}

/// A form. Who asks is said by us, since the server would say what it likes.
fn question(params: ElicitRequestParams, server: &Namespace) -> Result<Question, AskError> {
    let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = params
    else {
        return Err(AskError::NotOffered);
    };
    let schema = serde_json::to_value(requested_schema);
    let schema = schema.map_err(|error| AskError::Failed(error.to_string()))?;
    let message = clean(&message, MAX_MESSAGE).0;
    Ok(Question::Elicit { message: format!("The MCP server `{server}` asks: {message}"), schema })
}

fn result(answer: Answer, question: &Question) -> Result<ElicitResult, AskError> {
    Ok(match (answer, question) {
        (Answer::Accepted(content), Question::Elicit { schema, .. }) => {
            let content = Value::Object(with_defaults(content, schema));
            ElicitResult::new(ElicitationAction::Accept).with_content(content)
        }
        (Answer::Declined, _) => ElicitResult::new(ElicitationAction::Decline),
        (Answer::Cancelled, _) => ElicitResult::new(ElicitationAction::Cancel),
        _ => return Err(AskError::Failed("the answer is not one to a form".to_owned())),
    })
}

/// What was left out has its default.
fn with_defaults(mut content: Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    for (name, property) in properties {
        if let (Some(default), false) = (property.get("default"), content.contains_key(name)) {
            content.insert(name.clone(), default.clone());
        }
    }
    content
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_form_says_who_asks_and_what_is_left_out_has_its_default() {
        let params = json!({
            "mode": "form",
            "message": "your\u{202e} name",
            "requestedSchema": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "default": "Ann"},
                    "age": {"type": "integer", "default": 30},
                    "note": {"type": "string"},
                },
            },
        });
        let server = Namespace::parse("forms").unwrap();
        let question = question(serde_json::from_value(params).unwrap(), &server).unwrap();
        let Question::Elicit { message, .. } = &question else { panic!("{question:?}") };
        assert!(message.starts_with("The MCP server `forms` asks: your"), "{message}");
        assert!(!message.contains('\u{202e}'), "{message}");
        let given = json!({"age": 7}).as_object().cloned().unwrap();
        let accepted = result(Answer::Accepted(given), &question).unwrap();
        assert_eq!(accepted.content, Some(json!({"age": 7, "name": "Ann"})));
        assert_eq!(result(Answer::Declined, &question).unwrap().action, ElicitationAction::Decline);
    }

    #[test]
    fn a_page_is_not_opened_for_a_server() {
        let params = json!({
            "mode": "url", "message": "log in", "url": "https://x.example", "elicitationId": "1",
        });
        let server = Namespace::parse("forms").unwrap();
        let asked = question(serde_json::from_value(params).unwrap(), &server);
        assert_eq!(asked, Err(AskError::NotOffered));
    }
}
