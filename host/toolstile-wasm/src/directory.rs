//! The plugin directory: files in, bytes out, nothing followed and nothing guessed.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolstile_core::{IdentityError, PluginId};

/// Plugin files that one directory may hold.
pub const MAX_PLUGIN_FILES: usize = 256;

/// A `.wasm` file of the directory: its identity and bytes, or why it is not used.
#[derive(Debug)]
pub struct DirectoryEntry {
    /// The file.
    pub path: PathBuf,
    /// Identity and content.
    pub content: Result<(PluginId, Arc<[u8]>), EntryError>,
}

/// Why the directory is not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DirectoryError {
    /// It cannot be listed.
    #[error("the plugin directory `{}` cannot be read: {source}", .path.display())]
    Unreadable {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It holds too many files.
    #[error("the plugin directory `{}` holds {count} `.wasm` files, at most {MAX_PLUGIN_FILES} are loaded", .path.display())]
    TooManyFiles {
        /// The directory.
        path: PathBuf,
        /// Files found.
        count: usize,
    },
}

/// Why a file is not used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EntryError {
    /// The file name gives no identity.
    #[error("its file name cannot name a plugin: {0}")]
    Name(#[from] IdentityError),
    /// The file name is not UTF-8.
    #[error("its file name is not UTF-8")]
    NameNotUtf8,
    /// A link: what it points to may change without the directory changing.
    #[error("it is a symbolic link; copy the file itself")]
    Symlink,
    /// A directory, device, pipe or socket.
    #[error("it is not a regular file")]
    NotAFile,
    /// Larger than any component may be.
    #[error("it has {bytes} bytes, at most {max} are accepted (limit `component_bytes`)")]
    TooLarge {
        /// Bytes of the file.
        bytes: u64,
        /// Bytes accepted.
        max: u64,
    },
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
}

/// Reads every `.wasm` file of a directory, sorted by name. `max_bytes` gives the
/// largest accepted size for a plugin; larger files are not read. A directory that
/// does not exist has no plugins.
///
/// # Errors
/// [`DirectoryError`] when nothing of the directory can be used. A problem with one
/// file is in its [`DirectoryEntry`].
pub fn read_directory(
    directory: &Path,
    max_bytes: impl Fn(&PluginId) -> u64,
) -> Result<Vec<DirectoryEntry>, DirectoryError> {
    let unreadable = |source| DirectoryError::Unreadable { path: directory.to_owned(), source };
    let listing = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(unreadable)?,
    };
    let mut paths = Vec::new();
    for entry in listing {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "wasm") {
            paths.push(path);
        }
    }
    if paths.len() > MAX_PLUGIN_FILES {
        let count = paths.len();
        return Err(DirectoryError::TooManyFiles { path: directory.to_owned(), count });
    }
    paths.sort();
    Ok(paths.into_iter().map(|path| read_entry(path, &max_bytes)).collect())
}

fn read_entry(path: PathBuf, max_bytes: &impl Fn(&PluginId) -> u64) -> DirectoryEntry {
    let read = || {
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let id = PluginId::parse(stem.ok_or(EntryError::NameNotUtf8)?)?;
        let bytes = read_plugin_file(&path, max_bytes(&id))?;
        Ok((id, bytes))
    };
    let content = read();
    DirectoryEntry { path, content }
}

/// Reads a regular file, once, up to a size.
///
/// # Errors
/// [`EntryError`] for links, special files, large files and files that change into
/// something else while they are opened.
pub fn read_plugin_file(path: &Path, max_bytes: u64) -> Result<Arc<[u8]>, EntryError> {
    let before = fs::symlink_metadata(path)?;
    check_kind(&before, max_bytes)?;
    let file = File::open(path)?;
    let opened = file.metadata()?;
    check_kind(&opened, max_bytes)?;
    if !same_file(&before, &opened) {
        return Err(EntryError::Symlink);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(opened.len()).unwrap_or(0));
    file.take(max_bytes + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 {
        len if len > max_bytes => Err(EntryError::TooLarge { bytes: len, max: max_bytes }),
        _ => Ok(bytes.into()),
    }
}

fn check_kind(metadata: &Metadata, max: u64) -> Result<(), EntryError> {
    if metadata.file_type().is_symlink() {
        return Err(EntryError::Symlink);
    }
    if !metadata.is_file() {
        return Err(EntryError::NotAFile);
    }
    match metadata.len() {
        bytes if bytes > max => Err(EntryError::TooLarge { bytes, max }),
        _ => Ok(()),
    }
}

/// What was looked at is what was opened.
#[cfg(unix)]
fn same_file(before: &Metadata, opened: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (before.dev(), before.ino()) == (opened.dev(), opened.ino())
}

#[cfg(not(unix))]
fn same_file(before: &Metadata, opened: &Metadata) -> bool {
    before.len() == opened.len()
}
