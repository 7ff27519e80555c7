//! Why a component is not loaded, and why there is no runtime.

use std::path::PathBuf;
use std::time::Duration;

use toolstile_core::{NameError, SchemaError, ToolError};

/// Why a component is not loaded. Its text goes to the operator.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file is larger than the limit.
    #[error(
        "the component has {bytes} bytes, at most {max} are accepted (limit `component_bytes`)"
    )]
    TooLarge {
        /// Bytes of the file.
        bytes: u64,
        /// Bytes accepted.
        max: u64,
    },
    /// The file is a core module.
    #[error(
        "this is a core module, not a component; make a component of it, for example with `wasm-tools component new`"
    )]
    CoreModule,
    /// The file is not WebAssembly, or not valid.
    #[error("not a valid WebAssembly component: {0}")]
    Invalid(String),
    /// Compiling took too long.
    #[error("compiling did not finish within {} ms (limit `compile_ms`)", .0.as_millis())]
    CompileTimeout(Duration),
    /// An interface that the host does not offer.
    #[error("it imports `{interface}`, which this host does not offer")]
    UnknownImport {
        /// The interface.
        interface: String,
    },
    /// No `tool` interface.
    #[error(
        "it does not export `toolstile:plugin/tool@0.1.0`{}",
        if .exports.is_empty() { "; it exports nothing".to_owned() }
        else { format!("; it exports {}", .exports.join(", ")) }
    )]
    NoContract {
        /// What it exports, at most eight.
        exports: Vec<String>,
    },
    /// A version of the contract that this host does not speak.
    #[error("it was built against version `{found}` of the contract, this host speaks 0.1.x")]
    UnsupportedContract {
        /// The version.
        found: String,
    },
    /// A function or type of an interface differs from the contract.
    #[error("it does not fit the contract: {0}")]
    Mismatch(String),
    /// `list-tools` gave no answer.
    #[error("asked for its tools it gave no answer: {} ({})", .0.kind, .0.detail)]
    ListTools(ToolError),
    /// A list of what it offers beside tools gave no answer.
    #[error("asked for its {what} it gave no answer: {} ({})", .error.kind, .error.detail)]
    ListOffers {
        /// Which list.
        what: &'static str,
        /// What happened.
        error: ToolError,
    },
    /// It offers too much beside tools.
    #[error("it lists {count} {what}; at most {max} are accepted")]
    OfferCount {
        /// What.
        what: &'static str,
        /// How many are listed.
        count: usize,
        /// How many are accepted.
        max: usize,
    },
    /// Something that it offers beside tools cannot be used.
    #[error(
        "a {0} of it has a bad or repeated name, a text that is too long or something that is \
         no URI"
    )]
    Offer(&'static str),
    /// It has no tools, or too many.
    #[error("it lists {count} tools; between 1 and {max} are accepted")]
    ToolCount {
        /// Tools listed.
        count: usize,
        /// Tools accepted.
        max: usize,
    },
    /// A tool has a bad name.
    #[error("one of its tools has a bad name: {0}")]
    ToolName(#[from] NameError),
    /// Two tools have one name.
    #[error("it lists the tool `{0}` twice")]
    DuplicateTool(String),
    /// A schema of a tool is refused.
    #[error("the {which} of its tool `{tool}` is refused: {reason}")]
    Schema {
        /// The tool.
        tool: String,
        /// Which of its schemas.
        which: &'static str,
        /// Why.
        reason: SchemaError,
    },
    /// A text of a tool is longer than accepted.
    #[error("the {which} of its tool `{tool}` has {bytes} bytes, at most {max} are accepted")]
    TextTooLong {
        /// The tool.
        tool: String,
        /// Which text.
        which: &'static str,
        /// Bytes given.
        bytes: usize,
        /// Bytes accepted.
        max: usize,
    },
}

/// Why there is no runtime.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RuntimeError {
    /// wasmtime refused every configuration.
    #[error("the WebAssembly engine cannot be set up: {0}")]
    Engine(String),
    /// The directory of the compile cache cannot be used.
    #[error("the compile cache `{}` cannot be used: {reason}", .directory.display())]
    Cache {
        /// The directory.
        directory: PathBuf,
        /// Why.
        reason: String,
    },
    /// The ticker thread cannot be started.
    #[error("the ticker thread cannot be started: {0}")]
    Ticker(#[from] std::io::Error),
}
