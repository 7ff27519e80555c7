//! Where compiled code is kept between starts. What lies there is machine code that
//! the host will run, so nobody else may write it.

use std::fs::{self, DirBuilder};
use std::path::Path;

use wasmtime::{Cache, CacheConfig};

use crate::error::RuntimeError;

/// Opens wasmtime's own cache in a directory, which is created readable and writable
/// by its owner only when it is absent.
pub(crate) fn open(directory: &Path) -> Result<Cache, RuntimeError> {
    let failed = |reason: String| RuntimeError::Cache { directory: directory.to_owned(), reason };
    private_directory(directory).map_err(|error| failed(error.to_string()))?;
    if is_shared(directory).map_err(|error| failed(error.to_string()))? {
        return Err(failed("others may write to it; take that right away (chmod go-w)".into()));
    }
    let mut config = CacheConfig::new();
    config.with_directory(directory);
    Cache::new(config).map_err(|error| failed(format!("{error:#}")))
}

fn private_directory(directory: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

#[cfg(unix)]
fn is_shared(directory: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(fs::metadata(directory)?.permissions().mode() & 0o022 != 0)
}

#[cfg(not(unix))]
fn is_shared(directory: &Path) -> std::io::Result<bool> {
    fs::metadata(directory).map(|_| false)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_others_may_write_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("cache");
        assert!(open(&directory).is_ok());
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o777)).unwrap();
        let error = open(&directory).unwrap_err().to_string();
        assert!(error.contains("others may write"), "{error}");
    }
}
