//! A plugin directory of its own for a test.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;
use toolstile::{Host, HostBuilder, HostConfig, MemorySink};

/// A directory with plugins, removed at the end of the test.
#[derive(Debug)]
pub struct PluginDir(TempDir);

impl Default for PluginDir {
    fn default() -> Self {
        Self(TempDir::new().expect("a directory"))
    }
}

impl PluginDir {
    /// A directory with these plugins: file stem and bytes.
    #[must_use]
    pub fn with<'a>(plugins: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        let directory = Self::default();
        for (name, bytes) in plugins {
            directory.add(&format!("{name}.wasm"), bytes);
        }
        directory
    }

    /// Writes a file.
    ///
    /// # Panics
    /// It cannot be written.
    pub fn add(&self, file: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(file), bytes).expect("the file can be written");
    }

    /// The path of a file in it.
    #[must_use]
    pub fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    /// A builder with this configuration (TOML), this directory and no bundled
    /// plugins. Nothing is cached, so that every test compiles what it says.
    ///
    /// # Panics
    /// The configuration is not valid.
    pub fn builder(&self, config: &str) -> HostBuilder {
        let mut config = HostConfig::parse(config).expect("the configuration is valid");
        config.runtime.cache = false;
        config.base_dir = self.0.path().to_owned();
        Host::builder().config(config).plugin_dir(self.0.path()).bundled(false)
    }

    /// The host of [`PluginDir::builder`].
    ///
    /// # Panics
    /// There can be no host.
    pub async fn host(&self, config: &str) -> Host {
        self.builder(config).build().await.expect("a host")
    }

    /// The same with a sink that keeps the records.
    ///
    /// # Panics
    /// There can be no host.
    pub async fn recording_host(&self, config: &str) -> (Host, Arc<MemorySink>) {
        let sink = Arc::new(MemorySink::default());
        let builder = self.builder(config).audit(sink.clone());
        (builder.build().await.expect("a host"), sink)
    }
}

impl AsRef<Path> for PluginDir {
    fn as_ref(&self) -> &Path {
        self.0.path()
    }
}

/// Why a file or a bundled plugin is quarantined.
///
/// # Panics
/// It is not.
#[must_use]
pub fn reason(host: &Host, plugin: &str) -> String {
    let found = host.quarantined().into_iter().find(|q| q.plugin == plugin);
    let others = || format!("`{plugin}` is not quarantined: {:?}", host.quarantined());
    found.unwrap_or_else(|| panic!("{}", others())).reason.clone()
}
