//! The plugin directory while the host runs: files that come, change and go.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use crate::host::Host;
use crate::loader::PluginChange;

/// How long the files must have been left alone before they are read.
const QUIET: Duration = Duration::from_millis(250);

/// Files that never rest are read all the same after this time.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why the directory is not watched.
#[derive(Debug, thiserror::Error)]
#[error("the plugin directory `{}` cannot be watched: {source}", .directory.display())]
pub struct WatchError {
    directory: PathBuf,
    source: notify::Error,
}

/// Watches until it is dropped.
#[derive(Debug)]
pub struct PluginWatch(JoinHandle<()>);

impl Drop for PluginWatch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Host {
    /// Loads plugin files again when they, or `toolstile.lock`, have changed and then been
    /// left alone for a quarter of a second ([`Host::reload_plugins`]), and tells what changed. Without a
    /// plugin directory in the configuration nothing is watched.
    ///
    /// # Errors
    /// [`WatchError`]: neither the directory nor the one that it would be in is there.
    pub fn watch_plugins(
        &self,
        changed: impl Fn(&[PluginChange]) + Send + 'static,
    ) -> Result<PluginWatch, WatchError> {
        let Some(directory) = self.plugin_directory() else {
            return Ok(PluginWatch(tokio::spawn(async {})));
        };
        let touched = Arc::new(Notify::new());
        let mut watcher = watcher(&directory, &self.lock_file(), &touched)
            .map_err(|source| WatchError { directory: directory.clone(), source })?;
        let host = self.clone();
        Ok(PluginWatch(tokio::spawn(async move {
            loop {
                settled(&touched).await;
                // It may be another directory of the same name by now.
                let _ = watcher.watch(&directory, RecursiveMode::NonRecursive);
                let changes = host.reload_plugins().await;
                if !changes.is_empty() {
                    changed(&changes);
                }
            }
        })))
    }
}

/// Watches the directory, the one that it is in, since it may go and come back, and the
/// one of the lock file.
fn watcher(
    directory: &Path,
    lock: &Path,
    touched: &Arc<Notify>,
) -> Result<RecommendedWatcher, notify::Error> {
    let (ours, theirs, touched) = (directory.to_owned(), lock.to_owned(), Arc::clone(touched));
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|event| concerns(&ours, &theirs, &event)) {
            touched.notify_one();
        }
    })?;
    let inside = watcher.watch(directory, RecursiveMode::NonRecursive);
    let beside =
        directory.parent().map(|parent| watcher.watch(parent, RecursiveMode::NonRecursive));
    if let Some(place) = lock.parent().filter(|place| Some(*place) != directory.parent()) {
        // Where it cannot be watched it cannot be written either.
        let _ = watcher.watch(place, RecursiveMode::NonRecursive);
    }
    match (inside, beside) {
        (Err(error), None | Some(Err(_))) => Err(error),
        _ => Ok(watcher),
    }
}

fn concerns(directory: &Path, lock: &Path, event: &notify::Event) -> bool {
    let component = |path: &Path| {
        path.parent() == Some(directory) && path.extension().is_some_and(|end| end == "wasm")
    };
    let ours = |path: &PathBuf| path == directory || path == lock || component(path);
    let read = matches!(event.kind, EventKind::Access(notify::event::AccessKind::Open(_)));
    !read && (event.need_rescan() || event.paths.iter().any(ours))
}

/// Waits until something was touched and then nothing for a while.
async fn settled(touched: &Notify) {
    touched.notified().await;
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end && timeout(QUIET, touched.notified()).await.is_ok() {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{AccessKind, AccessMode, CreateKind};

    fn event(kind: EventKind, path: &str) -> notify::Event {
        notify::Event::new(kind).add_path(path.into())
    }

    #[test]
    fn only_components_the_lock_and_the_directory_itself_count() {
        let created = EventKind::Create(CreateKind::File);
        let read = EventKind::Access(AccessKind::Open(AccessMode::Read));
        for (kind, path, expected) in [
            (created, "/a/plugins/x.wasm", true),
            (created, "/a/plugins", true),
            (created, "/a/plugins/x.txt", false),
            (created, "/a/plugins/deep/x.wasm", false),
            (created, "/a/x.wasm", false),
            (created, "/c/toolstile.lock", true),
            (created, "/c/toolstile.toml", false),
            (read, "/a/plugins/x.wasm", false),
        ] {
            let event = event(kind, path);
            let (plugins, lock) = (Path::new("/a/plugins"), Path::new("/c/toolstile.lock"));
            assert_eq!(concerns(plugins, lock, &event), expected, "{path}");
        }
    }
}
