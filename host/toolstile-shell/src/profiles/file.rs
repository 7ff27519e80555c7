//! The shape of a policy file, and how it becomes profiles.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::notation::{OptionRule, Shape};
use super::{Examples, Options, Profile, ProfileError, Syntax};
use crate::verdict::Verdict;

/// A table of a policy file as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Table {
    also: Vec<String>,
    summary: Option<String>,
    verdict: Verdict,
    reason: Option<String>,
    environment: BTreeMap<String, String>,
    insert: Vec<String>,
    wall: bool,
    syntax: Syntax,
    numeric: bool,
    permute: bool,
    #[serde(rename = "use")]
    uses: Vec<String>,
    options: Vec<String>,
    confirm: Vec<String>,
    refuse: Vec<String>,
    globals: Vec<String>,
    operands: Option<String>,
    operands_if: BTreeMap<String, String>,
    alone: Vec<String>,
    allow_with: Vec<String>,
    examples: Examples,
    set: BTreeMap<String, Set>,
    command: BTreeMap<String, Table>,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            permute: true,
            also: Vec::new(),
            summary: None,
            verdict: Verdict::default(),
            reason: None,
            environment: BTreeMap::new(),
            insert: Vec::new(),
            wall: false,
            syntax: Syntax::default(),
            numeric: false,
            uses: Vec::new(),
            options: Vec::new(),
            confirm: Vec::new(),
            refuse: Vec::new(),
            globals: Vec::new(),
            operands: None,
            operands_if: BTreeMap::new(),
            alone: Vec::new(),
            allow_with: Vec::new(),
            examples: Examples::default(),
            set: BTreeMap::new(),
            command: BTreeMap::new(),
        }
    }
}

/// Options that several sub-commands share.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Set {
    options: Vec<String>,
    confirm: Vec<String>,
    refuse: Vec<String>,
}

impl Set {
    fn rules(&self) -> Result<Vec<OptionRule>, String> {
        let mut all = rules(&self.options, Verdict::Allow)?;
        all.extend(judged(&self.confirm, &self.refuse)?);
        Ok(all)
    }
}

/// Reads a policy file: every program that it names, with its profile.
pub(super) fn read(file: &str, text: &str) -> Result<Vec<(String, Profile)>, ProfileError> {
    let tables: BTreeMap<String, Table> = toml::from_str(text)
        .map_err(|e| ProfileError::File { file: file.to_owned(), message: e.to_string() })?;
    let mut profiles = Vec::new();
    for (program, table) in tables {
        let reader = Reader { file, sets: &table.set };
        for (name, profile) in reader.named(&program, &program, &table)? {
            profiles.push((name, profile));
        }
    }
    Ok(profiles)
}

/// What is the same for all tables of one program.
struct Reader<'a> {
    file: &'a str,
    sets: &'a BTreeMap<String, Set>,
}

impl Reader<'_> {
    /// A table under its own name and its other ones.
    fn named(
        &self,
        name: &str,
        rule: &str,
        table: &Table,
    ) -> Result<Vec<(String, Profile)>, ProfileError> {
        let profile = self.profile(rule, table)?;
        let others = table.also.iter().map(|other| (other.clone(), without_examples(&profile)));
        let mut named: Vec<_> = others.collect();
        named.push((name.to_owned(), profile));
        Ok(named)
    }

    fn profile(&self, rule: &str, table: &Table) -> Result<Profile, ProfileError> {
        let error = |message| self.error(rule, message);
        let globals = rules(&table.globals, Verdict::Allow).map_err(error)?;
        let judged = judged(&table.confirm, &table.refuse).map_err(error)?;
        let (mut options, mut before) = (Options::default(), Options::default());
        options.extend(rules(&table.options, Verdict::Allow).map_err(error)?);
        options.extend(globals.iter().chain(&judged).cloned());
        before.extend(globals.into_iter().chain(judged));
        for name in &table.uses {
            options.extend_with_new(self.set(name).and_then(Set::rules).map_err(error)?);
        }
        let operands = match (&table.operands, table.command.is_empty()) {
            (Some(notation), _) => Some(Shape::parse(notation).map_err(error)?),
            (None, true) => Some(Shape::default()),
            (None, false) => None,
        };
        let special = table.operands_if.iter();
        let special =
            special.map(|(option, notation)| Ok((option.clone(), Shape::parse(notation)?)));
        Ok(Profile {
            summary: table.summary.clone(),
            verdict: table.verdict,
            reason: table.reason.clone(),
            environment: table.environment.clone(),
            insert: table.insert.clone(),
            wall: table.wall,
            syntax: table.syntax,
            permute: table.permute,
            numeric: table.numeric,
            options,
            globals: before,
            operands,
            operands_if: special.collect::<Result<_, _>>().map_err(error)?,
            alone: table.alone.clone(),
            allow_with: table.allow_with.clone(),
            commands: self.commands(rule, table)?,
            examples: table.examples.clone(),
        })
    }

    fn commands(
        &self,
        rule: &str,
        table: &Table,
    ) -> Result<BTreeMap<String, Profile>, ProfileError> {
        let mut commands = BTreeMap::new();
        for (name, inner) in &table.command {
            for (name, profile) in self.named(name, &format!("{rule} {name}"), inner)? {
                commands.insert(name, profile);
            }
        }
        Ok(commands)
    }

    fn set(&self, name: &str) -> Result<&Set, String> {
        self.sets.get(name).ok_or_else(|| format!("there is no set `{name}`"))
    }

    fn error(&self, rule: &str, message: String) -> ProfileError {
        ProfileError::Rule { file: self.file.to_owned(), rule: rule.to_owned(), message }
    }
}

/// Examples hold for the name under which they are written.
fn without_examples(profile: &Profile) -> Profile {
    Profile { examples: Examples::default(), ..profile.clone() }
}

fn judged(confirm: &[String], refuse: &[String]) -> Result<Vec<OptionRule>, String> {
    let mut judged = rules(confirm, Verdict::Confirm)?;
    judged.extend(rules(refuse, Verdict::Refuse)?);
    Ok(judged)
}

fn rules(lines: &[String], standing: Verdict) -> Result<Vec<OptionRule>, String> {
    lines.iter().map(|line| OptionRule::parse(line, standing)).collect()
}
