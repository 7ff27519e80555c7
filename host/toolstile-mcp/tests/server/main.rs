//! The server as its clients see it: every message as it goes over the wire.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

#[path = "../../examples/native/mod.rs"]
mod native;

mod asking;
mod calling;
mod confirming;
mod http;
mod listing;
mod offering;
mod support;
mod telling;
mod vectors;
