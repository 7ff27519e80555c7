//! Why a guest did not become a component.

use std::error::Error as StdError;
use std::io;
use std::path::PathBuf;

use crate::toolchain::{Obstacles, STRATEGY_VARIABLE};

/// Why a guest did not become a component.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No strategy led to a standard library for WebAssembly.
    #[error("no Rust standard library for `wasm32-unknown-unknown`\n{0}")]
    NoWasmStd(Obstacles),

    /// The variable that forces a strategy holds something else.
    #[error("`{STRATEGY_VARIABLE}` is `{0}`, but must be `installed`, `rustup` or `debian`")]
    UnknownStrategy(String),

    /// A program that the build needs could not be started.
    #[error("cannot run `{program}`")]
    Start {
        /// The program as it was called.
        program: String,
        /// What the operating system said.
        source: io::Error,
    },

    /// A program that the build needs ended without success.
    #[error("`{command}` failed: {stderr}")]
    Failed {
        /// The program and its arguments.
        command: String,
        /// All that it wrote to its standard error.
        stderr: String,
    },

    /// The guest does not compile. Cargo has written its messages to the
    /// standard error of this process.
    #[error("cargo cannot compile the guest `{0}`, see its messages")]
    Compile(PathBuf),

    /// The crate has nothing that can become a component.
    #[error(
        "`{package}` has no {kind} of the crate type `cdylib`, so there is no module to make a component of"
    )]
    NoGuest {
        /// The folder of the package.
        package: PathBuf,
        /// `library` or `example`.
        kind: &'static str,
    },

    /// The module that cargo made cannot become a component.
    #[error("cannot make a component of `{module}`")]
    Encode {
        /// The core module.
        module: PathBuf,
        /// What the encoder said.
        source: Box<dyn StdError + Send + Sync>,
    },

    /// The component exports nothing, so that no host could call it.
    #[error("`{0}` exports nothing: a guest has to export an interface, as `toolstile-sdk` does")]
    NoExports(PathBuf),

    /// A file or folder could not be found, read, written or created.
    #[error("cannot {action} `{path}`")]
    File {
        /// `find`, `read`, `write` or `create`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },

    /// A build script's environment is missing.
    #[error("`OUT_DIR` is not set: outside of build scripts, use `Guest::build_with`")]
    NotABuildScript,
}

impl Error {
    /// For `map_err`: the failure to `action` the file `path`.
    pub(crate) fn file(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { action, path, source }
    }
}

/// An error and its causes, one a line.
pub fn explain(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}\ncaused by: {error}");
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_explained_with_its_causes() {
        let error =
            Error::Start { program: "cargo".into(), source: io::Error::other("no such file") };
        assert_eq!(explain(&error), "cannot run `cargo`\ncaused by: no such file");
    }
}
