//! What an operator is told about programs.

use std::path::PathBuf;

use toolstile_process::SandboxSupport;

/// Which programs were found, and what keeps them inside.
#[derive(Clone, Debug)]
pub struct ShellReport {
    /// The programs that the operator listed, by name.
    pub programs: Vec<ProgramReport>,
    /// What this machine offers to keep programs inside their grant.
    pub sandbox: SandboxSupport,
}

/// One program that the operator listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramReport {
    /// As it is written in a command line.
    pub name: String,
    /// Where it was found; `None` when it was not.
    pub path: Option<PathBuf>,
    /// Whether an argument policy knows it; without one every call is asked about.
    pub profile: bool,
}
