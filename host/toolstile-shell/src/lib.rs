//! Decides which command lines may run: one splitter, argument policies that are deny by
//! default.
//!
//! A command line is split into words by [`Shell::check_command`], the words are judged
//! by the profile of the program (`profiles/*.toml`), and only a [`CheckedCommand`] can
//! be run. No shell exists anywhere: what was checked is what is executed, word by word.
//!
//! - `split` turns text into words, `characters` says which characters never occur.
//! - `profiles` reads the policy files: which options, operands and sub-commands exist.
//! - `policy` walks words along a profile and comes to a [`Verdict`].
//! - `grammar` judges words that are little programs: scripts of sed, filters of jq.
//! - `paths` says whether a word that names a file stays inside the working directory.
//!
//! **Invariant:** a word that no rule names is refused; a rule can only raise a verdict.
//! **Invariant:** messages of [`Refused`] are written for a model and carry no path that
//! the model did not write itself.

mod characters;
mod command;
mod config;
mod grammar;
mod paths;
mod policy;
mod profiles;
mod programs;
mod refused;
mod report;
mod shell;
mod split;
mod verdict;

pub use command::CheckedCommand;
pub use config::{SetupError, ShellConfig};
pub use profiles::check::{ProfileProblem, check_profiles};
pub use refused::{RefusalKind, Refused};
pub use report::{ProgramReport, ShellReport};
pub use shell::Shell;
pub use toolstile_process::{Ending, Output, RunError, SandboxSupport, support as sandbox_support};
pub use verdict::Verdict;
