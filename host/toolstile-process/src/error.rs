//! Why a program was not run.

use std::io;

/// Why a program was not run. The text names no path: a model may read it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// There is not even a program name.
    #[error("a command needs at least one word")]
    NoWords,
    /// A word or a variable with a NUL character, at which other programs stop reading.
    #[error("word {0} contains a NUL character")]
    Nul(usize),
    /// The program could not be started.
    #[error("`{name}` could not be started: {reason}")]
    Start {
        /// The first word.
        name: String,
        /// What the operating system says.
        reason: io::ErrorKind,
    },
    /// It was started, and then lost.
    #[error("`{name}` was started and could not be followed: {reason}")]
    Lost {
        /// The first word.
        name: String,
        /// What the operating system says.
        reason: io::ErrorKind,
    },
}
