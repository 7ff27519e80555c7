//! Where programs are.

use std::fs;
use std::path::{Path, PathBuf};

/// A directory in which no program may be looked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not an absolute directory; programs are looked for in absolute ones only", .0.display())]
pub struct SearchPathError(pub PathBuf);

/// The first executable file of this name in the directories, with links resolved.
///
/// # Errors
/// A directory that is empty or relative: whoever can write where the host happens to
/// run could put a program there.
pub fn find_program(name: &str, path: &[PathBuf]) -> Result<Option<PathBuf>, SearchPathError> {
    if let Some(relative) = path.iter().find(|directory| !directory.is_absolute()) {
        return Err(SearchPathError(relative.clone()));
    }
    if name.is_empty() || name.contains(['/', '\\', '\0']) || name == "." || name == ".." {
        return Ok(None);
    }
    let candidates = path.iter().map(|directory| directory.join(name));
    let found = candidates.filter(|file| is_executable(file)).find_map(|f| f.canonicalize().ok());
    Ok(found)
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(file).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|data| data.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_absolute_directories_are_searched() {
        let system = PathBuf::from("/bin");
        let path = std::slice::from_ref(&system);
        assert!(find_program("sh", path).unwrap().is_some());
        assert_eq!(find_program("no-such-program", path), Ok(None));
        for name in ["", ".", "..", "../sh", "/bin/sh", "sh\0"] {
            assert_eq!(find_program(name, path), Ok(None), "{name:?}");
        }
        for bad in ["", ".", "bin"] {
            let path = [system.clone(), bad.into()];
            assert_eq!(find_program("sh", &path), Err(SearchPathError(bad.into())));
        }
    }
}
