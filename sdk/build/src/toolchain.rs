//! Finds a compiler with a standard library for WebAssembly.
//!
//! There are three ways, tried in the order of [`Strategy::ALL`]; each is a
//! module with a function `prepare`, which answers a ready [`Toolchain`] or the
//! [`Obstacle`] that stood in its way. Nobody but these modules changes
//! anything on the machine.

mod debian;
mod installed;
mod rustup;

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Error, environment, process};

/// The target that guests are compiled for: no operating system and no WASI.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// The environment variable that allows one [`Strategy`] only, by its name.
pub const STRATEGY_VARIABLE: &str = "TOOLSTILE_WASM_STD";

/// A way to get a standard library for WebAssembly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strategy {
    /// The compiler in use has one already.
    Installed,
    /// `rustup` adds the target to the toolchain in use.
    Rustup,
    /// Debian's compiler builds one from Debian's sources.
    Debian,
}

impl Strategy {
    /// All of them, the cheapest first.
    pub const ALL: [Self; 3] = [Self::Installed, Self::Rustup, Self::Debian];

    /// The name that [`STRATEGY_VARIABLE`] takes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Installed => "installed",
            Self::Rustup => "rustup",
            Self::Debian => "debian",
        }
    }

    /// What to try when [`STRATEGY_VARIABLE`] has the value `forced`.
    fn candidates(forced: Option<&str>) -> Result<Vec<Self>, Error> {
        let Some(forced) = forced else {
            return Ok(Self::ALL.to_vec());
        };
        let strategy = Self::ALL.into_iter().find(|s| s.name() == forced);
        let strategy = strategy.ok_or_else(|| Error::UnknownStrategy(forced.to_owned()))?;
        Ok(vec![strategy])
    }

    fn prepare(self, active: &Active) -> Result<Toolchain, Obstacle> {
        match self {
            Self::Installed => installed::prepare(active),
            Self::Rustup => rustup::prepare(active),
            Self::Debian => debian::prepare(),
        }
    }
}

/// The compiler and the cargo in use, before anybody asked for WebAssembly.
#[derive(Debug)]
struct Active {
    rustc: PathBuf,
    cargo: PathBuf,
    /// Where the commands run: rustup chooses the toolchain by it.
    directory: PathBuf,
}

impl Active {
    /// As cargo tells its build scripts; else what `PATH` has.
    fn in_directory(directory: PathBuf) -> Self {
        let program = |variable, name: &str| {
            std::env::var_os(variable).map_or_else(|| PathBuf::from(name), PathBuf::from)
        };
        Self { rustc: program("RUSTC", "rustc"), cargo: program("CARGO", "cargo"), directory }
    }

    /// The folder of the compiler's own files.
    fn sysroot(&self) -> Result<PathBuf, Error> {
        let mut command = environment::clean_command(&self.rustc);
        command.args(["--print", "sysroot"]).current_dir(&self.directory);
        process::read(&mut command).map(PathBuf::from)
    }
}

/// A compiler that makes WebAssembly, with its cargo.
#[derive(Debug, Clone)]
pub struct Toolchain {
    strategy: Strategy,
    rustc: PathBuf,
    cargo: PathBuf,
    cargo_arguments: &'static [&'static str],
    variables: &'static [(&'static str, &'static str)],
    changes: Vec<String>,
}

impl Toolchain {
    /// Finds or prepares a toolchain for the guest crate in `directory`.
    ///
    /// May install the target with rustup or packages with `apt-get`, see
    /// [`Toolchain::changes`]. [`STRATEGY_VARIABLE`] narrows the choice.
    ///
    /// # Errors
    ///
    /// [`Error::NoWasmStd`] with what was tried and the commands that would
    /// help; [`Error::UnknownStrategy`]; [`Error::File`] when there is no
    /// `directory`.
    pub fn find(directory: &Path) -> Result<Self, Error> {
        let forced = std::env::var(STRATEGY_VARIABLE).ok();
        let candidates = Strategy::candidates(forced.as_deref())?;
        let directory = directory.canonicalize().map_err(Error::file("find", directory))?;
        let active = Active::in_directory(directory);
        first_ready(&candidates, |strategy| strategy.prepare(&active))
    }

    /// How it was found.
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// What was changed on this machine to make it ready, one sentence each.
    pub fn changes(&self) -> &[String] {
        &self.changes
    }

    /// What the compiler says of itself, such as `rustc 1.95.0 (…)`.
    ///
    /// # Errors
    ///
    /// Those of running the compiler.
    pub fn version(&self) -> Result<String, Error> {
        process::read(environment::clean_command(&self.rustc).arg("--version"))
    }

    /// `cargo SUBCOMMAND`, with all that this toolchain needs and nothing of an
    /// outer build.
    pub(crate) fn cargo(&self, subcommand: &str) -> Command {
        let mut command = environment::clean_command(&self.cargo);
        command.arg(subcommand).args(self.cargo_arguments);
        command.env("RUSTC", &self.rustc);
        command.envs(self.variables.iter().copied());
        command
    }
}

/// The first strategy that works, or all that stood in the way.
fn first_ready(
    candidates: &[Strategy],
    mut prepare: impl FnMut(Strategy) -> Result<Toolchain, Obstacle>,
) -> Result<Toolchain, Error> {
    let mut obstacles = Vec::new();
    for &strategy in candidates {
        match prepare(strategy) {
            Ok(toolchain) => return Ok(toolchain),
            Err(obstacle) => obstacles.push((strategy, obstacle)),
        }
    }
    Err(Error::NoWasmStd(Obstacles(obstacles)))
}

/// Why a strategy did not work, and what a person can do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// What went wrong.
    pub reason: String,
    /// A command that would help, where there is one.
    pub remedy: Option<String>,
}

impl Obstacle {
    /// One that the command `remedy` may remove.
    fn new(reason: impl fmt::Display, remedy: impl Into<String>) -> Self {
        Self { reason: reason.to_string(), remedy: Some(remedy.into()) }
    }

    /// One that no command removes.
    fn without_remedy(reason: impl fmt::Display) -> Self {
        Self { reason: reason.to_string(), remedy: None }
    }
}

/// The obstacles of all strategies that were tried, in their order.
#[derive(Debug, Clone)]
pub struct Obstacles(Vec<(Strategy, Obstacle)>);

impl fmt::Display for Obstacles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = |(strategy, obstacle): &(Strategy, Obstacle)| {
            format!("  {}: {}", strategy.name(), indented(&obstacle.reason))
        };
        let mut lines: Vec<_> = self.0.iter().map(reason).collect();
        let remedies = self.0.iter().filter_map(|(_, obstacle)| obstacle.remedy.as_ref());
        let mut remedies = remedies.map(|remedy| format!("  {remedy}")).peekable();
        if remedies.peek().is_some() {
            lines.push("run one of these and build again:".to_owned());
        }
        lines.extend(remedies);
        f.write_str(&lines.join("\n"))
    }
}

/// Keeps what a program printed below the line that names it.
fn indented(text: &str) -> String {
    let lines: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines.join("\n    ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toolchain(strategy: Strategy) -> Toolchain {
        Toolchain {
            strategy,
            rustc: "rustc".into(),
            cargo: "cargo".into(),
            cargo_arguments: &["--arg"],
            variables: &[("NAME", "value")],
            changes: Vec::new(),
        }
    }

    #[test]
    fn the_cheapest_strategy_comes_first() {
        let expected = [Strategy::Installed, Strategy::Rustup, Strategy::Debian];
        assert_eq!(Strategy::candidates(None).unwrap(), expected);
    }

    #[test]
    fn each_strategy_can_be_forced_by_its_name() {
        for strategy in Strategy::ALL {
            let candidates = Strategy::candidates(Some(strategy.name())).unwrap();
            assert_eq!(candidates, [strategy]);
        }
    }

    #[test]
    fn an_unknown_strategy_is_named() {
        let error = Strategy::candidates(Some("nix")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`TOOLSTILE_WASM_STD` is `nix`, but must be `installed`, `rustup` or `debian`"
        );
    }

    #[test]
    fn nothing_is_tried_after_the_first_success() {
        let mut tried = Vec::new();
        let found = first_ready(&Strategy::ALL, |strategy| {
            tried.push(strategy);
            match strategy {
                Strategy::Installed => Err(Obstacle::new("absent", "add it")),
                _ => Ok(toolchain(strategy)),
            }
        });
        assert_eq!(found.unwrap().strategy(), Strategy::Rustup);
        assert_eq!(tried, [Strategy::Installed, Strategy::Rustup]);
    }

    #[test]
    fn a_failure_lists_every_reason_and_every_remedy() {
        let error = first_ready(&Strategy::ALL, |strategy| match strategy {
            Strategy::Installed => Err(Obstacle::without_remedy("not there")),
            Strategy::Rustup => {
                Err(Obstacle::new("no network:\n\nserver down", "rustup target add x"))
            }
            Strategy::Debian => Err(Obstacle::new("not root", "sudo apt-get install y")),
        });
        assert_eq!(
            error.unwrap_err().to_string(),
            "no Rust standard library for `wasm32-unknown-unknown`\n\
             \x20 installed: not there\n\
             \x20 rustup: no network:\n\
             \x20   server down\n\
             \x20 debian: not root\n\
             run one of these and build again:\n\
             \x20 rustup target add x\n\
             \x20 sudo apt-get install y"
        );
    }

    #[test]
    fn without_a_remedy_none_is_announced() {
        let obstacles = Obstacles(vec![(Strategy::Installed, Obstacle::without_remedy("absent"))]);
        assert_eq!(obstacles.to_string(), "  installed: absent");
    }

    #[test]
    fn cargo_runs_with_what_the_toolchain_needs() {
        let command = toolchain(Strategy::Debian).cargo("build");
        assert_eq!(process::line(&command), "cargo build --arg");
        let variables: Vec<_> = command.get_envs().filter_map(|(k, v)| Some((k, v?))).collect();
        assert_eq!(
            variables,
            [("NAME".as_ref(), "value".as_ref()), ("RUSTC".as_ref(), "rustc".as_ref())]
        );
    }
}
