//! The capabilities that reach beyond a call: granted by the configuration, checked at
//! the schema gate, and checked again when a plugin uses them.

mod confirmation;
mod flows;
mod http;
mod note_resources;
mod notes;
mod search;
mod server;
mod shell;
mod soak;
mod texts;

use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::Value;
use tempfile::TempDir;
use toolstile::{Completion, Confirm, ConfirmRequest, Decision, Host, HostBuilder, HostConfig};

use crate::hostile::guests;

/// A working place with a configuration, the bundled plugins, and `reach`, which uses
/// every capability without marking its arguments.
struct Place {
    directory: TempDir,
    config: HostConfig,
}

impl Place {
    /// Paths in the configuration start from this place.
    fn with_config(text: &str) -> Self {
        let directory = TempDir::new().expect("a directory");
        let mut config = HostConfig::parse(text).expect("the configuration is valid");
        config.base_dir = directory.path().to_owned();
        config.runtime.cache_dir = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        std::fs::create_dir(directory.path().join("plugins")).expect("a directory");
        let reach = directory.path().join("plugins/reach.wasm");
        std::fs::write(reach, guests::REACH).expect("a file");
        Self { directory, config }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("inside")).expect("a directory");
        std::fs::write(path, content).expect("a file");
    }

    fn builder(&self) -> HostBuilder {
        Host::builder().config(self.config.clone())
    }

    /// A host in which a person answers every question in the same way.
    async fn host(&self, person: &Arc<Person>) -> Host {
        let host = self.builder().confirm(Arc::clone(person)).build().await.expect("a host");
        assert_eq!(host.quarantined(), [], "everything loads");
        host
    }
}

/// Answers every question in the same way, and keeps what was shown.
#[derive(Default)]
struct Person {
    says_yes: bool,
    shown: Mutex<Vec<String>>,
}

impl Person {
    fn who_approves() -> Arc<Self> {
        Arc::new(Self { says_yes: true, ..Self::default() })
    }

    fn who_declines() -> Arc<Self> {
        Arc::default()
    }

    /// What was shown so far, and forgets it.
    fn take_shown(&self) -> Vec<String> {
        std::mem::take(&mut self.shown.lock().expect("no panic"))
    }
}

#[async_trait]
impl Confirm for Person {
    async fn confirm(&self, request: &ConfirmRequest) -> Decision {
        self.shown.lock().expect("no panic").push(request.render());
        match self.says_yes {
            true => Decision::Approve,
            false => Decision::Deny { reason: None },
        }
    }
}

/// The gate that refused a call, and what the model read.
fn refusal(completion: &Completion) -> (&'static str, String) {
    match &completion.result {
        Err(toolstile::Stop::Refused(refusal)) => {
            (refusal.gate().as_str(), completion.model_text())
        }
        other => panic!("not refused: {other:?}"),
    }
}

async fn text(host: &Host, tool: &str, arguments: Value) -> String {
    host.call(tool, arguments).await.response().text
}
