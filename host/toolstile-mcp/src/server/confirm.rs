//! Confirmation by the person behind the client.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;
use toolstile_core::{
    Answer, AskError, Caller as _, Confirm, ConfirmRequest, Decision, Question, escape_invisible,
};

use super::caller::RequestCaller;

/// The key of the question, and the member of the form that decides.
const KEY: &str = "confirm";
const DECISION: &str = "decision";

/// Asks by a form (MCP, "Elicitation"); what is not approved there is refused.
#[derive(Debug)]
pub(crate) struct ByForm {
    pub(crate) caller: Arc<RequestCaller>,
    /// How the client calls itself, for the person to see.
    pub(crate) client: Option<String>,
}

#[async_trait]
impl Confirm for ByForm {
    async fn confirm(&self, request: &ConfirmRequest) -> Decision {
        if !self.caller.offered().elicit {
            return deny(&format!(
                "this client cannot ask a person (it does not declare `elicitation`); the operator \
                 allows calls of `{}` without by `confirm = \"never\"` where its plugin or server \
                 is configured",
                request.tool
            ));
        }
        match self.caller.ask(vec![(KEY.to_owned(), self.question(request))]).await {
            Ok(answers) => decision(answers.into_iter().next().map(|(_, answer)| answer)),
            Err(AskError::TimedOut) => deny("nobody decided in time"),
            Err(error) => deny(&error.to_string()),
        }
    }
}

impl ByForm {
    fn question(&self, request: &ConfirmRequest) -> Question {
        let who = self.client.as_deref().unwrap_or("The client");
        let message = format!(
            "{} wants to call a tool that needs your confirmation. Exactly this would run:\n\n{}",
            escape_invisible(who),
            request.render()
        );
        let decision = json!({
            "type": "string",
            "title": "Decision",
            "oneOf": [
                {"const": "deny", "title": "Do not run it"},
                {"const": "approve", "title": "Run exactly this, once"},
            ],
            "default": "deny",
        });
        let schema = json!({
            "type": "object", "properties": {DECISION: decision}, "required": [DECISION],
        });
        Question::Elicit { message, schema }
    }
}

fn decision(answer: Option<Answer>) -> Decision {
    match answer {
        Some(Answer::Accepted(form)) if form.get(DECISION) == Some(&json!("approve")) => {
            Decision::Approve
        }
        Some(Answer::Accepted(_) | Answer::Declined) => deny("the person refused"),
        _ => deny("nobody decided"),
    }
}

fn deny(reason: &str) -> Decision {
    Decision::Deny { reason: Some(reason.to_owned()) }
}
