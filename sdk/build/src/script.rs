//! Cargo's side of a build script: where its files go and what it tells cargo.

use std::collections::BTreeSet;
use std::error::Error as StdError;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::{Error, STRATEGY_VARIABLE, Strategy, explain};

/// Runs `body` as the whole of a build script: an error becomes lines that
/// cargo shows as errors of the package, with all causes.
pub fn build_script<E>(body: impl FnOnce() -> Result<(), E>) -> ExitCode
where
    E: Into<Box<dyn StdError>>,
{
    let Err(error) = body() else {
        return ExitCode::SUCCESS;
    };
    let text = explain(error.into().as_ref());
    // A closed standard output leaves nobody to tell.
    let _ = tell(text.lines().map(|line| format!("error={line}")));
    ExitCode::FAILURE
}

/// The build script that is running.
#[derive(Debug)]
pub(crate) struct Script {
    out_dir: PathBuf,
}

impl Script {
    pub(crate) fn from_env() -> Result<Self, Error> {
        let out_dir = std::env::var_os("OUT_DIR").ok_or(Error::NotABuildScript)?;
        Ok(Self { out_dir: out_dir.into() })
    }

    pub(crate) fn out_dir(&self) -> &Path {
        &self.out_dir
    }

    /// The target folder for nested cargo runs: not the outer one, which is
    /// locked while a build script runs. It lies inside the outer one, so that
    /// `cargo clean` takes it along, and outside of `OUT_DIR`, so that all
    /// build scripts and all their versions share what is compiled. Debian's
    /// compiler has its own: both would throw away each other's work.
    pub(crate) fn target_dir(&self, strategy: Strategy) -> PathBuf {
        let is_target = |folder: &&Path| folder.join("CACHEDIR.TAG").exists();
        let outer = self.out_dir.ancestors().find(is_target).unwrap_or(&self.out_dir);
        outer.join("guests").join(match strategy {
            Strategy::Installed | Strategy::Rustup => "active",
            Strategy::Debian => "debian",
        })
    }

    /// Makes cargo run the script again when one of `files` changes or another
    /// strategy is forced.
    pub(crate) fn watch(&self, files: &BTreeSet<PathBuf>) -> Result<(), Error> {
        let files = files.iter().map(|file| format!("rerun-if-changed={}", file.display()));
        let variable = format!("rerun-if-env-changed={STRATEGY_VARIABLE}");
        tell(files.chain([variable])).map_err(Error::file("write", "standard output"))
    }

    /// Shows each of `lines` to the person who builds.
    pub(crate) fn warn(&self, lines: &[String]) -> Result<(), Error> {
        let warnings = lines.iter().map(|line| format!("warning={line}"));
        tell(warnings).map_err(Error::file("write", "standard output"))
    }
}

/// Cargo reads instructions from a build script's standard output.
fn tell(instructions: impl IntoIterator<Item = String>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    instructions.into_iter().try_for_each(|line| writeln!(out, "cargo::{line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_builds_share_a_folder_of_the_outer_target_folder() {
        let target = tempfile::tempdir().unwrap();
        std::fs::write(target.path().join("CACHEDIR.TAG"), "").unwrap();
        for hash in ["a", "b"] {
            let script =
                Script { out_dir: target.path().join("debug/build").join(hash).join("out") };
            let expected = target.path().join("guests/active");
            assert_eq!(script.target_dir(Strategy::Installed), expected);
            assert_eq!(script.target_dir(Strategy::Rustup), expected);
        }
    }

    #[test]
    fn without_a_target_folder_out_dir_has_to_do() {
        let script = Script { out_dir: "/nowhere/out".into() };
        let expected = Path::new("/nowhere/out/guests/debian");
        assert_eq!(script.target_dir(Strategy::Debian), expected);
    }
}
