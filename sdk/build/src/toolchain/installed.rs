//! The compiler in use has a standard library for WebAssembly already.

use std::path::{Path, PathBuf};

use super::{Active, Obstacle, Strategy, TARGET, Toolchain};

/// Looks into the folder of the active compiler.
pub(super) fn prepare(active: &Active) -> Result<Toolchain, Obstacle> {
    let sysroot = active.sysroot().map_err(Obstacle::without_remedy)?;
    if has_std(&sysroot) {
        Ok(toolchain(active, Strategy::Installed))
    } else {
        let folder = library_folder(&sysroot);
        Err(Obstacle::without_remedy(format!("there is no `std` in `{}`", folder.display())))
    }
}

/// The active compiler as it is.
pub(super) fn toolchain(active: &Active, strategy: Strategy) -> Toolchain {
    Toolchain {
        strategy,
        rustc: active.rustc.clone(),
        cargo: active.cargo.clone(),
        cargo_arguments: &[],
        variables: &[],
        changes: Vec::new(),
    }
}

/// Whether `sysroot` holds a compiled `std` for WebAssembly. The folder alone
/// does not tell: an interrupted installation leaves it behind.
pub(super) fn has_std(sysroot: &Path) -> bool {
    let Ok(mut entries) = std::fs::read_dir(library_folder(sysroot)) else {
        return false;
    };
    entries.any(|entry| {
        entry.is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("libstd-"))
    })
}

fn library_folder(sysroot: &Path) -> PathBuf {
    sysroot.join("lib/rustlib").join(TARGET).join("lib")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_sysroot_has_no_std() {
        let sysroot = tempfile::tempdir().unwrap();
        assert!(!has_std(sysroot.path()));
        std::fs::create_dir_all(library_folder(sysroot.path())).unwrap();
        assert!(!has_std(sysroot.path()));
    }

    #[test]
    fn the_library_file_is_what_counts() {
        let sysroot = tempfile::tempdir().unwrap();
        let folder = library_folder(sysroot.path());
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("libstd-0123456789abcdef.rlib"), "").unwrap();
        assert!(has_std(sysroot.path()));
    }
}
