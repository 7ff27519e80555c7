//! The three things that can be done with notes.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::time::Instant;

use crate::append::Append;
use crate::error::NotesError;
use crate::folder::{Folder, Place, Purpose};
use crate::path::{NotePath, check_folder, check_path};
use crate::root::{OpenError, open_root};
use crate::survey::Survey;

/// What the operator decides about notes.
#[derive(Clone, Debug)]
pub struct NotesConfig {
    /// The directory, made with its parents when it is missing.
    pub directory: PathBuf,
    /// What may be done there.
    pub access: Access,
    /// How much may be written there.
    pub quotas: Quotas,
}

/// What may be done with notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read and list.
    Read,
    /// Read, list and append.
    ReadAppend,
}

/// How much may be in the directory. None may be zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotas {
    /// Bytes of one note, also of one that is read. Default: 2 000 000.
    pub max_file_bytes: u64,
    /// Bytes of all files together. Default: 100 000 000.
    pub max_total_bytes: u64,
    /// Files; and as many folders. Default: 10 000.
    pub max_files: u64,
}

impl Default for Quotas {
    fn default() -> Self {
        Self { max_file_bytes: 2_000_000, max_total_bytes: 100_000_000, max_files: 10_000 }
    }
}

/// An open notes directory.
#[derive(Debug)]
pub struct Notes {
    root: Folder,
    access: Access,
    quotas: Quotas,
}

impl Notes {
    /// Opens the directory. It is looked up by its path here and never again. It must
    /// belong to the user of this process, with no rights for anybody else, and must
    /// not be a link; links among its parents are followed.
    ///
    /// # Errors
    /// [`OpenError`], for the operator.
    pub fn open(config: NotesConfig) -> Result<Self, OpenError> {
        let NotesConfig { directory, access, quotas } = config;
        for (quota, value) in [
            ("max_file_bytes", quotas.max_file_bytes),
            ("max_total_bytes", quotas.max_total_bytes),
            ("max_files", quotas.max_files),
        ] {
            if value == 0 {
                return Err(OpenError::ZeroQuota(quota));
            }
        }
        Ok(Self { root: open_root(&directory)?, access, quotas })
    }

    /// The whole note, as it is in the file.
    ///
    /// # Errors
    /// [`NotesError::Missing`] when there is none; other variants for what is not a
    /// plain note, not UTF-8 or larger than [`Quotas::max_file_bytes`].
    pub fn read(&self, path: &str) -> Result<String, NotesError> {
        let path = check_path(path)?;
        let Place::Note(file) = self.root.present(&path)?.find(&path, Purpose::Read)? else {
            return Err(NotesError::Missing(path));
        };
        let bytes = self.read_bounded(&file, &path)?;
        String::from_utf8(bytes).map_err(|_| NotesError::NotText(path))
    }

    /// Appends to a note; makes it, and its folders, when they are missing. Either all
    /// of `content` is appended or nothing, also while other threads and processes
    /// append. Waits for them until `deadline`.
    ///
    /// All notes are counted for the quotas each time, which takes a few milliseconds
    /// for thousands of notes.
    ///
    /// # Errors
    /// [`NotesError::ReadOnly`] without the access; [`NotesError::TimedOut`] at the
    /// deadline; other variants for what is not a plain note and for the quotas.
    pub fn append(&self, path: &str, content: &str, deadline: Instant) -> Result<(), NotesError> {
        if self.access == Access::Read {
            return Err(NotesError::ReadOnly);
        }
        let path = &check_path(path)?;
        Append { root: &self.root, quotas: &self.quotas, path, content, deadline }.run()
    }

    /// The paths of all notes in a folder and in the folders below it, sorted, each
    /// relative to the notes directory. Nothing, or `.`, is the notes directory.
    ///
    /// # Errors
    /// [`NotesError::Missing`] when there is no such folder; other variants when it is
    /// not a folder or holds more than [`Quotas::max_files`].
    pub fn list(&self, path: &str) -> Result<Vec<String>, NotesError> {
        let path = check_folder(path)?;
        let mut notes = Survey::take(self.root.present(&path)?, &path, &self.quotas)?.notes;
        notes.sort_unstable();
        Ok(notes.into_iter().map(String::from).collect())
    }

    /// The size is looked at while reading: the file may grow meanwhile.
    fn read_bounded(&self, file: &File, path: &NotePath) -> Result<Vec<u8>, NotesError> {
        let failed = |error: io::Error| NotesError::from_io(path, error);
        let max = self.quotas.max_file_bytes;
        let too_large = || NotesError::NoteTooLarge { path: path.clone(), max };
        if file.metadata().map_err(failed)?.len() > max {
            return Err(too_large());
        }
        let mut bytes = Vec::new();
        let read = file.take(max.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
        if read as u64 > max { Err(too_large()) } else { Ok(bytes) }
    }
}
