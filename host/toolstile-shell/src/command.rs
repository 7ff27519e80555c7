//! A command line that passed the policy.

use std::collections::BTreeMap;

/// A command line that may run, perhaps after a question. Only
/// [`Shell::check_command`](crate::Shell::check_command) and
/// [`Shell::check_words`](crate::Shell::check_words) make one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedCommand {
    pub(crate) words: Vec<String>,
    pub(crate) confirmation: Option<String>,
    pub(crate) rule: String,
    pub(crate) environment: BTreeMap<String, String>,
}

impl CheckedCommand {
    /// The words exactly as they will run, the program first, with those that the
    /// policy puts in.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Why a person has to agree to these words; `None` when nobody has to.
    #[must_use]
    pub fn needs_confirmation(&self) -> Option<&str> {
        self.confirmation.as_deref()
    }

    /// The rule that decided, for example `git status (profiles/git.toml)`.
    #[must_use]
    pub fn rule(&self) -> &str {
        &self.rule
    }
}
