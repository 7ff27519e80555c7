#![doc = include_str!("../README.md")]

// The code that `#[tool]` and `export!` generate says `::toolstile_sdk`; so that
// it also compiles inside this crate, for the bindings and the unit tests.
extern crate self as toolstile_sdk;

mod answer;
mod argument;
#[doc(hidden)]
pub mod bindings;
pub mod client;
mod component;
mod error;
pub mod exposure;
pub mod http;
pub mod log;
pub mod notes;
pub mod progress;
pub mod prompts;
pub mod resources;
mod response;
mod schema;
pub mod settings;
pub mod shell;
mod tool;

pub use schemars;
pub use serde;
pub use serde_json;
pub use toolstile_sdk_macros::tool;

pub use answer::IntoToolResponse;
pub use argument::Argument;
pub use error::{Error, ErrorKind};
pub use response::{Attachment, Status, ToolResponse};
pub use schema::schema_for;
pub use tool::{Tool, ToolDefinition, Traits};

/// What generated code needs; no part of the interface, and free to change.
#[doc(hidden)]
pub mod __private {
    pub use crate::answer::{Answer, Respond};
    pub use crate::argument::{ArgumentError, Arguments};
    pub use crate::component::{MakeTool, call_tool, list_tools};
    pub use crate::schema::InputSchema;
    pub use wit_bindgen;
}
