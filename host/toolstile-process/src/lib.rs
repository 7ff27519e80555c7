//! Runs one program with nothing but what it is given: its words, an environment, a
//! directory, a deadline, a limit on output, and a sandbox.
//!
//! Start reading at [`run`]. Whatever way a run ends, nothing that it started goes on:
//! the process group is killed, and on Linux every process that still carries the
//! marker of the run in its environment.

mod capture;
mod command;
mod error;
mod group;
mod programs;
mod run;
mod sandbox;
mod spawn;

pub use command::{Command, Ending, Output};
pub use error::RunError;
pub use programs::{SearchPathError, find_program};
pub use run::run;
pub use sandbox::{Sandbox, SandboxSupport, support};
