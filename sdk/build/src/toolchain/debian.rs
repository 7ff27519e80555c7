//! Debian's compiler builds a standard library from Debian's sources.
//!
//! Debian ships a recent compiler for its browsers (`rustc-web`), together with
//! the sources of `std`, but no compiled `std` for `wasm32-unknown-unknown`.
//! Cargo's unstable `build-std` compiles one beside the guest;
//! `RUSTC_BOOTSTRAP` lets a stable compiler do so. Cargo is Debian's as well,
//! never rustup's: `build-std` depends on the layout of the sources, so cargo
//! and sources have to be of one version.

use std::fmt::Display;
use std::path::Path;
use std::process::Command;

use super::{Obstacle, Strategy, Toolchain};
use crate::{Error, environment, process};

const APT: &str = "/usr/bin/apt-get";
const RUSTC: &str = "/usr/bin/rustc";
const CARGO: &str = "/usr/bin/cargo";
const LINKER: &str = "/usr/bin/wasm-ld";
const SOURCES: &str = "/usr/lib/rustlib/src/rust/library/std/Cargo.toml";

/// `--no-remove`: `rustc-web` conflicts with Debian's `rustc` and `rustup`, and
/// nobody who builds a plugin has agreed to lose those.
const INSTALL: &str = "apt-get install -y --no-install-recommends --no-remove \
                       rustc-web cargo-web rust-web-src lld";

/// Uses what is installed; else installs it, if that is allowed.
pub(super) fn prepare() -> Result<Toolchain, Obstacle> {
    let Some(missing) = Machine::look().missing() else {
        return Ok(toolchain(Vec::new()));
    };
    let command = install(&missing)?;
    match Machine::look().missing() {
        None => Ok(toolchain(vec![format!("ran `{command}`")])),
        Some(missing) => Err(obstacle(format!("{missing} after `{command}`"))),
    }
}

fn toolchain(changes: Vec<String>) -> Toolchain {
    Toolchain {
        strategy: Strategy::Debian,
        rustc: RUSTC.into(),
        cargo: CARGO.into(),
        cargo_arguments: &["-Z", "build-std=std,panic_abort"],
        variables: &[
            ("RUSTC_BOOTSTRAP", "1"),
            // The default of the target, `rust-lld`, is not in Debian's package.
            ("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", LINKER),
        ],
        changes,
    }
}

/// What this machine has of Debian's packages.
#[derive(Debug, Clone)]
struct Machine {
    /// The first line of `rustc --version`.
    rustc: Option<String>,
    cargo: bool,
    sources: bool,
    linker: bool,
}

impl Machine {
    fn look() -> Self {
        let mut rustc = environment::clean_command(RUSTC);
        Self {
            rustc: process::read(rustc.arg("--version")).ok(),
            cargo: Path::new(CARGO).exists(),
            sources: Path::new(SOURCES).exists(),
            linker: Path::new(LINKER).exists(),
        }
    }

    /// The first thing that is missing, as a sentence; `None` when all is there.
    fn missing(&self) -> Option<String> {
        let Some(rustc) = &self.rustc else {
            return Some(format!("there is no `{RUSTC}`"));
        };
        if !is_recent(rustc) {
            let minimum = env!("CARGO_PKG_RUST_VERSION");
            return Some(format!("`{RUSTC}` is `{rustc}`, but has to be {minimum} or newer"));
        }
        let files = [(CARGO, self.cargo), (SOURCES, self.sources), (LINKER, self.linker)];
        let absent = files.into_iter().find(|(_, exists)| !exists)?;
        Some(format!("there is no `{}`", absent.0))
    }
}

/// Whether `rustc`, as in `rustc 1.96.0 (…)`, can compile what this workspace
/// can compile: Debian's ordinary `rustc` is often years older.
fn is_recent(rustc: &str) -> bool {
    let version = rustc.strip_prefix("rustc ").and_then(minor_version);
    version.is_some() && version >= minor_version(env!("CARGO_PKG_RUST_VERSION"))
}

/// `(1, 96)` of `1.96.0 …` and of `1.96`.
fn minor_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split(['.', ' ', '-']).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// Installs the packages because of what is `missing` and returns the command
/// that did so.
fn install(missing: &str) -> Result<String, Obstacle> {
    if !Path::new(APT).exists() {
        return Err(Obstacle::without_remedy(format!("this is not Debian, there is no `{APT}`")));
    }
    let needs_root = || obstacle(format!("{missing}, and installing packages needs root"));
    let prefix = superuser().ok_or_else(needs_root)?;
    let command = format!("{prefix}{INSTALL}");
    if run(&command).is_err() {
        // Containers often come without the lists of packages.
        let update = format!("{prefix}apt-get update");
        run(&update).and_then(|()| run(&command)).map_err(obstacle)?;
    }
    Ok(command)
}

/// What to put before a command so that it runs as root without a question.
fn superuser() -> Option<&'static str> {
    let is_root = process::read(Command::new("id").arg("-u")).is_ok_and(|id| id == "0");
    let has_sudo = || process::read(Command::new("sudo").args(["-n", "true"])).is_ok();
    match is_root {
        true => Some(""),
        false => has_sudo().then_some("sudo -n "),
    }
}

/// Runs one of the command lines of this file, none of which needs quoting.
fn run(line: &str) -> Result<(), Error> {
    let mut words = line.split_whitespace();
    let mut command = environment::clean_command(words.next().unwrap_or_default());
    command.args(words).env("DEBIAN_FRONTEND", "noninteractive");
    process::read(&mut command).map(drop)
}

fn obstacle(reason: impl Display) -> Obstacle {
    Obstacle::new(reason, format!("sudo {INSTALL}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete() -> Machine {
        Machine {
            rustc: Some("rustc 1.96.0 (ac68faa20 2026-05-25) (built from a source tarball)".into()),
            cargo: true,
            sources: true,
            linker: true,
        }
    }

    #[test]
    fn a_complete_machine_lacks_nothing() {
        assert_eq!(complete().missing(), None);
    }

    #[test]
    fn an_old_compiler_is_named_with_its_version() {
        let machine = Machine { rustc: Some("rustc 1.63.0".into()), ..complete() };
        let missing = machine.missing().unwrap();
        assert!(missing.starts_with("`/usr/bin/rustc` is `rustc 1.63.0`"), "{missing}");
    }

    #[test]
    fn each_missing_part_is_named() {
        let cases = [
            (Machine { rustc: None, ..complete() }, RUSTC),
            (Machine { cargo: false, ..complete() }, CARGO),
            (Machine { sources: false, ..complete() }, SOURCES),
            (Machine { linker: false, ..complete() }, LINKER),
        ];
        for (machine, path) in cases {
            assert_eq!(machine.missing(), Some(format!("there is no `{path}`")));
        }
    }

    #[test]
    fn versions_compare_by_number() {
        assert!(is_recent("rustc 1.100.0 (0 2027-01-01)"));
        assert!(is_recent("rustc 2.0.0-nightly"));
        assert!(!is_recent("rustc 1.9.0"));
        assert!(!is_recent("something else"));
    }

    #[test]
    fn packages_are_never_removed() {
        assert!(INSTALL.contains(" --no-remove "));
        let remedy = obstacle("any reason").remedy.unwrap();
        assert_eq!(remedy, format!("sudo {INSTALL}"));
    }
}
