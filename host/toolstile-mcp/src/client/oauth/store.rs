//! Credentials in a file that only its owner reads.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use rmcp::transport::auth::{
    AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials,
};
use sha2::{Digest as _, Sha256};
use url::Url;

/// The credentials for one server: for this name and this URL, so that a token never goes
/// to another place because a configuration was changed.
#[derive(Clone, Debug)]
pub(super) struct FileStore {
    path: PathBuf,
}

impl FileStore {
    pub(super) fn of(dir: &Path, namespace: &str, url: &Url) -> Self {
        let digest = Sha256::digest(url.as_str().as_bytes());
        let digest: String = digest[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        Self { path: dir.join(format!("{namespace}-{digest}.json")) }
    }

    fn read(&self) -> io::Result<Option<StoredCredentials>> {
        match fs::read(&self.path) {
            Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whole or not at all: a half-written token would be lost.
    fn write(&self, credentials: &StoredCredentials) -> io::Result<()> {
        let dir = self.dir()?;
        let mut file = tempfile::NamedTempFile::new_in(dir)?;
        file.write_all(&serde_json::to_vec(credentials)?)?;
        file.as_file().sync_all()?;
        file.persist(&self.path)?;
        Ok(())
    }

    pub(super) fn remove(&self) -> io::Result<bool> {
        match fs::remove_file(&self.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Held while a token is renewed: a refresh token is often good only once, and another
    /// process may be at it.
    fn lock(&self) -> io::Result<File> {
        self.dir()?;
        let file = File::create(self.path.with_extension("lock"))?;
        file.lock()?;
        Ok(file)
    }

    fn dir(&self) -> io::Result<&Path> {
        let dir = self.path.parent().unwrap_or(Path::new("."));
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(dir)?;
        Ok(dir)
    }
}

/// The error without the path, which is the operator's affair.
fn failed(doing: &str) -> impl FnOnce(io::Error) -> AuthError + '_ {
    move |error| AuthError::CredentialStoreError(format!("{doing}: {error}"))
}

#[async_trait]
impl CredentialStore for FileStore {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        self.read().map_err(failed("reading"))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        self.write(&credentials).map_err(failed("writing"))
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.remove().map(|_| ()).map_err(failed("removing"))
    }

    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        let store = self.clone();
        let locked = tokio::task::spawn_blocking(move || store.lock()).await;
        let locked = locked.map_err(io::Error::other).and_then(|locked| locked);
        locked.map(|file| Some(CredentialRefreshGuard::new(file))).map_err(failed("locking"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(dir: &Path, url: &str) -> FileStore {
        FileStore::of(dir, "tools", &Url::parse(url).unwrap())
    }

    #[tokio::test]
    async fn credentials_are_kept_for_one_url_and_for_their_owner() {
        let dir = tempfile::tempdir().unwrap();
        let here = store(&dir.path().join("new"), "https://a.example/mcp");
        assert!(here.load().await.unwrap().is_none());
        here.save(StoredCredentials::new("me".into(), None, vec![], None)).await.unwrap();
        assert_eq!(here.load().await.unwrap().unwrap().client_id, "me");
        let other = store(&dir.path().join("new"), "https://b.example/mcp");
        assert!(other.load().await.unwrap().is_none());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&here.path), 0o600);
            assert_eq!(mode(here.path.parent().unwrap()), 0o700);
        }
        let guard = here.acquire_refresh_guard().await.unwrap();
        assert!(guard.is_some());
        let lock = File::open(here.path.with_extension("lock")).unwrap();
        assert!(lock.try_lock().is_err(), "somebody renews the token");
        drop(guard);
        assert!(lock.try_lock().is_ok());
        here.clear().await.unwrap();
        assert!(!here.remove().unwrap());
    }

    #[tokio::test]
    async fn a_damaged_file_is_an_error_that_does_not_show_it() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path(), "https://a.example/mcp");
        fs::write(&store.path, "{\"token\": \"secret\"").unwrap();
        let error = store.load().await.unwrap_err().to_string();
        assert!(error.contains("reading") && !error.contains("secret"), "{error}");
    }
}
