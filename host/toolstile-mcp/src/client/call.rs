//! One call of a server's tool.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotificationParam, ClientRequest, ErrorCode,
    RequestId, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use serde_json::Value;
use toolstile_core::{AskError, CallContext, FailureKind, ToolError, ToolResponse};

use super::clean::{clean, one_line};
use super::config::Checked;
use super::elicit::fulfil;
use super::error::ClientError;
use super::result::response;
use super::supervisor::{Link, Shared};

/// A call with progress may take so many times its limit.
const TOTAL: u32 = 20;

/// How often a server may ask before it answers.
const MAX_ROUNDS: usize = 8;

/// Characters of an error that are shown.
const MAX_ERROR: usize = 1000;

/// Tells the server that nobody waits for an answer any more, unless there was one.
struct Unanswered<'a> {
    peer: &'a Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let peer = self.peer.clone();
        tokio::spawn(async move {
            let parameters = CancelledNotificationParam::new(Some(id), None);
            // A server that is gone needs no word.
            let _ = peer.notify_cancelled(parameters).await;
        });
    }
}

/// Sends the call and waits for its answer. What the server asks for meanwhile goes to
/// whoever made the call, and the call is sent again with the answers (MCP 2026-07-28,
/// "Multi Round-Trip Requests").
///
/// # Errors
/// No answer, or none that can be used. What the server itself says went wrong is an
/// answer.
pub(crate) async fn call(
    link: &Link,
    shared: &Shared,
    (remote, arguments): (&str, &Value),
    context: &CallContext,
) -> Result<ToolResponse, ToolError> {
    let server = &shared.server;
    let (mut responses, mut state) = (None, None);
    for _ in 0..MAX_ROUNDS {
        let mut round = CallToolRequestParams::new(remote.to_owned());
        round.arguments = arguments.as_object().cloned();
        round.input_responses = responses;
        round.request_state = state;
        let wanted = match send(link, server, round, context).await {
            Ok(ServerResult::CallToolResult(result)) => {
                return Ok(response(result, server.max_result_chars));
            }
            Ok(ServerResult::InputRequiredResult(wanted)) => wanted,
            Ok(_) => {
                let detail =
                    format!("`{}` answered `tools/call` with something else", server.namespace);
                return Err(ToolError::new(FailureKind::Contract, detail));
            }
            Err(error) => {
                shared.heed(&error);
                return unanswered(server, error);
            }
        };
        let requests = wanted.input_requests.unwrap_or_default();
        let asked = match server.elicit || requests.is_empty() {
            true => fulfil(requests, &server.namespace, context).await,
            false => Err(AskError::NotOffered),
        };
        responses = match asked {
            Ok(answers) => Some(answers),
            Err(error) => return Ok(unasked(server, &error)),
        };
        state = wanted.request_state;
    }
    let namespace = &server.namespace;
    Ok(ToolResponse::error(format!("the server `{namespace}` does not stop asking for things")))
}

/// One request, and what came for it.
async fn send(
    link: &Link,
    server: &Checked,
    parameters: CallToolRequestParams,
    context: &CallContext,
) -> Result<ServerResult, ClientError> {
    let limit = server.timeout;
    let options = PeerRequestOptions::with_timeout(limit)
        .reset_timeout_on_progress()
        .with_max_total_timeout(limit * TOTAL);
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(parameters));
    let sent = link.peer.send_cancellable_request(request, options).await;
    let sent = sent.map_err(|error| failed("tools/call", limit, error))?;
    let mut cancel = Unanswered { peer: &link.peer, id: Some(sent.id.clone()) };
    let _following = link.listener.follow(sent.progress_token.clone(), context);
    let answered = sent.await_response().await;
    cancel.id = None;
    answered.map_err(|error| failed("tools/call", limit, error))
}

fn unasked(server: &Checked, error: &AskError) -> ToolResponse {
    let namespace = &server.namespace;
    let why = match error {
        AskError::NotOffered => "and cannot here".to_owned(),
        error => format!("and there is no answer: {error}"),
    };
    ToolResponse::error(format!(
        "the server `{namespace}` wants to ask for something before it answers, {why}"
    ))
}

fn unanswered(server: &Checked, error: ClientError) -> Result<ToolResponse, ToolError> {
    let namespace = &server.namespace;
    match error {
        ClientError::TimedOut { limit, .. } => {
            let detail = format!("the server `{namespace}` gave no valid answer");
            Err(ToolError::new(FailureKind::Deadline(limit), detail))
        }
        error => Ok(ToolResponse::error(format!("the server `{namespace}` failed: {error}"))),
    }
}

/// An error of the protocol in our words.
pub(crate) fn failed(method: &'static str, limit: Duration, error: ServiceError) -> ClientError {
    let required = error.is_authorization_required();
    if let Some(unauthorized) = ClientError::unauthorized(error.auth_challenge(), required) {
        return unauthorized;
    }
    match error {
        ServiceError::Timeout { .. } => ClientError::TimedOut { method, limit },
        ServiceError::TransportClosed | ServiceError::Cancelled { .. } => ClientError::Ended,
        ServiceError::McpError(error)
            if error.code == ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY =>
        {
            let message = "it wants to ask for something that it may not ask for here; \
                           `elicit = true` permits forms";
            ClientError::Answered { method, message: message.to_owned() }
        }
        ServiceError::McpError(error) => {
            let message = clean(&error.message, MAX_ERROR).0;
            ClientError::Answered { method, message: format!("{message} ({})", error.code.0) }
        }
        error => {
            let message = one_line(&error.to_string(), MAX_ERROR);
            ClientError::Answered { method, message }
        }
    }
}
