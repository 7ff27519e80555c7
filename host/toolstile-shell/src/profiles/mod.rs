//! The argument policies of programs: what a profile says, after it was read.
//!
//! A profile is an allow-list. `file` is the shape of the TOML, `notation` reads the
//! short notation of options and operands, `library` finds the profile of a program,
//! `check` looks for rules that cannot hold or can never apply.

pub(crate) mod check;
mod file;
pub(crate) mod library;
pub(crate) mod notation;

use std::collections::BTreeMap;

use serde::Deserialize;
use thiserror::Error;

use self::notation::{OptionRule, Shape};
use crate::verdict::Verdict;

/// What may stand in a command line of one program, or of one of its sub-commands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Profile {
    pub(crate) summary: Option<String>,
    /// The verdict when every word is listed and clean.
    pub(crate) verdict: Verdict,
    pub(crate) reason: Option<String>,
    /// What the child's environment has besides the common variables.
    pub(crate) environment: BTreeMap<String, String>,
    /// Words that are put right behind the program or the sub-command.
    pub(crate) insert: Vec<String>,
    /// Files of the directory can make it run programs: only the sandbox helps.
    pub(crate) wall: bool,
    pub(crate) syntax: Syntax,
    /// Options may follow operands.
    pub(crate) permute: bool,
    /// `-3` is a count.
    pub(crate) numeric: bool,
    pub(crate) options: Options,
    /// The options that may stand before a sub-command.
    pub(crate) globals: Options,
    /// `None`: a program of sub-commands that needs one of them.
    pub(crate) operands: Option<Shape>,
    /// Other operands when an option is there.
    pub(crate) operands_if: Vec<(String, Shape)>,
    /// Words that may stand alone behind the program, whatever the verdict is.
    pub(crate) alone: Vec<String>,
    /// Options without which an allowed command needs a person.
    pub(crate) allow_with: Vec<String>,
    pub(crate) commands: BTreeMap<String, Profile>,
    pub(crate) examples: Examples,
}

/// How the words of a program are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Syntax {
    /// `getopt_long` of the GNU C library, without abbreviations.
    #[default]
    Getopt,
    /// Every option is a whole word; letters are never combined.
    Words,
    /// The expressions of `find`.
    Find,
    /// `getopt`, with a first word of bundled letters that needs no dash.
    Tar,
}

/// Command lines with the verdict that they have to get.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Examples {
    pub(crate) allow: Vec<String>,
    pub(crate) confirm: Vec<String>,
    pub(crate) refuse: Vec<String>,
}

impl Examples {
    /// Every example with its verdict.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, Verdict)> {
        let lists = [
            (&self.allow, Verdict::Allow),
            (&self.confirm, Verdict::Confirm),
            (&self.refuse, Verdict::Refuse),
        ];
        lists
            .into_iter()
            .flat_map(|(list, verdict)| list.iter().map(move |e| (e.as_str(), verdict)))
    }
}

/// The options that a profile knows, whatever it thinks of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    rules: Vec<OptionRule>,
}

impl Options {
    pub(crate) fn find(&self, name: &str) -> Option<&OptionRule> {
        self.rules.iter().find(|rule| rule.names.iter().any(|known| known == name))
    }

    /// A short option by its letter.
    pub(crate) fn letter(&self, letter: char) -> Option<&OptionRule> {
        self.find(&format!("-{letter}"))
    }

    pub(crate) fn extend(&mut self, rules: impl IntoIterator<Item = OptionRule>) {
        self.rules.extend(rules);
    }

    /// Adds shared rules: a name that is known keeps its own meaning.
    fn extend_with_new(&mut self, rules: impl IntoIterator<Item = OptionRule>) {
        for mut rule in rules {
            rule.names.retain(|name| self.find(name).is_none());
            if !rule.names.is_empty() {
                self.rules.push(rule);
            }
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &OptionRule> {
        self.rules.iter()
    }

    /// The names that a model may use, for a message.
    pub(crate) fn usable_names(&self) -> impl Iterator<Item = &str> {
        let usable = self.rules.iter().filter(|rule| rule.standing != Verdict::Refuse);
        usable.flat_map(|rule| rule.names.iter().map(String::as_str))
    }
}

impl Profile {
    /// The operands that are expected when these options are there.
    pub(crate) fn shape(&self, used: impl Fn(&str) -> bool) -> Shape {
        let special = self.operands_if.iter().find(|(option, _)| used(option));
        special
            .map(|(_, shape)| shape.clone())
            .or_else(|| self.operands.clone())
            .unwrap_or_default()
    }

    /// Whether it never runs.
    pub(crate) fn is_refused(&self) -> bool {
        self.verdict == Verdict::Refuse
    }
}

/// A policy file that does not load. Written for the operator.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// Not TOML, or with keys that a profile does not have.
    #[error("`{file}`: {message}")]
    File {
        /// The name of the file.
        file: String,
        /// What the reader of TOML says.
        message: String,
    },
    /// An option, an operand or a set that is not written as they are.
    #[error("`{file}`, `{rule}`: {message}")]
    Rule {
        /// The name of the file.
        file: String,
        /// The program and the sub-commands.
        rule: String,
        /// What is wrong.
        message: String,
    },
}
