//! `policy check`: rules that do not load, do not hold, or can never apply.

use std::fmt;
use std::path::PathBuf;

use super::library::{Entry, Library, SHIPPED, programs_of};
use super::{Options, Profile};
use crate::config::ShellConfig;
use crate::paths::Grounds;
use crate::policy::judge;
use crate::split::split;
use crate::verdict::Verdict;

/// What is wrong with a rule; `Display` says where and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileProblem {
    /// The program and its sub-commands, with the file, where that is known.
    pub rule: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ProfileProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rule.is_empty() {
            true => f.write_str(&self.message),
            false => write!(f, "{}: {}", self.rule, self.message),
        }
    }
}

/// Looks at the shipped profiles, or at those of a configuration: all load, their
/// examples hold, no rule is dead. Empty when all is well.
#[must_use]
pub fn check_profiles(config: Option<&ShellConfig>) -> Vec<ProfileProblem> {
    let library = match Library::load(config.map_or(&[], |config| &config.profiles)) {
        Ok(library) => library,
        Err(error) => return vec![problem("", error.to_string())],
    };
    let mut problems = Vec::new();
    for (name, entry) in library.iter().filter(|(_, entry)| concerns(config, entry)) {
        Checker { entry, problems: &mut problems }.check(name, &entry.profile);
        if config.is_some_and(|config| !config.programs.iter().any(|listed| listed == name)) {
            let message = "it can never apply: the program is not listed in `programs`";
            problems.push(problem(&place(name, entry), message));
        }
    }
    problems.extend(twice(config));
    problems
}

/// Without a configuration the shipped files, with one its own.
fn concerns(config: Option<&ShellConfig>, entry: &Entry) -> bool {
    config.is_none_or(|config| config.profiles.iter().any(|(file, _)| *file == entry.file))
}

fn place(name: &str, entry: &Entry) -> String {
    format!("`{name}` ({})", entry.file)
}

fn problem(rule: &str, message: impl Into<String>) -> ProfileProblem {
    ProfileProblem { rule: rule.to_owned(), message: message.into() }
}

/// Programs for which two of the files have a profile: one of them is dead.
fn twice(config: Option<&ShellConfig>) -> Vec<ProfileProblem> {
    let files: Vec<(&str, &str)> = match config {
        Some(config) => config.profiles.iter().map(|(f, t)| (f.as_str(), t.as_str())).collect(),
        None => SHIPPED.to_vec(),
    };
    let mut seen: Vec<(String, &str)> = Vec::new();
    let mut problems = Vec::new();
    for (file, text) in files {
        for (program, _) in programs_of(file, text).unwrap_or_default() {
            if let Some((_, other)) = seen.iter().find(|(name, _)| *name == program) {
                let message = format!("it can never apply: `{file}` has another profile of it");
                problems.push(problem(&format!("`{program}` ({other})"), message));
            }
            seen.push((program, file));
        }
    }
    problems
}

struct Checker<'a> {
    entry: &'a Entry,
    problems: &'a mut Vec<ProfileProblem>,
}

impl Checker<'_> {
    /// A table and those below it.
    fn check(&mut self, name: &str, profile: &Profile) {
        let rule = place(name, self.entry);
        let found = [
            doubled(&profile.options),
            dead(profile),
            unknown_names(profile),
            self.broken_examples(profile),
        ];
        self.problems.extend(found.into_iter().flatten().map(|message| problem(&rule, message)));
        for (command, inner) in &profile.commands {
            self.check(&format!("{name} {command}"), inner);
        }
    }

    fn broken_examples(&self, profile: &Profile) -> Vec<String> {
        let judged =
            profile.examples.all().map(|(line, wanted)| (line, wanted, self.verdict(line)));
        let broken = judged.filter(|(_, wanted, found)| found.0 != *wanted);
        broken
            .map(|(line, wanted, (found, why))| {
                format!("the example `{line}` should be {wanted:?} and is {found:?} ({why})")
            })
            .collect()
    }

    /// Examples are judged as if the program were listed and the directory empty.
    fn verdict(&self, line: &str) -> (Verdict, String) {
        let empty = PathBuf::from("/var/empty/toolstile");
        let grounds = Grounds::imagined(empty);
        let judged = split(line).and_then(|words| judge(&self.entry.profile, &words, &grounds));
        match judged {
            Err(refused) => (Verdict::Refuse, refused.to_string()),
            Ok(decision) => match decision.doubts.reason() {
                Some(reason) => (Verdict::Confirm, reason.to_owned()),
                None => (Verdict::Allow, "clean".to_owned()),
            },
        }
    }
}

/// Option names that stand in more than one rule: only the first counts.
fn doubled(options: &Options) -> Vec<String> {
    let mut seen: Vec<&str> = Vec::new();
    let mut doubled = Vec::new();
    for name in options.iter().flat_map(|rule| &rule.names) {
        match seen.contains(&name.as_str()) {
            true => doubled
                .push(format!("the option `{name}` is listed twice; the second never applies")),
            false => seen.push(name),
        }
    }
    doubled
}

/// Rules below something that refuses or answers first.
fn dead(profile: &Profile) -> Vec<String> {
    let mut dead = Vec::new();
    let has_rules = profile.options.iter().next().is_some() || !profile.commands.is_empty();
    if profile.is_refused() && has_rules {
        dead.push("it always refuses, so its options and sub-commands never apply".to_owned());
    }
    let mut names = profile.options.iter().flat_map(|rule| &rule.names);
    let is_digit =
        |name: &String| matches!(name.as_bytes(), [b'-', digit] if digit.is_ascii_digit());
    if profile.numeric && names.any(is_digit) {
        dead.push("options that are digits never apply where `numeric` is set".to_owned());
    }
    if profile.verdict != Verdict::Allow && !profile.allow_with.is_empty() {
        dead.push("`allow_with` never applies: the verdict is not `allow`".to_owned());
    }
    dead
}

/// Options that are named and do not exist, or are refused.
fn unknown_names(profile: &Profile) -> Vec<String> {
    let named = profile.operands_if.iter().map(|(option, _)| option).chain(&profile.allow_with);
    let unusable = |name: &&String| {
        profile.options.find(name).is_none_or(|rule| rule.standing == Verdict::Refuse)
    };
    let unusable = named.filter(unusable);
    unusable.map(|name| format!("the option `{name}` is named, but no rule allows it")).collect()
}
