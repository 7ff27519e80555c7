//! Models against a server on this machine that answers as their providers do.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may stop here")]

mod anthropic;
mod conversations;
mod failures;
mod gemini;
mod ollama;
mod openai;
mod schemas;
mod server;
mod settings;
mod support;
