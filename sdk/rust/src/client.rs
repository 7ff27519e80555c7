//! Questions to whoever made the call, while it runs: an MCP client with a person and a
//! model behind it.
//!
//! The operator grants it (`[plugin.NAME.grants.client]`). Fails with
//! [`Denied`](crate::ErrorKind::Denied) without a grant, and with
//! [`Unavailable`](crate::ErrorKind::Unavailable) where nobody can be asked, native code
//! included.

use serde_json::{Map, Value};

use crate::bindings::toolstile::plugin::client as wit;
use crate::error::ask as ask_host;
use crate::{Error, ErrorKind};

pub use wit::{Offer, Root};

/// One question.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// A form for a person. Anyone may read what is filled in: never ask for secrets.
    Elicit {
        /// What is asked.
        message: String,
        /// JSON Schema of an object with properties of primitive types.
        schema: Value,
    },
    /// The parameters of `sampling/createMessage` of the Model Context Protocol, for the
    /// client's model.
    Sample(Value),
    /// The directories that the client works in.
    Roots,
}

/// The answer to one question.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The form, filled in.
    Accepted(Map<String, Value>),
    /// The person said no.
    Declined,
    /// The person did not decide.
    Cancelled,
    /// The result of `sampling/createMessage`.
    Sampled(Value),
    /// The client's directories.
    Roots(Vec<Root>),
}

/// What can be asked in this call, here and now.
pub fn offered() -> Offer {
    if cfg!(target_family = "wasm") { wit::offered() } else { Offer::empty() }
}

/// Asks one question. The time that the answer takes does not count against the call's
/// deadline.
pub fn ask(question: Question) -> Result<Answer, Error> {
    let answers = ask_all([("question", question)])?;
    let answer = answers.into_iter().next().map(|(_, answer)| answer);
    answer.ok_or_else(|| unusable("there is none"))
}

/// Asks several questions at once, each under a key of its own, and gives the answers
/// under the same keys.
pub fn ask_all<K: Into<String>>(
    questions: impl IntoIterator<Item = (K, Question)>,
) -> Result<Vec<(String, Answer)>, Error> {
    let questions: Vec<_> =
        questions.into_iter().map(|(key, question)| (key.into(), question.into())).collect();
    let answers = ask_host("client", || wit::ask(&questions))?;
    answers.into_iter().map(|(key, answer)| Ok((key, read(answer)?))).collect()
}

fn read(answer: wit::Answer) -> Result<Answer, Error> {
    let json =
        |text: &str| serde_json::from_str(text).map_err(|error| unusable(&error.to_string()));
    Ok(match answer {
        wit::Answer::Accepted(text) => match json(&text)? {
            Value::Object(form) => Answer::Accepted(form),
            _ => return Err(unusable("a form is an object")),
        },
        wit::Answer::Declined => Answer::Declined,
        wit::Answer::Cancelled => Answer::Cancelled,
        wit::Answer::Sampled(text) => Answer::Sampled(json(&text)?),
        wit::Answer::Roots(roots) => Answer::Roots(roots),
    })
}

fn unusable(why: &str) -> Error {
    Error { kind: ErrorKind::Other, message: format!("the answer cannot be used: {why}") }
}

impl From<Question> for wit::Question {
    fn from(question: Question) -> Self {
        match question {
            Question::Elicit { message, schema } => {
                Self::Elicit(wit::Form { message, schema: schema.to_string() })
            }
            Question::Sample(parameters) => Self::Sample(parameters.to_string()),
            Question::Roots => Self::Roots,
        }
    }
}
