//! Checks command lines and runs those that were checked.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use toolstile_process::{Command, Output, RunError, Sandbox, run, support};

use crate::command::CheckedCommand;
use crate::config::{SetupError, ShellConfig};
use crate::paths::Grounds;
use crate::policy::{Decision, judge};
use crate::profiles::library::{Entry, Fit, Library};
use crate::programs::Programs;
use crate::refused::{RefusalKind, Refused, listed, quoted};
use crate::report::{ProgramReport, ShellReport};
use crate::split::{check_words, split};

/// The operator's programs, ready to check and run command lines.
#[derive(Debug)]
pub struct Shell {
    programs: Programs,
    policies: Library,
    grounds: Grounds,
    /// What `HOME` names: empty, private, removed with this value.
    home: TempDir,
    path: Vec<PathBuf>,
    timeout: Duration,
    max_output_bytes: usize,
    writable: bool,
    network: bool,
    /// Whether the system can keep programs to their directories.
    walled: bool,
}

impl Shell {
    /// Finds the programs and loads the argument policies, once.
    ///
    /// # Errors
    /// [`SetupError`] when a directory does not exist, a name or a limit makes no sense,
    /// or a policy does not load. A program that is not installed is no error:
    /// [`Shell::report`] names it, and its command lines are refused.
    pub fn new(config: ShellConfig) -> Result<Self, SetupError> {
        if config.timeout.is_zero() {
            return Err(SetupError::Zero("timeout"));
        }
        if config.max_output_bytes == 0 {
            return Err(SetupError::Zero("max_output_bytes"));
        }
        Ok(Self {
            programs: Programs::find(&config)?,
            policies: Library::load(&config.profiles)?,
            grounds: Grounds::open(&config.directory, &config.read)?,
            home: TempDir::with_prefix("toolstile-home-").map_err(SetupError::Home)?,
            path: config.path,
            timeout: config.timeout,
            max_output_bytes: config.max_output_bytes,
            writable: config.writable,
            network: config.network,
            walled: support().files(),
        })
    }

    /// Splits a command line into words and judges them.
    ///
    /// # Errors
    /// [`Refused`], written for the model.
    pub fn check_command(&self, command: &str) -> Result<CheckedCommand, Refused> {
        self.check_words(&split(command)?)
    }

    /// Judges words; the first is the program.
    ///
    /// # Errors
    /// [`Refused`], written for the model.
    pub fn check_words(&self, words: &[String]) -> Result<CheckedCommand, Refused> {
        check_words(words)?;
        let Some(program) = words.first() else {
            return Err(Refused::new(RefusalKind::Empty, "the command line is empty"));
        };
        let file = self.programs.file(program)?;
        let Some((entry, fit)) = self.policies.find(program, Some(file)) else {
            return Ok(without_profile(program, words));
        };
        let mut decision = judge(&entry.profile, words, &self.grounds)
            .map_err(|refused| refused.by(&rule(std::slice::from_ref(program), entry)))?;
        if fit == Fit::Related {
            decision.doubts.add("its argument policy is that of another version");
        }
        if decision.wall && !self.walled {
            decision.doubts.add(
                "files in the directory can make it run other programs, and this system has no \
                 sandbox that would stop them",
            );
        }
        Ok(checked(words, decision, entry))
    }

    /// Runs a command that was checked, at most until `deadline` and at most for the
    /// configured time.
    ///
    /// # Errors
    /// [`RunError`] when the program cannot be started.
    pub async fn run(
        &self,
        command: &CheckedCommand,
        deadline: Instant,
    ) -> Result<Output, RunError> {
        let program = command.words.first().and_then(|name| self.programs.file(name).ok());
        let home = self.home.path().to_owned();
        let directory = self.grounds.directory().to_owned();
        let mut read = self.grounds.read().to_vec();
        read.extend([directory.clone(), home]);
        run(Command {
            program: program.cloned().unwrap_or_default(),
            words: command.words.clone(),
            environment: self.environment(command),
            deadline: deadline.min(Instant::now() + self.timeout),
            max_output_bytes: self.max_output_bytes,
            sandbox: Sandbox {
                read,
                write: if self.writable { vec![directory.clone()] } else { Vec::new() },
                network: self.network,
            },
            directory,
        })
        .await
    }

    /// What was found: for the operator.
    #[must_use]
    pub fn report(&self) -> ShellReport {
        let describe = |(name, file): (&str, Option<&PathBuf>)| ProgramReport {
            name: name.to_owned(),
            path: file.cloned(),
            profile: self.policies.find(name, file.map(PathBuf::as_path)).is_some(),
        };
        ShellReport { programs: self.programs.iter().map(describe).collect(), sandbox: support() }
    }

    /// Which programs there are and what they do: for the model.
    #[must_use]
    pub fn allowed_text(&self) -> String {
        let installed = self.programs.iter().filter(|(_, file)| file.is_some());
        let lines: Vec<_> = installed.map(|(name, _)| self.describe(name)).collect();
        match lines.is_empty() {
            true => "no program is allowed".to_owned(),
            false => lines.join("\n"),
        }
    }

    fn describe(&self, name: &str) -> String {
        let summary =
            self.policies.find(name, None).and_then(|(entry, _)| entry.profile.summary.clone());
        summary.map_or_else(|| name.to_owned(), |summary| format!("{name}: {summary}"))
    }

    /// Nothing of the host's own environment: only what is needed, and what the policy
    /// puts in.
    fn environment(&self, command: &CheckedCommand) -> Vec<(String, String)> {
        let path: Vec<_> = self.path.iter().map(|path| path.display().to_string()).collect();
        let mut variables = BTreeMap::from([
            ("PATH".to_owned(), path.join(":")),
            ("HOME".to_owned(), self.home.path().display().to_string()),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
        ]);
        variables.extend(command.environment.clone());
        variables.into_iter().collect()
    }
}

fn rule(names: &[String], entry: &Entry) -> String {
    format!("{} ({})", names.join(" "), entry.file)
}

fn checked(words: &[String], decision: Decision, entry: &Entry) -> CheckedCommand {
    let mut words = words.to_vec();
    for (place, inserted) in decision.inserts.into_iter().rev() {
        words.splice(place..place, inserted);
    }
    CheckedCommand {
        words,
        rule: rule(&decision.rule, entry),
        confirmation: decision.doubts.into_reason(),
        environment: decision.environment,
    }
}

fn without_profile(program: &str, words: &[String]) -> CheckedCommand {
    CheckedCommand {
        words: words.to_vec(),
        confirmation: Some(format!("no argument policy knows {}", listed([program], 1))),
        rule: format!("{} (no profile)", quoted(program)),
        environment: BTreeMap::new(),
    }
}
