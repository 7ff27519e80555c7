//! One request being worked on: the work itself, and what it says and asks meanwhile.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientResult, InputRequest, LoggingLevel, LoggingMessageNotificationParam,
    ProgressNotificationParam, ProgressToken, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions};
use serde_json::Value;
use tokio::sync::mpsc;
use toolstile_core::{
    Answer, AskError, Completion, Level, OfferError, Offered, Progress, Prompt, Question,
    ResourceContent,
};

use super::ask;
use super::caller::{Asked, Event, RequestCaller};

/// How long the person behind a client may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(600);

/// What a request asks for, on its way.
pub(crate) type Work = Pin<Box<dyn Future<Output = Finished> + Send>>;

/// What came of it.
#[derive(Debug)]
pub(crate) enum Finished {
    Called(Box<Completion>),
    Got(Result<Prompt, OfferError>),
    Read(Result<Vec<ResourceContent>, OfferError>),
}

/// Whom the request came from, as far as it can be told something meanwhile.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) peer: Peer<RoleServer>,
    pub(crate) progress: Option<ProgressToken>,
    pub(crate) log: Option<LoggingLevel>,
    /// The client answers requests while its own runs: revisions before 2026-07-28.
    pub(crate) pushes: bool,
}

/// Work that goes on. Dropping it stops it.
pub(crate) struct Running {
    work: Work,
    events: mpsc::UnboundedReceiver<Event>,
    caller: Arc<RequestCaller>,
    told: f64,
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running").field("caller", &self.caller).finish_non_exhaustive()
    }
}

/// How far the work came.
pub(crate) enum Turn {
    /// To its end; and what it asked for that the client does not declare.
    Finished(Finished, Offered),
    /// To questions that the client answers when it asks again.
    Asks(Running, Asked),
}

impl Running {
    pub(crate) fn new(
        work: Work,
        events: mpsc::UnboundedReceiver<Event>,
        caller: Arc<RequestCaller>,
    ) -> Self {
        Self { work, events, caller, told: f64::NEG_INFINITY }
    }

    /// Works until the end, or until there are questions that wait for another request.
    pub(crate) async fn go_on(mut self, line: &Line) -> Turn {
        loop {
            let event = tokio::select! {
                biased;
                Some(event) = self.events.recv() => event,
                finished = &mut self.work => {
                    while let Ok(event) = self.events.try_recv() {
                        self.tell(line, event).await;
                    }
                    return Turn::Finished(finished, self.caller.missing());
                }
            };
            match event {
                Event::Asked(asked) if !line.pushes => return Turn::Asks(self, asked),
                Event::Asked(Asked { questions, reply }) => {
                    // The call is gone when nobody takes the answer.
                    let _ = reply.send(push(&line.peer, questions).await);
                }
                event => self.tell(line, event).await,
            }
        }
    }

    async fn tell(&mut self, line: &Line, event: Event) {
        match event {
            Event::Progress(progress) => self.tell_progress(line, progress).await,
            Event::Log(level, text) => log(line, level, text).await,
            Event::Asked(_) => {}
        }
    }

    /// Progress only increases (MCP, "Progress").
    async fn tell_progress(&mut self, line: &Line, progress: Progress) {
        let Some(token) = &line.progress else { return };
        if progress.done <= self.told {
            return;
        }
        self.told = progress.done;
        let mut parameters = ProgressNotificationParam::new(token.clone(), progress.done);
        parameters.total = progress.total;
        parameters.message = progress.message;
        // A client that is gone cancels the request elsewhere.
        let _ = line.peer.notify_progress(parameters).await;
    }
}

async fn log(line: &Line, level: Level, text: String) {
    let level = match level {
        Level::Debug => LoggingLevel::Debug,
        Level::Info => LoggingLevel::Info,
        Level::Warn => LoggingLevel::Warning,
        Level::Error => LoggingLevel::Error,
    };
    if line.log.is_some_and(|least| severity(level) >= severity(least)) {
        let parameters = LoggingMessageNotificationParam::new(level, Value::String(text));
        let _ = line.peer.notify_logging_message(parameters).await;
    }
}

/// RFC 5424, the other way round.
fn severity(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}

/// Asks at once, one question after the other, as revisions before 2026-07-28 do it.
async fn push(
    peer: &Peer<RoleServer>,
    questions: Vec<(String, Question)>,
) -> Result<Vec<(String, Answer)>, AskError> {
    let mut answers = Vec::new();
    for (key, question) in questions {
        let answered = push_one(peer, ask::request(&question)?).await?;
        answers.push((key, ask::answer(&question, &answered)?));
    }
    Ok(answers)
}

async fn push_one(peer: &Peer<RoleServer>, request: InputRequest) -> Result<Value, AskError> {
    let request = match request {
        InputRequest::Elicitation(request) => ServerRequest::ElicitRequest(request),
        InputRequest::CreateMessage(request) => ServerRequest::CreateMessageRequest(request),
        InputRequest::ListRoots(request) => ServerRequest::ListRootsRequest(request),
        _ => return Err(AskError::NotOffered),
    };
    let options = PeerRequestOptions::with_timeout(PATIENCE);
    let failed = |error: rmcp::ServiceError| match error {
        rmcp::ServiceError::Timeout { .. } => AskError::TimedOut,
        error => AskError::Failed(format!("the client gave no answer: {error}")),
    };
    let sent = peer.send_request_with_option(request, options).await.map_err(failed)?;
    let answer: ClientResult = sent.await_response().await.map_err(failed)?;
    serde_json::to_value(&answer).map_err(|error| AskError::Failed(error.to_string()))
}
