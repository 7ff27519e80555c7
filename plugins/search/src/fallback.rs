//! One source after another, until one has results.

use toolstile_sdk::{Error, ErrorKind};

use crate::texts;
use crate::{Answer, Entry, Provider};

/// Why a source was passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The host refused the request or could not send it: no grant, no key, no
    /// network.
    Host(Error),
    /// Another HTTP status than 200.
    Status(u16),
    /// A page that asks for a person.
    Captcha,
    /// Not the form that the source's answers have.
    Unreadable,
    /// No results.
    Empty,
}

impl Reason {
    /// The reason in words.
    pub fn text(&self) -> String {
        match self {
            Self::Host(error) => error.to_string(),
            Self::Status(429) => texts::RATE_LIMITED.plain(),
            Self::Status(status) => texts::STATUS.with(&[("status", status)]),
            Self::Captcha => texts::CAPTCHA.plain(),
            Self::Unreadable => texts::UNREADABLE.plain(),
            Self::Empty => texts::NO_RESULTS.plain(),
        }
    }

    pub(crate) fn is_denial(&self) -> bool {
        matches!(self, Self::Host(Error { kind: ErrorKind::Denied, .. }))
    }
}

/// A source that was passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The source.
    pub provider: Provider,
    /// Why.
    pub reason: Reason,
}

/// The first results that there were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Who has them.
    pub provider: Provider,
    /// Them.
    pub answer: Answer,
    /// The sources before, which failed.
    pub degraded: Vec<Failure>,
}

/// Asks `providers` in order until one has results. An answer without any is a
/// failure, whatever the source concluded.
///
/// # Errors
///
/// No source has results: what became of each.
pub fn first_found(
    providers: &[Provider],
    mut ask: impl FnMut(Provider) -> Result<Answer, Reason>,
) -> Result<Found, Vec<Failure>> {
    let mut degraded = Vec::new();
    for &provider in providers {
        match ask(provider).and_then(usable) {
            Ok(answer) => return Ok(Found { provider, answer, degraded }),
            Err(reason) => degraded.push(Failure { provider, reason }),
        }
    }
    Err(degraded)
}

fn usable(mut answer: Answer) -> Result<Answer, Reason> {
    answer.results.retain(|entry: &Entry| !entry.is_empty());
    match answer.results.is_empty() {
        true => Err(Reason::Empty),
        false => Ok(answer),
    }
}
