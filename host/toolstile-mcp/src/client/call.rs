//! One call of a server's tool.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotificationParam, ClientRequest, RequestId,
    ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use serde_json::Value;
use toolstile_core::{CallContext, FailureKind, ToolError, ToolResponse};

use super::clean::clean;
use super::config::Checked;
use super::error::ClientError;
use super::handler::Listener;
use super::result::response;

/// A call with progress may take so many times its limit.
const TOTAL: u32 = 20;

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

/// Sends the call and waits for its answer.
///
/// # Errors
/// No answer, or none that can be used. What the server itself says went wrong is an
/// answer.
pub(crate) async fn call(
    peer: &Peer<RoleClient>,
    listener: &Listener,
    server: &Checked,
    (remote, arguments): (&str, &Value),
    context: &CallContext,
) -> Result<ToolResponse, ToolError> {
    let mut parameters = CallToolRequestParams::new(remote.to_owned());
    if let Value::Object(members) = arguments {
        parameters = parameters.with_arguments(members.clone());
    }
    let limit = server.timeout;
    let options = PeerRequestOptions::with_timeout(limit)
        .reset_timeout_on_progress()
        .with_max_total_timeout(limit * TOTAL);
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(parameters));
    let sent = peer.send_cancellable_request(request, options).await;
    let sent = match sent {
        Ok(sent) => sent,
        Err(error) => return unanswered(server, failed("tools/call", limit, error)),
    };
    let mut cancel = Unanswered { peer, id: Some(sent.id.clone()) };
    let _following = listener.follow(sent.progress_token.clone(), context);
    let answered = sent.await_response().await;
    cancel.id = None;
    match answered {
        Ok(ServerResult::CallToolResult(result)) => Ok(response(result, server.max_result_chars)),
        Ok(ServerResult::InputRequiredResult(_)) => Ok(ToolResponse::error(format!(
            "the server `{}` wants to ask for something before it answers, and cannot here",
            server.namespace
        ))),
        Ok(_) => {
            let detail =
                format!("`{}` answered `tools/call` with something else", server.namespace);
            Err(ToolError::new(FailureKind::Contract, detail))
        }
        Err(error) => unanswered(server, failed("tools/call", limit, error)),
    }
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
    match error {
        ServiceError::Timeout { .. } => ClientError::TimedOut { method, limit },
        ServiceError::TransportClosed | ServiceError::Cancelled { .. } => ClientError::Ended,
        ServiceError::McpError(error) => {
            let message = clean(&error.message, MAX_ERROR).0;
            ClientError::Answered { method, message: format!("{message} ({})", error.code.0) }
        }
        error => {
            let message = clean(&error.to_string().replace('\n', " "), MAX_ERROR).0;
            ClientError::Answered { method, message }
        }
    }
}
