//! Language models of real providers behind
//! [`ChatModel`](toolstile_agent::ChatModel).
//!
//! One request in, one reply out, for OpenAI and every server that speaks its Chat
//! Completions, Anthropic, Gemini and Ollama. The crate decides nothing about tools:
//! it says what a model may call in the form that its provider accepts
//! ([`SchemaProfile`]), and hands back the calls as the model wrote them.
//!
//! Start reading at [`connect`].

mod error;
mod model;
pub mod profile;
mod provider;
mod reply;
mod request;
mod settings;
mod transport;

pub use model::{ProviderModel, connect};
pub use profile::{FunctionDeclaration, NameMap, SchemaProfile};
pub use provider::{Provider, parse_model};
pub use settings::{ConnectError, ModelSettings};

/// The example of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
