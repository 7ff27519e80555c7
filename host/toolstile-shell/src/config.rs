//! What an operator decides about programs.

use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

/// Which programs may run, where and how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellConfig {
    /// The working directory of every program. It has to exist.
    pub directory: PathBuf,
    /// The names of the programs, as they are written in a command line.
    pub programs: Vec<String>,
    /// Where programs are looked for: absolute directories, in this order.
    pub path: Vec<PathBuf>,
    /// Further argument policies: the name of the file, for messages, and its text. They
    /// replace shipped ones of the same program.
    pub profiles: Vec<(String, String)>,
    /// Wall time of one program.
    pub timeout: Duration,
    /// Bytes of each output stream that are kept.
    pub max_output_bytes: usize,
    /// Programs may write in the working directory.
    pub writable: bool,
    /// Programs may use the network.
    pub network: bool,
    /// Further directories that programs may read.
    pub read: Vec<PathBuf>,
}

impl ShellConfig {
    /// These programs in this directory: 10 seconds, 16 KiB of each stream, nothing may
    /// be written, no network.
    #[must_use]
    pub fn new(directory: PathBuf, programs: Vec<String>) -> Self {
        Self {
            directory,
            programs,
            path: ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from).into(),
            profiles: Vec::new(),
            timeout: Duration::from_secs(10),
            max_output_bytes: 16 * 1024,
            writable: false,
            network: false,
            read: Vec::new(),
        }
    }
}

/// What is wrong with a [`ShellConfig`]. Written for the operator.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The working directory or a readable one does not exist or is none.
    #[error("`{path}` is no directory that can be opened")]
    Directory {
        /// The directory as it was configured.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A directory of programs is not absolute: files of the working directory could
    /// take the place of programs.
    #[error("`{0}` is no absolute directory, and programs are only looked for in such")]
    RelativePath(PathBuf),
    /// A program is not given by its name.
    #[error("`{0}` is no name of a program; give the name alone, in ASCII, without a directory")]
    ProgramName(String),
    /// The time or the output that programs may take is zero.
    #[error("`{0}` has to be greater than zero")]
    Zero(&'static str),
    /// Argument policies that do not load.
    #[error("the argument policies do not load: {0}")]
    Profile(#[from] crate::profiles::ProfileError),
    /// The private home directory of programs cannot be made.
    #[error("no private directory for programs can be made")]
    Home(#[source] std::io::Error),
}
