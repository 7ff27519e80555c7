//! Why a command line does not run, said so that a model can write a better one.

use thiserror::Error;

/// What kind of thing was wrong; programs branch on this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusalKind {
    /// There was no word at all.
    Empty,
    /// Longer than a command line may be.
    TooLong,
    /// The text is not words: an open quote, an operator, an invisible character.
    Syntax,
    /// The first word is no program that the operator listed.
    UnknownProgram,
    /// The operator listed it, but it is not installed.
    MissingProgram,
    /// The program would start others, or never runs from here.
    ForbiddenProgram,
    /// A sub-command, an option, an operand or a script that no rule allows.
    Arguments,
}

/// A command line that does not run. Its text is written for the model: what was wrong
/// and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Refused {
    kind: RefusalKind,
    message: String,
    rule: Option<String>,
}

impl Refused {
    pub(crate) fn new(kind: RefusalKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), rule: None }
    }

    /// The same for the commonest kind.
    pub(crate) fn arguments(message: impl Into<String>) -> Self {
        Self::new(RefusalKind::Arguments, message)
    }

    /// Notes the rule that refused, unless a narrower one is noted already.
    pub(crate) fn by(mut self, rule: &str) -> Self {
        self.rule.get_or_insert_with(|| rule.to_owned());
        self
    }

    /// What kind of thing was wrong.
    #[must_use]
    pub fn kind(&self) -> RefusalKind {
        self.kind
    }

    /// The rule that refused, for example `git log (profiles/git.toml)`. `None` when the
    /// command line never got to a rule.
    #[must_use]
    pub fn rule(&self) -> Option<&str> {
        self.rule.as_deref()
    }
}

/// The candidate nearest to a misspelt word, when one is near enough to help: one slip
/// away, or alike by Jaro–Winkler similarity.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    // One slip makes any very short word of any other.
    let slip = |candidate| word.len() > 2 && strsim::osa_distance(word, candidate) <= 1;
    let closeness = |candidate| match slip(candidate) {
        true => 1.0,
        false => strsim::jaro_winkler(word, candidate),
    };
    let scored = candidates.into_iter().map(|candidate| (closeness(candidate), candidate));
    let (score, best) = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (score > 0.84).then_some(best)
}

/// Names for a message: in backticks, at most `limit` of them.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>, limit: usize) -> String {
    let all: Vec<_> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match all.len() {
        0 => "none".to_owned(),
        count if count <= limit => all.join(", "),
        count => format!("{} and {} more", all[..limit].join(", "), count - limit),
    }
}

/// A word for a message: escaped, in backticks, and cut when it is long.
pub(crate) fn quoted(word: &str) -> String {
    let escaped = |c: char| match c {
        '`' => "'".to_owned(),
        c if c.is_control() => c.escape_default().to_string(),
        c => c.to_string(),
    };
    let shown: String = word.chars().take(60).map(escaped).collect();
    let cut = if word.chars().count() > 60 { "…" } else { "" };
    format!("`{shown}{cut}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_short_and_on_one_line() {
        assert_eq!(quoted("a\nb`c"), "`a\\nb'c`");
        assert_eq!(quoted(&"x".repeat(100)), format!("`{}…`", "x".repeat(60)));
    }

    #[test]
    fn lists_are_cut() {
        assert_eq!(listed([], 3), "none");
        assert_eq!(listed(["a", "b", "c"], 2), "`a`, `b` and 1 more");
    }
}
