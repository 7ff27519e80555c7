//! Whether a word that names a file stays inside the directories that programs may read.
//!
//! Twice: by its text, and after the links on the way are followed. The answer may be
//! old when the program opens the file; the sandbox of the operating system holds then.

use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Component, Path, PathBuf};

use crate::config::SetupError;
use crate::verdict::Finding;

/// What the file systems of the kernel show is never an ordinary file.
const SPECIAL: [&str; 3] = ["/proc", "/dev", "/sys"];

/// The working directory and the further directories that programs may read.
#[derive(Clone, Debug)]
pub(crate) struct Grounds {
    /// As it was configured, for words that are absolute.
    given: PathBuf,
    /// Without links.
    directory: PathBuf,
    /// Without links.
    read: Vec<PathBuf>,
}

impl Grounds {
    pub(crate) fn open(directory: &Path, read: &[PathBuf]) -> Result<Self, SetupError> {
        Ok(Self {
            given: directory.to_owned(),
            directory: open(directory)?,
            read: read.iter().map(|path| open(path)).collect::<Result<_, _>>()?,
        })
    }

    /// A directory that does not exist, for the examples of profiles.
    pub(crate) fn imagined(directory: PathBuf) -> Self {
        Self { given: directory.clone(), directory, read: Vec::new() }
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(crate) fn read(&self) -> &[PathBuf] {
        &self.read
    }

    /// Judges a word that names a file, as the program will understand it.
    pub(crate) fn judge(&self, word: &str) -> Finding {
        if word == "-" {
            return Finding::doubt("`-` is standard input, which is empty");
        }
        if word == "/dev/null" {
            return Finding::Clean;
        }
        let path = self.directory.join(word);
        if !self.holds_text(&path) {
            return outside(word);
        }
        match resolve(&path) {
            Ok(real) if self.holds(&real) => special(&real, word),
            Ok(_) => outside(word),
            Err(_) => doubt(word, "is a link that leads nowhere"),
        }
    }

    /// By its text alone: without a look at the file system.
    fn holds_text(&self, path: &Path) -> bool {
        let Some(plain) = without_dots(path) else { return false };
        plain.starts_with(&self.given) || self.holds(&plain)
    }

    fn holds(&self, path: &Path) -> bool {
        let grounds = std::iter::once(&self.directory).chain(&self.read);
        let inside = grounds.into_iter().any(|ground| path.starts_with(ground));
        inside && !SPECIAL.iter().any(|special| path.starts_with(special))
    }
}

fn open(path: &Path) -> Result<PathBuf, SetupError> {
    let real = path.canonicalize().and_then(|real| match real.is_dir() {
        true => Ok(real),
        false => Err(io::ErrorKind::NotADirectory.into()),
    });
    real.map_err(|source| SetupError::Directory { path: path.to_owned(), source })
}

fn outside(word: &str) -> Finding {
    doubt(word, "is outside the working directory")
}

fn doubt(word: &str, what: &str) -> Finding {
    Finding::doubt(format!("{} {what}", crate::refused::quoted(word)))
}

/// Devices, pipes and sockets can be endless, or do something when they are opened.
fn special(real: &Path, word: &str) -> Finding {
    let Ok(metadata) = real.symlink_metadata() else { return Finding::Clean };
    let kind = metadata.file_type();
    let odd = kind.is_fifo() || kind.is_socket() || kind.is_char_device() || kind.is_block_device();
    match odd {
        true => doubt(word, "is a device, a pipe or a socket"),
        false => Finding::Clean,
    }
}

/// The path without `.` and `..`, by its text. `None` when it climbs above the root.
fn without_dots(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop().then_some(())?;
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    Some(plain)
}

/// The path without links, as far as it exists; what does not exist stays as it is.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    match path.canonicalize() {
        Ok(real) => Ok(real),
        Err(error) if path.symlink_metadata().is_ok() => Err(error),
        Err(error) => {
            let (Some(parent), name) = (path.parent(), path.components().next_back()) else {
                return Err(error);
            };
            let real = resolve(parent)?;
            Ok(match name {
                Some(Component::ParentDir) => real.parent().unwrap_or(&real).to_owned(),
                Some(name) => real.join(name),
                None => real,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn paths_inside_are_clean_and_others_doubtful() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let root = sandbox.path().join("root");
        fs::create_dir_all(root.join("src")).expect("made");
        fs::write(root.join("a.txt"), "").expect("written");
        fs::write(sandbox.path().join("secret"), "").expect("written");
        symlink("../secret", root.join("out")).expect("linked");
        symlink("nowhere", root.join("broken")).expect("linked");
        symlink("a.txt", root.join("in")).expect("linked");
        let grounds = Grounds::open(&root, &[]).expect("opened");
        let absolute = root.join("a.txt").display().to_string();
        for word in
            ["a.txt", "src", "src/../a.txt", ".", "", "new/file", "in", &absolute, "/dev/null"]
        {
            assert_eq!(grounds.judge(word), Finding::Clean, "{word}");
        }
        for word in [
            "-",
            "..",
            "../root2",
            "src/../../secret",
            "out",
            "broken",
            "/",
            "/etc",
            "/proc/self",
            "/dev/zero",
        ] {
            assert!(matches!(grounds.judge(word), Finding::Doubtful(_)), "{word}");
        }
    }
}
