//! Programs on the operator's allowlist. No shell ever runs.
//!
//! Both functions fail with an [`Error`] that says what the operator's grant
//! forbids; in native code with
//! [`Unavailable`](crate::ErrorKind::Unavailable). A program that ends badly is
//! no error: see [`Output::ending`].

use crate::Error;
use crate::bindings::toolstile::plugin::shell;
use crate::error::ask;

pub use shell::{Ending, Output};

/// Splits `command` into words by POSIX quoting rules and runs it. An unquoted
/// shell operator is refused.
pub fn run(command: &str) -> Result<Output, Error> {
    ask("shell", || shell::run(command))
}

/// Runs a program given word by word; the first word is the program.
pub fn run_words<W: Into<String>>(words: impl IntoIterator<Item = W>) -> Result<Output, Error> {
    let words: Vec<String> = words.into_iter().map(Into::into).collect();
    ask("shell", || shell::run_words(&words))
}
