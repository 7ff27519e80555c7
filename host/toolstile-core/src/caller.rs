//! Whoever made a call, as far as it can be reached while the call runs.

use std::fmt::Debug;

use async_trait::async_trait;
use serde_json::{Map, Value};

/// How far a call has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// In a unit of the tool's choice; never decreases within a call.
    pub done: f64,
    /// What `done` will be in the end, where that is known.
    pub total: Option<f64>,
    /// What is being done; invisible characters are escaped.
    pub message: Option<String>,
}

/// How important a line of a tool's log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// For somebody who searches for a fault.
    Debug,
    /// The normal course of things.
    Info,
    /// Something unexpected that did not stop the call.
    Warn,
    /// Something that made the call fail.
    Error,
}

/// Something that a tool wants to know from whoever called, in the middle of a call. The
/// three kinds are those of the Model Context Protocol.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Question {
    /// A form for a person.
    Elicit {
        /// What is asked; invisible characters are escaped.
        message: String,
        /// A JSON Schema of an object with properties of primitive types.
        schema: Value,
    },
    /// The parameters of `sampling/createMessage`, for the caller's model.
    Sample(Value),
    /// The directories that the caller works in.
    Roots,
}

/// What became of a [`Question`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// The form, filled in.
    Accepted(Map<String, Value>),
    /// The person said no.
    Declined,
    /// The person did not decide.
    Cancelled,
    /// The result of `sampling/createMessage`.
    Sampled(Value),
    /// The directories.
    Roots(Vec<Root>),
}

/// A directory that a caller works in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// A `file:` URI.
    pub uri: String,
    /// What it is called.
    pub name: Option<String>,
}

/// Which kinds of [`Question`] a caller answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offered {
    /// [`Question::Elicit`].
    pub elicit: bool,
    /// [`Question::Sample`].
    pub sample: bool,
    /// [`Question::Roots`].
    pub roots: bool,
}

impl Offered {
    /// Whether a question of this kind is answered.
    #[must_use]
    pub fn answers(self, question: &Question) -> bool {
        match question {
            Question::Elicit { .. } => self.elicit,
            Question::Sample(_) => self.sample,
            Question::Roots => self.roots,
        }
    }
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// Whoever called does not answer questions of this kind.
    #[error("whoever made this call cannot be asked for that")]
    NotOffered,
    /// No answer came in time.
    #[error("no answer came in time")]
    TimedOut,
    /// The answer cannot be used, or the caller is gone.
    #[error("{0}")]
    Failed(String),
}

/// Listens to a call while it runs, and answers its questions. What it is told was bounded
/// before.
#[async_trait]
pub trait Caller: Send + Sync + Debug {
    /// How far the call has come. Must return at once.
    fn progress(&self, _progress: &Progress) {}

    /// A line that the tool logged; invisible characters are escaped. Must return at once.
    fn log(&self, _level: Level, _line: &str) {}

    /// What can be asked.
    fn offered(&self) -> Offered {
        Offered::default()
    }

    /// Asks several questions at once, each under a key of its own. Gives as many answers,
    /// under the same keys. Dropping the future takes the questions back.
    ///
    /// # Errors
    /// [`AskError`] when one of them has no answer; [`AskError::NotOffered`], before
    /// anything is asked, when one is of a kind that is not in [`Caller::offered`].
    async fn ask(
        &self,
        _questions: Vec<(String, Question)>,
    ) -> Result<Vec<(String, Answer)>, AskError> {
        Err(AskError::NotOffered)
    }
}
