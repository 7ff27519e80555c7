//! Appending: all or nothing, one writer at a time, within the quotas.

use std::fs::File;
use std::io::{self, Write as _};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::NotesError;
use crate::folder::{Folder, Place, Purpose, is_missing};
use crate::lock::Locked;
use crate::notes::Quotas;
use crate::path::NotePath;
use crate::survey::Survey;

/// Between two attempts to get a lock.
const PAUSE: Duration = Duration::from_millis(1);

/// One append, until it is done or refused.
///
/// Whoever appends holds the lock of the notes directory, from counting to writing, so
/// that two cannot both take the last room there is. The note is locked too, for programs
/// that know only the note. Neither lock is waited for while the other is held.
#[derive(Debug)]
pub(crate) struct Append<'a> {
    pub(crate) root: &'a Folder,
    pub(crate) quotas: &'a Quotas,
    pub(crate) path: &'a NotePath,
    pub(crate) content: &'a str,
    pub(crate) deadline: Instant,
}

/// How an attempt ended.
enum Attempt {
    Done,
    /// Somebody else is writing.
    Busy,
}

impl Append<'_> {
    pub(crate) fn run(&self) -> Result<(), NotesError> {
        if self.content.is_empty() {
            return Err(NotesError::Empty);
        }
        self.check_note_size(0)?;
        while let Attempt::Busy = self.attempt()? {
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    fn attempt(&self) -> Result<Attempt, NotesError> {
        self.check_deadline()?;
        let directory = self.root.reopen().and_then(Locked::try_lock);
        let Some(_directory) = directory.map_err(|error| self.failed(error))? else {
            return Ok(Attempt::Busy);
        };
        match self.root.present(self.path)?.find(self.path, Purpose::Append)? {
            Place::Note(file) => self.extend(file),
            Place::Nothing { folder, missing } => self.create(folder, &missing),
        }
    }

    fn extend(&self, file: File) -> Result<Attempt, NotesError> {
        let Some(note) = Locked::try_lock(file).map_err(|error| self.failed(error))? else {
            return Ok(Attempt::Busy);
        };
        let length = note.metadata().map_err(|error| self.failed(error))?.len();
        self.check_note_size(length)?;
        self.check_room(0, 0)?;
        write(&note, length, self.content).map_err(|error| self.failed(error))?;
        Ok(Attempt::Done)
    }

    /// `missing` are the folders to be made in `folder`, then the note.
    fn create(&self, folder: Folder, missing: &[&str]) -> Result<Attempt, NotesError> {
        let Some((name, folders)) = missing.split_last() else {
            return Err(NotesError::NotANote(self.path.clone()));
        };
        self.check_room(1, folders.len() as u64)?;
        let made = folders
            .iter()
            .try_fold(folder, |folder, name| folder.make(name))
            .and_then(|folder| Ok((folder.open_note(name, Purpose::Create)?, folder)));
        match made {
            Ok((file, folder)) => self.fill(&folder, name, file),
            // Another program, which does not know the lock, made the note or removed
            // the folder.
            Err(error) if is_missing(&error) || exists(&error) => Ok(Attempt::Busy),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Writes a note that was just made, or removes it again.
    fn fill(&self, folder: &Folder, name: &str, file: File) -> Result<Attempt, NotesError> {
        let Some(note) = Locked::try_lock(file).map_err(|error| self.failed(error))? else {
            return Ok(Attempt::Busy);
        };
        write(&note, 0, self.content).map_err(|error| {
            // The first failure is the one to tell.
            let _ = folder.remove_note(name);
            self.failed(error)
        })?;
        Ok(Attempt::Done)
    }

    fn check_note_size(&self, length: u64) -> Result<(), NotesError> {
        let max = self.quotas.max_file_bytes;
        match length.saturating_add(self.content.len() as u64) > max {
            true => Err(NotesError::NoteTooLarge { path: self.path.clone(), max }),
            false => Ok(()),
        }
    }

    /// Whether the quotas allow the content, with `files` and `folders` more than now.
    /// Counting takes time, so the deadline is looked at again before anything changes.
    fn check_room(&self, files: u64, folders: u64) -> Result<(), NotesError> {
        let mut survey = Survey::take(self.root, &NotePath::ROOT, self.quotas)?;
        survey.files += files;
        survey.folders += folders;
        survey.check_numbers(self.quotas)?;
        let max = self.quotas.max_total_bytes;
        if survey.bytes.saturating_add(self.content.len() as u64) > max {
            return Err(NotesError::TotalTooLarge(max));
        }
        self.check_deadline()
    }

    fn check_deadline(&self) -> Result<(), NotesError> {
        if Instant::now() < self.deadline { Ok(()) } else { Err(NotesError::TimedOut) }
    }

    fn failed(&self, error: io::Error) -> NotesError {
        NotesError::from_io(self.path, error)
    }
}

fn exists(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AlreadyExists
}

/// Appends to a file of `length` bytes. A part of the content is worse than nothing, so
/// it is cut off again.
fn write(mut note: &File, length: u64, content: &str) -> io::Result<()> {
    let written = note.write_all(content.as_bytes());
    if written.is_err() {
        // The first failure is the one to tell.
        let _ = note.set_len(length);
    }
    written
}
