//! Tells options, their values and operands apart, as `getopt_long` does, but with exact
//! names only: an abbreviation means one thing today and another tomorrow.

use crate::profiles::notation::{Kind, OptionRule, Value};
use crate::profiles::{Options, Profile, Syntax};
use crate::refused::{Refused, listed, nearest, quoted};
use crate::verdict::Verdict;

/// Where a walk ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// At the first operand: it is a sub-command.
    AtOperand,
    /// At the last word.
    AtEnd,
}

/// An option of the command line.
#[derive(Clone, Debug)]
pub(super) struct Used<'a> {
    pub(super) rule: &'a OptionRule,
    /// As it was written.
    pub(super) name: String,
    pub(super) value: Option<&'a str>,
}

/// The words of a command line, told apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Walk<'a> {
    pub(super) options: Vec<Used<'a>>,
    pub(super) operands: Vec<&'a str>,
    /// The place of the first operand among the words.
    pub(super) first_operand: usize,
}

impl Walk<'_> {
    /// Whether an option is there, by any of its names.
    pub(super) fn uses(&self, name: &str) -> bool {
        self.options.iter().any(|used| used.rule.names.iter().any(|known| known == name))
    }
}

/// Walks the words behind a program or a sub-command.
pub(super) fn walk<'a>(
    options: &'a Options,
    profile: &Profile,
    words: &'a [String],
    stop: Stop,
) -> Result<Walk<'a>, Refused> {
    let numeric = profile.numeric;
    let letters = profile.syntax != Syntax::Words;
    let mut walker = Walker { options, words, place: 0, numeric, letters, walk: Walk::default() };
    let mut only_operands = false;
    while let Some(word) = walker.next() {
        match word {
            "--" if !only_operands => only_operands = true,
            option if !only_operands && option.len() > 1 && option.starts_with('-') => {
                walker.option(option)?;
            }
            operand => {
                walker.operand(operand);
                only_operands |= !profile.permute;
                if stop == Stop::AtOperand {
                    break;
                }
            }
        }
    }
    Ok(walker.walk)
}

struct Walker<'a> {
    options: &'a Options,
    words: &'a [String],
    place: usize,
    numeric: bool,
    letters: bool,
    walk: Walk<'a>,
}

impl<'a> Walker<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let word = self.words.get(self.place)?;
        self.place += 1;
        Some(word)
    }

    fn operand(&mut self, word: &'a str) {
        if self.walk.operands.is_empty() {
            self.walk.first_operand = self.place - 1;
        }
        self.walk.operands.push(word);
    }

    fn option(&mut self, word: &'a str) -> Result<(), Refused> {
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        // `-n=3` is the letter `n` with the value `=3`, unless letters are never combined.
        let whole = name.len() > 2 || (attached.is_none() || !self.letters);
        match self.options.find(name).filter(|_| whole) {
            Some(rule) => self.whole(rule, name, attached),
            None if word.starts_with("--") || !self.letters => Err(self.unknown(name)),
            None => self.bundle(word),
        }
    }

    /// An option that is the whole word.
    fn whole(
        &mut self,
        rule: &'a OptionRule,
        name: &str,
        attached: Option<&'a str>,
    ) -> Result<(), Refused> {
        let value = match (&rule.value, attached) {
            (Value::None, Some(_)) => {
                return Err(Refused::arguments(format!("{} takes no value", quoted(name))));
            }
            (Value::Required(kind), None) => Some(self.value_of(name, kind)?),
            (_, attached) => attached,
        };
        self.add(rule, name, value);
        Ok(())
    }

    /// Letters behind one dash, each an option; one with a value eats the rest.
    fn bundle(&mut self, word: &'a str) -> Result<(), Refused> {
        let mut rest = &word[1..];
        while let Some(letter) = rest.chars().next() {
            rest = &rest[letter.len_utf8()..];
            if self.numeric && letter.is_ascii_digit() {
                continue;
            }
            let name = format!("-{letter}");
            let rule =
                self.options.letter(letter).ok_or_else(|| self.unknown_letter(&name, word))?;
            let value = match rule.value {
                Value::None => None,
                Value::Required(ref kind) if rest.is_empty() => Some(self.value_of(&name, kind)?),
                Value::Required(_) | Value::Optional(_) => {
                    Some(std::mem::take(&mut rest)).filter(|value| !value.is_empty())
                }
            };
            self.add(rule, &name, value);
        }
        Ok(())
    }

    /// The next word. A program of which the policy errs would read a word with a dash as
    /// an option, so only texts that often begin with one may stand alone.
    fn value_of(&mut self, name: &str, kind: &Kind) -> Result<&'a str, Refused> {
        let shown = quoted(name);
        let value = self.next();
        let value = value.ok_or_else(|| Refused::arguments(format!("{shown} needs a value")))?;
        match *kind != Kind::Free && looks_like_option(value) {
            true => Err(Refused::arguments(format!(
                "{} behind {shown} looks like an option; write a value that begins with a dash \
                 together with its option",
                quoted(value)
            ))),
            false => Ok(value),
        }
    }

    fn add(&mut self, rule: &'a OptionRule, name: &str, value: Option<&'a str>) {
        self.walk.options.push(Used { rule, name: name.to_owned(), value });
    }

    fn unknown_letter(&self, name: &str, word: &str) -> Refused {
        match word.len() > 2 {
            true => self.unknown(&format!("{name} in {word}")),
            false => self.unknown(name),
        }
    }

    fn unknown(&self, name: &str) -> Refused {
        let usable: Vec<_> = self.options.usable_names().collect();
        let hint = match nearest(name, usable.iter().copied()) {
            Some(near) if near != name => format!("did you mean `{near}`?"),
            _ => format!("allowed are {}", listed(usable, 16)),
        };
        let message = format!("the option {} is not allowed; {hint}", quoted(name));
        Refused::arguments(message)
    }
}

/// `-` is standard input, and `-3` a number.
fn looks_like_option(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| !c.is_ascii_digit()))
}

/// Whether an option may be used at all, for messages.
pub(super) fn is_refused(rule: &OptionRule) -> bool {
    rule.standing == Verdict::Refuse
}
