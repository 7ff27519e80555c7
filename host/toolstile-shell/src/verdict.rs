//! The three verdicts, and how findings add up to one.

use serde::Deserialize;

/// What may become of a command line. Ordered: a later verdict is stricter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It reads inside the working directory: it runs without a question.
    #[default]
    Allow,
    /// It runs after a person has agreed to exactly these words.
    Confirm,
    /// It never runs.
    Refuse,
}

/// Why a command line needs a person, as far as it was looked at. The first reason
/// stays: it is the one nearest to the front of the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Doubts {
    reason: Option<String>,
}

impl Doubts {
    /// Notes a reason; later ones do not replace it.
    pub(crate) fn add(&mut self, reason: impl Into<String>) {
        self.reason.get_or_insert_with(|| reason.into());
    }

    /// Adds what another look found.
    pub(crate) fn extend(&mut self, other: Self) {
        self.reason = self.reason.take().or(other.reason);
    }

    /// The reason, when there is one.
    pub(crate) fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// The same for the owner.
    pub(crate) fn into_reason(self) -> Option<String> {
        self.reason
    }
}

/// What a judge of one word answers: nothing to say, a doubt, or a reason to refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// Nothing speaks against it.
    Clean,
    /// A person has to look; why.
    Doubtful(String),
    /// Never; why.
    Forbidden(String),
}

impl Finding {
    /// A doubt.
    pub(crate) fn doubt(reason: impl Into<String>) -> Self {
        Self::Doubtful(reason.into())
    }

    /// A reason to refuse.
    pub(crate) fn forbid(reason: impl Into<String>) -> Self {
        Self::Forbidden(reason.into())
    }
}
