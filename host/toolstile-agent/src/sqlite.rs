//! Checkpoints in an SQLite file.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use crate::checkpoint::{Checkpoint, CheckpointStore, StoreError, StoredRun};
use crate::outcome::RunId;

/// How long a write waits for another process that writes.
const BUSY: std::time::Duration = std::time::Duration::from_secs(5);

const TABLE: &str = "
CREATE TABLE IF NOT EXISTS runs (
    run      TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    summary  TEXT NOT NULL,
    state    TEXT NOT NULL
) STRICT";

/// Keeps runs in an SQLite file. Several processes may use one file; every write is
/// on the disk when it returns.
#[derive(Clone, Debug)]
pub struct SqliteStore(Arc<Mutex<Connection>>);

impl SqliteStore {
    /// Opens a file, or makes it: readable and writable by its owner only, since
    /// conversations stand in it.
    ///
    /// # Errors
    /// The file cannot be opened, or is no such store.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        make_private(path).map_err(|error| StoreError::Backend(error.to_string()))?;
        Self::over(Connection::open(path).map_err(failed)?)
    }

    fn over(connection: Connection) -> Result<Self, StoreError> {
        connection.busy_timeout(BUSY).map_err(failed)?;
        // In this mode readers never wait; a write is synced before it returns.
        connection.pragma_update(None, "journal_mode", "wal").map_err(failed)?;
        connection.pragma_update(None, "synchronous", "full").map_err(failed)?;
        connection.execute(TABLE, []).map_err(failed)?;
        Ok(Self(Arc::new(Mutex::new(connection))))
    }

    /// Works on a thread where waiting for the disk disturbs nobody.
    async fn on_disk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let connection = Arc::clone(&self.0);
        let joined = tokio::task::spawn_blocking(move || {
            work(&connection.lock().unwrap_or_else(PoisonError::into_inner))
        });
        joined.await.unwrap_or_else(|error| Err(StoreError::Backend(error.to_string())))
    }
}

#[cfg(unix)]
fn make_private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true).mode(0o600).open(path).map(drop)
}

#[cfg(not(unix))]
fn make_private(_: &Path) -> std::io::Result<()> {
    Ok(())
}

#[async_trait]
impl CheckpointStore for SqliteStore {
    async fn save(&self, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        let checkpoint = checkpoint.clone();
        self.on_disk(move |connection| write(connection, &checkpoint)).await
    }

    async fn load(&self, run: &RunId) -> Result<Option<Checkpoint>, StoreError> {
        let run = run.clone();
        self.on_disk(move |connection| {
            let sql = "SELECT run, revision, summary, state FROM runs WHERE run = ?1";
            let found = connection.query_row(sql, [run.as_str()], checkpoint).optional();
            found.map_err(failed)?.transpose()
        })
        .await
    }

    async fn remove(&self, run: &RunId) -> Result<(), StoreError> {
        let run = run.clone();
        self.on_disk(move |connection| {
            let sql = "DELETE FROM runs WHERE run = ?1";
            connection.execute(sql, [run.as_str()]).map(drop).map_err(failed)
        })
        .await
    }

    async fn list(&self) -> Result<Vec<StoredRun>, StoreError> {
        self.on_disk(|connection| {
            let sql = "SELECT run, revision, summary, state FROM runs ORDER BY run";
            let mut statement = connection.prepare(sql).map_err(failed)?;
            let rows = statement.query_map([], checkpoint).map_err(failed)?;
            rows.map(|row| {
                row.map_err(failed)?.map(|c| StoredRun { run: c.run, summary: c.summary })
            })
            .collect()
        })
        .await
    }
}

/// One statement, so that two processes never both believe that they wrote.
fn write(connection: &Connection, checkpoint: &Checkpoint) -> Result<(), StoreError> {
    let Checkpoint { run, revision, summary, state } = checkpoint;
    let revision = i64::try_from(*revision).map_err(|error| failed_text(&error))?;
    let sql = match revision {
        1 => {
            "INSERT INTO runs (run, revision, summary, state) VALUES (?1, ?2, ?3, ?4) \
              ON CONFLICT DO NOTHING"
        }
        _ => {
            "UPDATE runs SET revision = ?2, summary = ?3, state = ?4 \
              WHERE run = ?1 AND revision = ?2 - 1"
        }
    };
    let written = connection.execute(sql, params![run.as_str(), revision, summary, state]);
    match written.map_err(failed)? {
        1 => Ok(()),
        _ => Err(StoreError::Conflict(run.clone())),
    }
}

fn checkpoint(row: &Row<'_>) -> rusqlite::Result<Result<Checkpoint, StoreError>> {
    let (run, revision): (String, i64) = (row.get(0)?, row.get(1)?);
    let (summary, state) = (row.get(2)?, row.get(3)?);
    let run = RunId::parse(&run).map_err(|error| failed_text(&error));
    let revision = u64::try_from(revision).map_err(|error| failed_text(&error));
    Ok(run.and_then(|run| Ok(Checkpoint { run, revision: revision?, summary, state })))
}

fn failed(error: rusqlite::Error) -> StoreError {
    failed_text(&error)
}

fn failed_text(error: &dyn std::error::Error) -> StoreError {
    StoreError::Backend(error.to_string())
}
