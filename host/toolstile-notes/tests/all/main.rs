//! Tests of the crate from outside: vectors, attacks, races, quotas.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod behaviour;
mod child;
mod concurrency;
mod movers;
mod notes_paths;
mod properties;
mod quotas;
mod sandbox;
mod vectors;
mod without_openat2;
