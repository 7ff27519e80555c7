//! Walks the words of a command line along the profile of their program.

mod operands;
mod tar;
mod walk;

use std::collections::BTreeMap;

use crate::grammar::find;
use crate::paths::Grounds;
use crate::profiles::{Profile, Syntax};
use crate::refused::{RefusalKind, Refused, listed, nearest, quoted};
use crate::verdict::{Doubts, Verdict};

use self::walk::{Stop, Walk, walk};

/// What the policy says about words that it does not refuse.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decision {
    /// Why a person has to look.
    pub(crate) doubts: Doubts,
    /// What the child's environment has besides the common variables.
    pub(crate) environment: BTreeMap<String, String>,
    /// Words to put in, with the place where.
    pub(crate) inserts: Vec<(usize, Vec<String>)>,
    /// Only the sandbox keeps files from making the program run others.
    pub(crate) wall: bool,
    /// The program and the sub-commands that were recognised.
    pub(crate) rule: Vec<String>,
}

/// Judges the words of a command line, the program first.
pub(crate) fn judge(
    profile: &Profile,
    words: &[String],
    grounds: &Grounds,
) -> Result<Decision, Refused> {
    let mut case = Case { words, grounds, decision: Decision::default() };
    case.enter(profile, 0)?;
    Ok(case.decision)
}

/// One command line on its way through profiles.
struct Case<'a> {
    words: &'a [String],
    grounds: &'a Grounds,
    decision: Decision,
}

impl Case<'_> {
    /// Judges the words behind the one at `place`, which named this profile.
    fn enter(&mut self, profile: &Profile, place: usize) -> Result<(), Refused> {
        self.take(profile, place);
        let words = &self.words[place + 1..];
        if profile.is_refused() {
            return Err(self.forbidden(profile));
        }
        if let [only] = words
            && profile.alone.contains(only)
        {
            return Ok(());
        }
        match profile.commands.is_empty() {
            true => self.leaf(profile, words),
            false => self.branch(profile, place),
        }
    }

    /// What a profile says wherever the words lead.
    fn take(&mut self, profile: &Profile, place: usize) {
        self.decision.rule.push(self.words[place].clone());
        self.decision.environment.extend(profile.environment.clone());
        self.decision.wall |= profile.wall;
        if !profile.insert.is_empty() {
            self.decision.inserts.push((place + 1, profile.insert.clone()));
        }
    }

    fn forbidden(&self, profile: &Profile) -> Refused {
        let name = quoted(&self.decision.rule.join(" "));
        let reason = profile.reason.as_deref().unwrap_or("it is not allowed here");
        Refused::new(RefusalKind::ForbiddenProgram, format!("{name} never runs: {reason}"))
    }

    /// A program with sub-commands: which one is it?
    fn branch(&mut self, profile: &Profile, place: usize) -> Result<(), Refused> {
        let words = &self.words[place + 1..];
        let before = walk(&profile.globals, profile, words, Stop::AtOperand);
        let leaf = profile.operands.is_some();
        let before = match before {
            Err(_) if leaf => return self.leaf(profile, words),
            other => other?,
        };
        let word = before.operands.first().copied();
        match word.and_then(|word| profile.commands.get(word)) {
            Some(command) => {
                self.weigh_options(profile, &before)?;
                self.enter(command, place + 1 + before.first_operand)
            }
            None if leaf => self.leaf(profile, words),
            None => Err(self.unknown_command(profile, word)),
        }
    }

    fn unknown_command(&self, profile: &Profile, word: Option<&str>) -> Refused {
        let name = quoted(&self.decision.rule.join(" "));
        let usable = profile.commands.iter().filter(|(_, command)| !command.is_refused());
        let names: Vec<_> = usable.map(|(name, _)| name.as_str()).collect();
        let known = listed(names.iter().copied(), 12);
        let Some(word) = word else {
            return Refused::arguments(format!("{name} needs a sub-command: {known}"));
        };
        let hint = match nearest(word, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known are {known}"),
        };
        Refused::arguments(format!("{} is no known sub-command of {name}; {hint}", quoted(word)))
    }

    /// No sub-command is left: options and operands.
    fn leaf(&mut self, profile: &Profile, words: &[String]) -> Result<(), Refused> {
        match profile.syntax {
            Syntax::Find => {
                self.decision.doubts.extend(find::judge(words, self.grounds)?);
            }
            Syntax::Tar => {
                let words = tar::unbundle(&profile.options, words)?;
                self.arguments(profile, &words)?;
            }
            Syntax::Getopt | Syntax::Words => self.arguments(profile, words)?,
        }
        if profile.verdict == Verdict::Confirm {
            let reason = profile.reason.clone();
            self.decision.doubts.add(reason.unwrap_or_else(|| {
                format!("{} does more than read", quoted(&self.decision.rule.join(" ")))
            }));
        }
        Ok(())
    }

    fn arguments(&mut self, profile: &Profile, words: &[String]) -> Result<(), Refused> {
        let walked = walk(&profile.options, profile, words, Stop::AtEnd)?;
        self.weigh_options(profile, &walked)?;
        self.weigh_operands(profile, &walked)?;
        for needed in &profile.allow_with {
            if !walked.uses(needed) {
                let reason = format!("without `{needed}` it does more than read");
                self.decision.doubts.add(reason);
            }
        }
        Ok(())
    }

    fn weigh_options(&mut self, profile: &Profile, walked: &Walk<'_>) -> Result<(), Refused> {
        for used in &walked.options {
            operands::weigh_option(profile.syntax, used, self.grounds, &mut self.decision.doubts)?;
        }
        Ok(())
    }

    fn weigh_operands(&mut self, profile: &Profile, walked: &Walk<'_>) -> Result<(), Refused> {
        let shape = profile.shape(|option| walked.uses(option));
        operands::weigh(&shape, &walked.operands, self.grounds, &mut self.decision.doubts)
    }
}
