//! Work that waits for a client that asks again with its answers: multi round-trip requests
//! of MCP 2026-07-28.
//!
//! The client holds a sealed handle, never the work. A handle is good once, for the same
//! principal, the same request and ten minutes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::ErrorData;
use rmcp::model::{
    InputRequests, InputRequiredResult, InputResponses, RequestStateCodec, SealOptions,
};
use toolstile_core::{Answer, AskError, Question};

use super::ask;
use super::caller::Asked;
use super::work::{PATIENCE, Running};

/// How much work waits at the same time, over all clients.
const MAX_WAITING: usize = 64;

/// How often a client may ask again without having answered.
const MAX_REPEATS: u32 = 8;

/// The work that waits, by handle.
#[derive(Debug)]
pub(crate) struct Suspended {
    codec: RequestStateCodec,
    waiting: Arc<Mutex<HashMap<String, Waiting>>>,
}

#[derive(Debug)]
struct Waiting {
    running: Running,
    asked: Asked,
    repeats: u32,
}

/// What a client's answers led to.
pub(crate) enum Resumed {
    /// The work goes on.
    Running(Running),
    /// Answers are missing, and asked for again.
    Asks(InputRequiredResult),
}

impl Default for Suspended {
    fn default() -> Self {
        let codec = RequestStateCodec::try_new(random::<32>()).expect("32 bytes are enough");
        Self { codec, waiting: Arc::default() }
    }
}

impl Suspended {
    /// Keeps work until its questions are answered, and gives what the client is told.
    /// `bound` is what the handle is good for.
    pub(crate) fn park(
        &self,
        running: Running,
        asked: Asked,
        bound: &str,
    ) -> Result<InputRequiredResult, ErrorData> {
        self.keep(Waiting { running, asked, repeats: 0 }, bound)
    }

    /// Takes work up again. The handle is used up whatever comes of it.
    pub(crate) fn resume(
        &self,
        state: &str,
        responses: &InputResponses,
        bound: &str,
    ) -> Result<Resumed, ErrorData> {
        let handle = self.codec.open_with(state, bound.as_bytes()).map_err(|_| {
            refused("the request state is not one of this server's for this very request")
        })?;
        let waiting = self.take(&String::from_utf8_lossy(&handle));
        let mut waiting = waiting.ok_or_else(|| {
            refused("the request state was used before or has expired; make the request anew")
        })?;
        match answers(&waiting.asked.questions, responses) {
            Ok(answers) => {
                // The work itself says what it makes of an answer that comes too late.
                let _ = waiting.asked.reply.send(Ok(answers));
                Ok(Resumed::Running(waiting.running))
            }
            Err(_) if waiting.repeats < MAX_REPEATS => {
                waiting.repeats += 1;
                self.keep(waiting, bound).map(Resumed::Asks)
            }
            Err(error) => Err(refused(error.to_string())),
        }
    }

    fn keep(&self, waiting: Waiting, bound: &str) -> Result<InputRequiredResult, ErrorData> {
        let requests = requests(&waiting.asked.questions)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let handle: String = random::<16>().iter().map(|byte| format!("{byte:02x}")).collect();
        {
            let mut all = self.lock();
            if all.len() >= MAX_WAITING {
                let message = "too many requests wait for answers; try again later";
                return Err(ErrorData::internal_error(message, None));
            }
            all.insert(handle.clone(), waiting);
        }
        self.forget_later(handle.clone());
        let options = SealOptions::new().associated_data(bound.as_bytes()).ttl(PATIENCE);
        let state = self.codec.seal_with(handle.as_bytes(), &options);
        let mut result = InputRequiredResult::from_request_state(state);
        result.input_requests = Some(requests);
        Ok(result)
    }

    /// Work that nobody takes up again must not be kept.
    fn forget_later(&self, handle: String) {
        let waiting = Arc::downgrade(&self.waiting);
        tokio::spawn(async move {
            tokio::time::sleep(PATIENCE).await;
            if let Some(waiting) = waiting.upgrade() {
                waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&handle);
            }
        });
    }

    fn take(&self, handle: &str) -> Option<Waiting> {
        self.lock().remove(handle)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn requests(questions: &[(String, Question)]) -> Result<InputRequests, AskError> {
    questions.iter().map(|(key, question)| Ok((key.clone(), ask::request(question)?))).collect()
}

/// All answers, each checked; members that nobody asked for are ignored.
fn answers(
    questions: &[(String, Question)],
    responses: &InputResponses,
) -> Result<Vec<(String, Answer)>, AskError> {
    let answer = |(key, question): &(String, Question)| {
        let missing = || AskError::Failed(format!("the answer to `{key}` is missing"));
        let answered = responses.get(key).ok_or_else(missing)?;
        Ok((key.clone(), ask::answer(question, answered)?))
    };
    questions.iter().map(answer).collect()
}

fn refused(message: impl Into<String>) -> ErrorData {
    ErrorData::invalid_params(message.into(), None)
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    bytes
}
