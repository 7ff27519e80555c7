//! Why a command did not do what was asked, and what to do about it.

use std::io;
use std::path::PathBuf;

use toolstile::{ConfigError, FunctionError, HostError, InspectError};

/// Everything that ends a command early. Which exit code each has is in `exit`.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Host(#[from] HostError),
    #[error("`{}` cannot be used as a plugin: {source}", .path.display())]
    Plugin { path: PathBuf, source: InspectError },
    #[error(transparent)]
    Runtime(InspectError),
    #[error("a tool of the demonstration is not valid: {0}")]
    Demo(#[from] FunctionError),
    #[error("`{}` is there already", .0.display())]
    Exists(PathBuf),
    #[error("`{}` cannot be written: {source}", .path.display())]
    Unwritable { path: PathBuf, source: io::Error },
    #[error("the arguments cannot be read from standard input: {0}")]
    Stdin(io::Error),
    #[error("the working directory is not known: {0}")]
    WorkingDirectory(io::Error),
    #[error("the output cannot be written: {0}")]
    Output(#[from] io::Error),
}

impl CliError {
    /// What to do about it, where there is something.
    pub(crate) fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Config(ConfigError::Invalid { .. }) => {
                "`toolstile init` writes a file with every key into an empty directory"
            }
            Self::Config(ConfigError::Unreadable { .. }) => {
                "without `--config` the file `toolstile.toml` is found upwards from here"
            }
            Self::Exists(_) => "`toolstile init --force` overwrites it",
            Self::Host(HostError::Runtime(_))
            | Self::Runtime(_)
            | Self::Plugin { source: InspectError::Runtime(_), .. } => {
                "`[runtime]` in `toolstile.toml` sets the compile cache and the memory pool"
            }
            _ => return None,
        };
        Some(hint.to_owned())
    }
}
