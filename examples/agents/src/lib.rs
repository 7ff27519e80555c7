//! What the examples share: a small store of records, and a printout of a run.

use std::collections::BTreeMap;
use std::io::{Write as _, stdout};
use std::sync::{Arc, Mutex, PoisonError};

use toolstile::agent::{RunResult, Step};

/// Records by their identifier.
#[derive(Clone, Debug, Default)]
pub struct Records(Arc<Mutex<BTreeMap<String, String>>>);

impl Records {
    /// Two records to play with.
    #[must_use]
    pub fn sample() -> Self {
        let records = Self::default();
        records.write("a", "apples");
        records.write("b", "pears");
        records
    }

    /// The content of a record, or that there is none.
    #[must_use]
    pub fn read(&self, id: &str) -> String {
        let records = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        records.get(id).cloned().unwrap_or_else(|| "there is no such record".to_owned())
    }

    /// Replaces the content of a record.
    pub fn write(&self, id: &str, text: &str) {
        let mut records = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        records.insert(id.to_owned(), text.to_owned());
    }
}

/// Prints every step of a run, and how it ended.
///
/// # Errors
/// Nobody reads.
pub fn print(result: &RunResult) -> std::io::Result<()> {
    let mut out = stdout().lock();
    for step in &result.steps {
        match step {
            Step::Model { text, .. } if !text.is_empty() => writeln!(out, "model: {text}")?,
            Step::Tool { record, text } => {
                writeln!(out, "{} {}: {text}", record.tool, record.outcome)?;
            }
            _ => {}
        }
    }
    writeln!(out, "{}", result.status.as_str())
}
