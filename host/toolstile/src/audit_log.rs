//! The audit log: one JSON line for each call.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use toolstile_core::{ArgumentDetail, AuditRecord, AuditSink};

/// Where the lines go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditTarget {
    /// Standard error.
    Stderr,
    /// The end of a file, which is created readable by its owner only.
    File(PathBuf),
}

/// Writes one JSON line for each call.
#[derive(Debug)]
pub struct AuditLog {
    file: Option<Mutex<File>>,
    arguments: ArgumentDetail,
}

impl AuditLog {
    /// Opens the log.
    ///
    /// # Errors
    /// The file cannot be opened for appending.
    pub fn open(target: &AuditTarget, arguments: ArgumentDetail) -> io::Result<Self> {
        let file = match target {
            AuditTarget::Stderr => None,
            AuditTarget::File(path) => Some(Mutex::new(open_private(path)?)),
        };
        Ok(Self { file, arguments })
    }
}

fn open_private(path: &std::path::Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

impl AuditSink for AuditLog {
    fn record(&self, record: &AuditRecord) {
        let Ok(mut line) = serde_json::to_vec(record) else { return };
        line.push(b'\n');
        // One write for a line, so that lines of several processes stay whole.
        let written = match &self.file {
            Some(file) => file.lock().unwrap_or_else(PoisonError::into_inner).write_all(&line),
            None => io::stderr().lock().write_all(&line),
        };
        if let Err(error) = written {
            tracing::error!(%error, "a record could not be written to the audit log");
        }
    }

    fn argument_detail(&self) -> ArgumentDetail {
        self.arguments
    }
}
