//! Whoever made a call, as far as it can be reached while the call runs.

use std::fmt::Debug;

/// How far a call has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// In a unit of the tool's choice; never decreases within a call.
    pub done: f64,
    /// What `done` will be in the end, where that is known.
    pub total: Option<f64>,
    /// What is being done; invisible characters are escaped.
    pub message: Option<String>,
}

/// How important a line of a tool's log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// For somebody who searches for a fault.
    Debug,
    /// The normal course of things.
    Info,
    /// Something unexpected that did not stop the call.
    Warn,
    /// Something that made the call fail.
    Error,
}

/// Listens to a call while it runs. Must return at once; what it is told was bounded
/// before.
pub trait Caller: Send + Sync + Debug {
    /// How far the call has come.
    fn progress(&self, _progress: &Progress) {}

    /// A line that the tool logged; invisible characters are escaped.
    fn log(&self, _level: Level, _line: &str) {}
}
