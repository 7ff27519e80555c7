//! Vectors against what happened: what agrees, what differs on purpose, what fails.

use std::collections::BTreeSet;
use std::fmt::Debug;

use serde_json::Value;

/// Collects the cases of one kind; [`Comparison::finish`] is the verdict.
#[derive(Debug)]
pub struct Comparison {
    deliberate: Vec<(&'static str, &'static str)>,
    differed: BTreeSet<String>,
    failures: Vec<String>,
    ran: usize,
}

impl Comparison {
    /// Cases that differ on purpose are listed as id and reason.
    #[must_use]
    pub fn new(deliberate: &[(&'static str, &'static str)]) -> Self {
        Self {
            deliberate: deliberate.to_vec(),
            differed: BTreeSet::new(),
            failures: Vec::new(),
            ran: 0,
        }
    }

    /// One case: what the vector says, and what happened.
    pub fn case<T: PartialEq + Debug>(&mut self, id: &str, expected: T, found: T) {
        let agrees = expected == found;
        self.accept(id, agrees, || format!("expected {expected:?}, found {found:?}"));
    }

    /// One case that holds or not; `difference` says what was seen instead.
    pub fn accept(&mut self, id: &str, holds: bool, difference: impl FnOnce() -> String) {
        self.ran += 1;
        match self.deliberate.iter().any(|(listed, _)| *listed == id) {
            _ if holds => {}
            true => drop(self.differed.insert(id.to_owned())),
            false => self.failures.push(format!("{id}: {}", difference())),
        }
    }

    /// Prints how much ran.
    ///
    /// # Panics
    /// A case failed, a listed difference is none any more, or not all of the
    /// `count` cases ran.
    #[expect(clippy::print_stdout, reason = "says how many cases ran")]
    pub fn finish(self, what: &str, count: usize) {
        println!("{what}: {} cases, {} different on purpose", self.ran, self.differed.len());
        assert!(self.failures.is_empty(), "{what}:\n{}", self.failures.join("\n"));
        let stale = self.deliberate.iter().filter(|(id, _)| !self.differed.contains(*id));
        let stale: Vec<_> = stale.collect();
        assert!(stale.is_empty(), "{what}: no difference any more: {stale:?}");
        assert_eq!(self.ran, count, "{what}: cases that ran");
    }
}

/// The identifier of a vector.
///
/// # Panics
/// It has none.
#[must_use]
pub fn id(case: &Value) -> &str {
    case["id"].as_str().expect("a vector has an id")
}
