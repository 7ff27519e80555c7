//! The exit codes, decided in this one place.

use std::process::ExitCode;

use toolstile::agent::RunError;
use toolstile::{Completion, FailureKind, HostError, InspectError, Status, Stop};

use toolstile_mcp::client::LoginError;
use toolstile_mcp::server::ServeError;

use crate::error::CliError;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All that was asked for was done, if not completely.
    Done = 0,
    /// The tool answered an error, or gave no answer.
    ToolFailed = 1,
    /// A gate refused the call, or something is not what was approved.
    Refused = 2,
    /// The command line, the configuration or a file is not valid.
    Usage = 3,
    /// The host failed.
    HostFailed = 4,
}

impl Exit {
    /// The code of a call.
    pub(crate) fn of_call(completion: &Completion) -> Self {
        match &completion.result {
            Ok(response) if response.status == Status::Error => Self::ToolFailed,
            Ok(_) => Self::Done,
            Err(Stop::Refused(_) | Stop::Aborted { .. }) => Self::Refused,
            Err(Stop::Failed(error)) => match error.kind {
                FailureKind::Host | FailureKind::Busy => Self::HostFailed,
                _ => Self::ToolFailed,
            },
        }
    }

    /// The code of a command that ended early.
    pub(crate) fn of_error(error: &CliError) -> Self {
        match error {
            CliError::Config(_) | CliError::Exists(_) => Self::Usage,
            CliError::NoToken(_)
            | CliError::Serve(
                ServeError::Bind { .. } | ServeError::WeakToken(_) | ServeError::Unprotected(_),
            ) => Self::Usage,
            CliError::NoServer { .. }
            | CliError::Server(..)
            | CliError::Login(LoginError::NotConfigured(_))
            | CliError::Redirect(_) => Self::Usage,
            CliError::Lock(_) | CliError::NoLock(_) | CliError::NothingToApprove { .. } => {
                Self::Usage
            }
            CliError::NoModel
            | CliError::Model(_)
            | CliError::Script { .. }
            | CliError::Checkpoints { .. }
            | CliError::Decision(_)
            | CliError::Agent(_)
            | CliError::Telemetry(_) => Self::Usage,
            CliError::Run(error) => Self::of_run_error(error),
            CliError::Host(
                HostError::Limits(_)
                | HostError::Audit { .. }
                | HostError::Secret(_)
                | HostError::Lock(_)
                | HostError::Texts(_),
            ) => Self::Usage,
            CliError::Plugin { source: InspectError::Runtime(_), .. } => Self::HostFailed,
            CliError::Plugin { .. } | CliError::Runtime(InspectError::Limits(_)) => Self::Usage,
            CliError::Unwritable { .. } | CliError::Stdin(_) => Self::Usage,
            _ => Self::HostFailed,
        }
    }

    fn of_run_error(error: &RunError) -> Self {
        match error {
            RunError::UnknownRun(_)
            | RunError::Unfinished(_)
            | RunError::NoStore
            | RunError::ToolChoice(_)
            | RunError::InvalidEdit { .. } => Self::Usage,
            RunError::Aborted { .. } => Self::Refused,
            _ => Self::HostFailed,
        }
    }

    /// Prints what the parser of the command line has to say: help and version on
    /// stdout, errors on stderr. Its own code for errors means something else here.
    pub(crate) fn of_parser(message: &clap::Error) -> Self {
        // Nobody is left to be told when this cannot be printed.
        let _ = message.print();
        if message.use_stderr() { Self::Usage } else { Self::Done }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
