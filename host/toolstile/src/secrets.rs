//! Secrets: read once at the start, handed to nobody but the requests that they are
//! meant for, and kept out of every answer and record.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::{env, fs};

use toolstile_core::{Redactor, SecretTooShort};

use crate::config::HostConfig;
use crate::config_grants::SecretSource;

/// The secrets of a configuration. Prints no value.
#[derive(Clone, Default)]
pub(crate) struct Secrets {
    values: BTreeMap<String, String>,
    /// Those that could not be read, and why.
    pub(crate) missing: BTreeMap<String, String>,
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&String> = self.values.keys().collect();
        f.debug_struct("Secrets").field("set", &names).field("missing", &self.missing).finish()
    }
}

impl Secrets {
    /// Reads all of them. One that is missing is missing for those who need it only.
    pub(crate) fn read(config: &HostConfig) -> Self {
        let mut secrets = Self::default();
        for (name, source) in &config.secrets {
            match read(source, config) {
                Ok(value) => secrets.values.insert(name.clone(), value),
                Err(reason) => secrets.missing.insert(name.clone(), reason),
            };
        }
        secrets
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// Only whoever needs a missing one is told so, by its error; the log has all.
    pub(crate) fn log_missing(&self) {
        for (name, reason) in &self.missing {
            tracing::info!(%name, %reason, "the secret is not set");
        }
    }

    /// What keeps them out of answers.
    pub(crate) fn redactor(&self) -> Result<Redactor, SecretTooShort> {
        Redactor::new(self.values.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }
}

/// The reason names the source, never a value.
fn read(source: &SecretSource, config: &HostConfig) -> Result<String, String> {
    let value = match source {
        SecretSource::Env(name) => {
            env::var(name).map_err(|_| format!("the environment variable `{name}` is not set"))?
        }
        SecretSource::File(path) => {
            let path = config.resolve(path);
            fs::read_to_string(&path)
                .map_err(|error| format!("`{}` cannot be read: {error}", path.display()))?
        }
        SecretSource::Command(words) => printed_by(words)?,
    };
    let value = value.trim_end_matches(['\r', '\n']);
    if value.is_empty() { Err("it is empty".to_owned()) } else { Ok(value.to_owned()) }
}

/// The operator's own command: it runs as the host does, and may ask on the terminal.
fn printed_by(words: &[String]) -> Result<String, String> {
    let (program, arguments) = words.split_first().ok_or("the command is empty")?;
    let output = Command::new(program)
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("`{program}` cannot be run: {error}"))?;
    match output.status.success() {
        true => String::from_utf8(output.stdout)
            .map_err(|_| format!("`{program}` printed something that is not UTF-8")),
        false => Err(format!("`{program}` failed: {}", output.status)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> HostConfig {
        HostConfig::parse(text).unwrap()
    }

    #[test]
    fn a_secret_comes_from_where_the_configuration_says() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("key.txt"), "from-a-file\n").unwrap();
        let mut config = config(
            "[secrets]\na = { file = 'key.txt' }\nb = { command = ['printf', 'from-a-command'] }\n\
             c = { env = 'TOOLSTILE_TEST_NOT_SET' }\nd = { command = ['false'] }\n\
             e = { file = 'none' }\nf = { command = ['true'] }\n",
        );
        config.base_dir = directory.path().to_owned();
        let secrets = Secrets::read(&config);
        assert_eq!(secrets.get("a"), Some("from-a-file"));
        assert_eq!(secrets.get("b"), Some("from-a-command"));
        let missing: Vec<&str> = secrets.missing.keys().map(String::as_str).collect();
        assert_eq!(missing, ["c", "d", "e", "f"]);
        assert!(secrets.missing["c"].contains("`TOOLSTILE_TEST_NOT_SET` is not set"));
        assert!(!format!("{secrets:?}").contains("from-a-"), "{secrets:?}");
    }
}
