//! What is said to a model when a note cannot be used: names of notes, never a path of
//! the host.

use std::io;

use rustix::io::Errno;

use crate::path::{NotePath, PathProblem};

/// Why a note cannot be used. Every message is fit for a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotesError {
    /// The path is refused as text, before any file is touched.
    #[error("the path `{path}` is refused: {problem}")]
    Path {
        /// The path as it was given, shortened and with invisible characters escaped.
        path: String,
        /// What is wrong with it.
        problem: PathProblem,
    },
    /// The grant is for reading.
    #[error("notes may be read and not written here; writing takes the access `read-append`")]
    ReadOnly,
    /// Nothing has that path.
    #[error("there is no note `{0}`")]
    Missing(NotePath),
    /// A note or a link where a folder is needed.
    #[error("`{0}` is no folder, or lies below something that is none; links are not followed")]
    NotAFolder(NotePath),
    /// A folder, link, pipe, socket or device.
    #[error("`{0}` is no note: only regular files are, and links are not followed")]
    NotANote(NotePath),
    /// A file with more than one hard link, which may be a file of somebody else.
    #[error("`{0}` is refused because the same file has another name as well")]
    TwoNames(NotePath),
    /// Something is mounted on the way.
    #[error("`{0}` lies on another file system than the notes directory")]
    Elsewhere(NotePath),
    /// Not UTF-8.
    #[error("`{0}` is not UTF-8 text")]
    NotText(NotePath),
    /// There is nothing to append.
    #[error("there is nothing to append; give at least one character")]
    Empty,
    /// The note is, or would become, larger than one note may be.
    #[error("the note `{path}` may have at most {max} bytes; use another note")]
    NoteTooLarge {
        /// The note.
        path: NotePath,
        /// Bytes that a note may have.
        max: u64,
    },
    /// All notes together would become larger than they may be.
    #[error("all notes together may have at most {0} bytes, and there is no room for this")]
    TotalTooLarge(u64),
    /// There are too many files.
    #[error("there may be at most {0} notes")]
    TooManyNotes(u64),
    /// There are too many folders.
    #[error("there may be at most {0} folders of notes")]
    TooManyFolders(u64),
    /// Somebody else was writing all the time.
    #[error("the notes were in use until the deadline; nothing was written")]
    TimedOut,
    /// The directory was removed after it was opened.
    #[error("the notes directory is gone")]
    Gone,
    /// The file system refused.
    #[error("`{path}` cannot be used: {}", .source.kind())]
    Io {
        /// The note or folder.
        path: NotePath,
        /// Why. Holds no path.
        source: io::Error,
    },
}

/// The kinds of failure that the contract knows (`wit/types.wit`, `error-kind`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// It was not granted.
    Denied,
    /// The path or the content is malformed.
    InvalidArgument,
    /// There is no such note.
    NotFound,
    /// A limit on size or number was reached.
    LimitExceeded,
    /// The deadline passed.
    TimedOut,
    /// Granted, but not usable here and now.
    Unavailable,
    /// Anything else.
    Other,
}

impl NotesError {
    /// What programs branch on.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Path { .. } | Self::NotAFolder(_) | Self::Empty => ErrorKind::InvalidArgument,
            Self::ReadOnly | Self::NotANote(_) | Self::TwoNames(_) | Self::Elsewhere(_) => {
                ErrorKind::Denied
            }
            Self::Missing(_) => ErrorKind::NotFound,
            Self::NoteTooLarge { .. }
            | Self::TotalTooLarge(_)
            | Self::TooManyNotes(_)
            | Self::TooManyFolders(_) => ErrorKind::LimitExceeded,
            Self::TimedOut => ErrorKind::TimedOut,
            Self::Gone | Self::Io { .. } => ErrorKind::Unavailable,
            Self::NotText(_) => ErrorKind::Other,
        }
    }

    /// What it means that the file system answered `source` about `path`.
    pub(crate) fn from_io(path: &NotePath, source: io::Error) -> Self {
        let path = path.clone();
        match Errno::from_io_error(&source) {
            Some(Errno::NOENT) => Self::Missing(path),
            Some(Errno::NOTDIR) => Self::NotAFolder(path),
            // A link; a folder opened for writing; a pipe without reader or a socket.
            Some(Errno::LOOP | Errno::ISDIR | Errno::NXIO) => Self::NotANote(path),
            Some(Errno::XDEV) => Self::Elsewhere(path),
            _ => Self::Io { path, source },
        }
    }
}
