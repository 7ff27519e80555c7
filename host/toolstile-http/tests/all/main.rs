//! Tests of the crate from outside: vectors, and exchanges with small servers.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod exchanges;
mod server;
mod tls;
mod vectors;
