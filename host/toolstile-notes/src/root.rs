//! Opening the notes directory: the one place where a path of the host is used.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::folder::{FOLDER_MODE, Folder};

/// Rights of the group and of others.
const OTHERS: u32 = 0o077;

/// Why the notes directory cannot be used. For the operator: names paths of the host.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The path is empty, or does not end in a name.
    #[error("`{}` does not end in the name of a directory", .0.display())]
    NoName(PathBuf),
    /// It is missing and cannot be made.
    #[error("the notes directory `{}` cannot be made: {source}", .path.display())]
    Make {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file, or a link to a directory.
    #[error("`{}` is not a directory; a link to one is not accepted either", .0.display())]
    NotADirectory(PathBuf),
    /// It belongs to somebody else.
    #[error(
        "the notes directory `{}` belongs to user {owner}, and this is user {user}; use a \
         directory of your own",
        .path.display()
    )]
    Owner {
        /// The directory.
        path: PathBuf,
        /// The owner's number.
        owner: u32,
        /// The number of the user of this process.
        user: u32,
    },
    /// Others can read or change it.
    #[error(
        "the notes directory `{0}` is open to other users (mode {mode:o}); close it with \
         `chmod 700 {0}`",
        .path.display()
    )]
    Exposed {
        /// The directory.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// It cannot be opened.
    #[error("the notes directory `{}` cannot be opened: {source}", .path.display())]
    Open {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A quota that allows nothing.
    #[error("`{0}` must be more than 0")]
    ZeroQuota(&'static str),
}

/// Opens the directory after making it, with its parents, when it is missing.
pub(crate) fn open_root(directory: &Path) -> Result<Folder, OpenError> {
    // Without a slash or dot at the end, behind which a link would be followed.
    let path: PathBuf = directory.components().collect();
    let blank = path.to_str().is_some_and(|text| text.trim().is_empty());
    if blank || path.file_name().is_none() {
        return Err(OpenError::NoName(path));
    }
    make_missing(&path)?;
    let file = open_directory(&path)?;
    check_owner(&file, &path)?;
    Folder::new(Dir::from_std_file(file)).map_err(|source| OpenError::Open { path, source })
}

/// A link that leads nowhere counts as present: nothing is made where it points to.
fn make_missing(path: &Path) -> Result<(), OpenError> {
    if path.symlink_metadata().is_ok() {
        return Ok(());
    }
    let made = DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(path);
    made.map_err(|source| OpenError::Make { path: path.to_owned(), source })
}

fn open_directory(path: &Path) -> Result<File, OpenError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(handle) => Ok(File::from(handle)),
        Err(Errno::NOTDIR | Errno::LOOP) => Err(OpenError::NotADirectory(path.to_owned())),
        Err(error) => Err(OpenError::Open { path: path.to_owned(), source: error.into() }),
    }
}

/// Asked of the open directory, so that nobody can exchange it between question and use.
fn check_owner(directory: &File, path: &Path) -> Result<(), OpenError> {
    let found =
        directory.metadata().map_err(|source| OpenError::Open { path: path.to_owned(), source })?;
    let user = rustix::process::geteuid().as_raw();
    let (owner, mode) = (found.uid(), found.mode() & 0o777);
    match path.to_owned() {
        path if owner != user => Err(OpenError::Owner { path, owner, user }),
        path if mode & OTHERS != 0 => Err(OpenError::Exposed { path, mode }),
        _ => Ok(()),
    }
}
