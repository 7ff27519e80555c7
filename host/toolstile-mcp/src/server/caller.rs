//! The client behind a request, as the call sees it.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};
use toolstile_core::{Answer, AskError, Caller, Level, Offered, Progress, Question};

/// What happens during a call, in order.
#[derive(Debug)]
pub(crate) enum Event {
    Progress(Progress),
    Log(Level, String),
    Asked(Asked),
}

/// Questions of a call, and where their answers go.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) questions: Vec<(String, Question)>,
    pub(crate) reply: oneshot::Sender<Result<Vec<(String, Answer)>, AskError>>,
}

/// Passes what happens during a call on to whoever waits for it.
#[derive(Debug)]
pub(crate) struct RequestCaller {
    events: mpsc::UnboundedSender<Event>,
    offered: Offered,
    missing: Mutex<Offered>,
}

impl RequestCaller {
    pub(crate) fn new(offered: Offered) -> (Self, mpsc::UnboundedReceiver<Event>) {
        // What a tool may say in a call is bounded where it is said.
        let (events, receiver) = mpsc::unbounded_channel();
        (Self { events, offered, missing: Mutex::default() }, receiver)
    }

    /// What was asked for and the client does not declare.
    pub(crate) fn missing(&self) -> Offered {
        *self.missing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn miss(&self, questions: &[(String, Question)]) -> bool {
        let unanswered = questions.iter().filter(|(_, question)| !self.offered.answers(question));
        let mut missing = self.missing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut some = false;
        for (_, question) in unanswered {
            some = true;
            match question {
                Question::Sample(_) => missing.sample = true,
                Question::Roots => missing.roots = true,
                _ => missing.elicit = true,
            }
        }
        some
    }
}

#[async_trait]
impl Caller for RequestCaller {
    fn progress(&self, progress: &Progress) {
        // Nobody waits any more when the receiver is gone.
        let _ = self.events.send(Event::Progress(progress.clone()));
    }

    fn log(&self, level: Level, line: &str) {
        let _ = self.events.send(Event::Log(level, line.to_owned()));
    }

    fn offered(&self) -> Offered {
        self.offered
    }

    async fn ask(
        &self,
        questions: Vec<(String, Question)>,
    ) -> Result<Vec<(String, Answer)>, AskError> {
        if self.miss(&questions) {
            return Err(AskError::NotOffered);
        }
        let gone = || AskError::Failed("the client is gone".to_owned());
        let (reply, answers) = oneshot::channel();
        self.events.send(Event::Asked(Asked { questions, reply })).map_err(|_| gone())?;
        answers.await.map_err(|_| gone())?
    }
}
