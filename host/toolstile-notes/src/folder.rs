//! A folder that is open, and the only code that opens what is in it.
//!
//! One name at a time, links never: where `openat2` is missing, `cap-std` opens without
//! following, and the device number tells a mount point. (A directory of the same file
//! system that is mounted a second time is noticed by `openat2` alone.)

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{
    Dir, DirBuilder, DirBuilderExt as _, MetadataExt as _, OpenOptions, OpenOptionsExt as _,
    ReadDir,
};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::beneath;
use crate::error::NotesError;
use crate::path::NotePath;

/// For folders that are made: nobody but the owner.
pub(crate) const FOLDER_MODE: u32 = 0o700;
const NOTE_MODE: u32 = 0o600;

/// What a note is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Read,
    Append,
    /// Append to a note that must not exist yet.
    Create,
}

impl Purpose {
    /// Never waits: opening a pipe would, until somebody opens its other end.
    fn flags(self) -> OFlags {
        OFlags::NONBLOCK
            | match self {
                Self::Read => OFlags::RDONLY,
                Self::Append => OFlags::WRONLY | OFlags::APPEND,
                Self::Create => OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL,
            }
    }

    fn mode(self) -> u32 {
        if self == Self::Create { NOTE_MODE } else { 0 }
    }

    /// The same as [`Purpose::flags`], for the portable way.
    fn options(self) -> OpenOptions {
        let mut options = OpenOptions::new();
        options.follow(FollowSymlinks::No).nonblock(true).mode(NOTE_MODE);
        options.read(self == Self::Read).append(self != Self::Read);
        options.create_new(self == Self::Create);
        options
    }
}

/// A folder that is open.
#[derive(Debug)]
pub(crate) struct Folder {
    dir: Dir,
    device: u64,
}

/// Where a path leads.
#[derive(Debug)]
pub(crate) enum Place<'a> {
    /// A regular file with a single name.
    Note(File),
    /// Nothing is there. `folder` is as far as the path exists; `missing` are the
    /// names behind it, the note's own at the end.
    Nothing { folder: Folder, missing: Vec<&'a str> },
}

impl Folder {
    pub(crate) fn new(dir: Dir) -> io::Result<Self> {
        let device = dir.dir_metadata()?.dev();
        Ok(Self { dir, device })
    }

    /// This folder, unless it was removed since it was opened: then it can be neither
    /// read nor written, and must not look empty. `path` is what is looked for in it.
    pub(crate) fn present(&self, path: &NotePath) -> Result<&Self, NotesError> {
        match self.dir.dir_metadata() {
            Ok(found) if found.nlink() == 0 => Err(NotesError::Gone),
            Ok(_) => Ok(self),
            Err(error) => Err(NotesError::from_io(path, error)),
        }
    }

    /// The folder called `name` in this one.
    pub(crate) fn enter(&self, name: &str) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let opened = match beneath::open(&self.dir, name, flags, Mode::empty()) {
            Some(opened) => opened.map(Dir::from_std_file),
            None => self.dir.open_dir_nofollow(name),
        };
        let folder = Self::new(opened.map_err(link_is_no_folder)?)?;
        match folder.device == self.device {
            true => Ok(folder),
            false => Err(Errno::XDEV.into()),
        }
    }

    /// The folder at a path below this one.
    pub(crate) fn descend(&self, path: &NotePath) -> io::Result<Self> {
        path.names().try_fold(self.again()?, |folder, name| folder.enter(name))
    }

    /// Goes along `path` as far as it exists.
    pub(crate) fn find<'a>(
        &self,
        path: &'a NotePath,
        purpose: Purpose,
    ) -> Result<Place<'a>, NotesError> {
        let failed = |error| NotesError::from_io(path, error);
        let mut names: Vec<&str> = path.names().collect();
        let mut folder = self.again().map_err(failed)?;
        while names.len() > 1 {
            match folder.enter(names[0]) {
                Ok(inner) => folder = inner,
                Err(error) if is_missing(&error) => {
                    return Ok(Place::Nothing { folder, missing: names });
                }
                Err(error) => return Err(failed(error)),
            }
            names.remove(0);
        }
        match names.first().map(|name| folder.open_note(name, purpose)) {
            Some(Err(error)) if is_missing(&error) => Ok(Place::Nothing { folder, missing: names }),
            Some(opened) => check_note(opened.map_err(failed)?, path).map(Place::Note),
            None => Err(NotesError::NotANote(path.clone())),
        }
    }

    /// The folder called `name`, made when it is missing.
    pub(crate) fn make(&self, name: &str) -> io::Result<Self> {
        let mut builder = DirBuilder::new();
        builder.mode(FOLDER_MODE);
        match self.dir.create_dir_with(name, &builder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => self.enter(name),
        }
    }

    /// Opens the file called `name`. It is to be checked: it may be anything.
    pub(crate) fn open_note(&self, name: &str, purpose: Purpose) -> io::Result<File> {
        let mode = Mode::from_bits_truncate(purpose.mode());
        match beneath::open(&self.dir, name, purpose.flags(), mode) {
            Some(opened) => opened,
            None => Ok(self.dir.open_with(name, &purpose.options())?.into_std()),
        }
    }

    pub(crate) fn remove_note(&self, name: &str) -> io::Result<()> {
        self.dir.remove_file(name)
    }

    pub(crate) fn entries(&self) -> io::Result<ReadDir> {
        self.dir.entries()
    }

    /// The folder opened once more. Locks taken on the result exclude other threads
    /// of this process too; they would not on a duplicate of the same handle.
    pub(crate) fn reopen(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(File::from(rustix::fs::openat(&self.dir, ".", flags, Mode::empty())?))
    }

    fn again(&self) -> io::Result<Self> {
        Ok(Self { dir: self.dir.try_clone()?, device: self.device })
    }
}

/// The two ways of opening have different answers for a link.
fn link_is_no_folder(error: io::Error) -> io::Error {
    match Errno::from_io_error(&error) {
        Some(Errno::LOOP) => Errno::NOTDIR.into(),
        _ => error,
    }
}

pub(crate) fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

/// Lets regular files with a single name pass. Another name could be anywhere on the
/// file system, and belong to a file that was never meant as a note.
fn check_note(file: File, path: &NotePath) -> Result<File, NotesError> {
    let found = file.metadata().map_err(|error| NotesError::from_io(path, error))?;
    match (found.is_file(), found.nlink()) {
        (true, 1) => Ok(file),
        (true, 0) => Err(NotesError::Missing(path.clone())),
        (true, _) => Err(NotesError::TwoNames(path.clone())),
        (false, _) => Err(NotesError::NotANote(path.clone())),
    }
}
