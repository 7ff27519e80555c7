//! What is run, and what came of it.

use std::path::PathBuf;
use std::time::Instant;

use crate::sandbox::Sandbox;

/// A program to be run once.
#[derive(Clone, Debug)]
pub struct Command {
    /// The program, an absolute path.
    pub program: PathBuf,
    /// Its words, `argv`; the first is the name that it is called by.
    pub words: Vec<String>,
    /// Where it runs.
    pub directory: PathBuf,
    /// Its whole environment, but for the marker of the run.
    pub environment: Vec<(String, String)>,
    /// When it must have ended.
    pub deadline: Instant,
    /// Bytes of each output stream; a program that writes more is ended.
    pub max_output_bytes: usize,
    /// What it may reach.
    pub sandbox: Sandbox,
}

/// What a program left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// How it ended.
    pub ending: Ending,
    /// What it wrote to its standard output until then.
    pub stdout: Vec<u8>,
    /// The same for its standard error.
    pub stderr: Vec<u8>,
    /// Some of it was dropped to stay inside the limit.
    pub truncated: bool,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With this code.
    Exited(i32),
    /// By a signal of this number.
    Signalled(i32),
    /// Its time was up.
    TimedOut,
    /// It wrote more than the limit.
    OutputLimit,
}
