//! What is in the notes directory: the names for `list`, the numbers for the quotas.

use std::io;

use cap_std::fs::{DirEntry, Metadata, MetadataExt as _};
use rustix::io::Errno;

use crate::error::NotesError;
use crate::folder::{Folder, is_missing};
use crate::notes::Quotas;
use crate::path::NotePath;

/// What a walk found.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// Notes that may be read, in no order.
    pub(crate) notes: Vec<NotePath>,
    /// Everything that is no folder, whether it is a note or not.
    pub(crate) files: u64,
    pub(crate) folders: u64,
    /// Bytes of all regular files.
    pub(crate) bytes: u64,
}

impl Survey {
    /// Walks through everything below `start`, and through no link. What nobody can use
    /// as a note is counted and not entered. Ends with an error as soon as there is more
    /// than the quotas allow, so its length is bounded.
    pub(crate) fn take(
        root: &Folder,
        start: &NotePath,
        quotas: &Quotas,
    ) -> Result<Self, NotesError> {
        let mut survey = Self::default();
        let first = root.descend(start).map_err(|error| NotesError::from_io(start, error))?;
        let mut folders = survey.look(&first, start, quotas)?;
        // One folder is open at a time, however many there are.
        while let Some(path) = folders.pop() {
            match root.descend(&path) {
                Ok(folder) => folders.extend(survey.look(&folder, &path, quotas)?),
                Err(error) if is_no_place_for_notes(&error) => {}
                Err(error) => return Err(NotesError::from_io(&path, error)),
            }
        }
        Ok(survey)
    }

    /// Counts what lies in one folder and returns the folders in it.
    fn look(
        &mut self,
        folder: &Folder,
        path: &NotePath,
        quotas: &Quotas,
    ) -> Result<Vec<NotePath>, NotesError> {
        let failed = |error| NotesError::from_io(path, error);
        let mut inner = Vec::new();
        for entry in folder.entries().map_err(failed)? {
            let Some((entry, found)) = examine(entry).map_err(failed)? else { continue };
            self.count(&found, quotas)?;
            let Some(place) = entry.file_name().to_str().and_then(|name| path.join(name)) else {
                continue;
            };
            match () {
                () if found.is_dir() => inner.push(place),
                () if found.is_file() && found.nlink() == 1 => self.notes.push(place),
                () => {}
            }
        }
        Ok(inner)
    }

    fn count(&mut self, found: &Metadata, quotas: &Quotas) -> Result<(), NotesError> {
        match found.is_dir() {
            true => self.folders += 1,
            false => self.files += 1,
        }
        if found.is_file() {
            self.bytes = self.bytes.saturating_add(found.len());
        }
        self.check_numbers(quotas)
    }

    /// # Errors
    /// More files or folders than allowed.
    pub(crate) fn check_numbers(&self, quotas: &Quotas) -> Result<(), NotesError> {
        match quotas.max_files {
            max if self.files > max => Err(NotesError::TooManyNotes(max)),
            max if self.folders > max => Err(NotesError::TooManyFolders(max)),
            _ => Ok(()),
        }
    }
}

/// `None` for what disappeared in the meantime.
fn examine(entry: io::Result<DirEntry>) -> io::Result<Option<(DirEntry, Metadata)>> {
    let entry = entry?;
    match entry.metadata() {
        Ok(found) => Ok(Some((entry, found))),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A folder that disappeared, became something else, is a mount point or is closed to
/// this user: no note can be used in there. Any other failure must not make the notes
/// look fewer than they are.
fn is_no_place_for_notes(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::XDEV | Errno::ACCESS)
    )
}
