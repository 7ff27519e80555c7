//! Finding and reading `toolstile.toml`.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use crate::config::HostConfig;
use toolstile_core::nearest;

/// The name of the configuration file.
pub const CONFIG_FILE: &str = "toolstile.toml";

/// A configuration file with every key, commented out, and what it does.
pub const TEMPLATE: &str = include_str!("toolstile.template.toml");

/// Why a configuration is not used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("`{}` cannot be read: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not a valid configuration.
    #[error("`{}` is not valid: {message}", .path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        message: String,
    },
}

impl HostConfig {
    /// Reads the configuration file, or the one found upwards from `start`. Without
    /// one all defaults hold, with paths relative to `start`.
    ///
    /// # Errors
    /// [`ConfigError`]; an unknown key is named together with the nearest known one.
    pub fn find(file: Option<&Path>, start: &Path) -> Result<Self, ConfigError> {
        match file.map(Path::to_owned).or_else(|| find_upwards(start)) {
            Some(path) => Self::read(&path),
            None => Ok(Self { base_dir: start.to_owned(), ..Self::default() }),
        }
    }

    /// Reads a configuration file.
    ///
    /// # Errors
    /// As [`HostConfig::find`].
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text = fs::read_to_string(path)
            .map_err(|source| ConfigError::Unreadable { path: path.to_owned(), source })?;
        let mut config = Self::parse(&text)
            .map_err(|message| ConfigError::Invalid { path: path.to_owned(), message })?;
        // Absolute, since some paths of the configuration must be, whatever `path` is.
        let absolute = std::path::absolute(path)
            .map_err(|source| ConfigError::Unreadable { path: path.to_owned(), source })?;
        config.base_dir = absolute.parent().unwrap_or(Path::new("/")).to_owned();
        Ok(config)
    }

    /// Parses the text of a configuration file and checks all limits in it.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let config: Self = toml::from_str(text).map_err(|error| explain(&error, text))?;
        let names = config.plugin.keys().map(String::as_str).chain([""]);
        for name in names {
            config.limits(name).map_err(|error| match name {
                "" => format!("in `[limits]`: {}", explain(&error, "")),
                name => format!("in `[plugin.{name}.limits]`: {}", explain(&error, "")),
            })?;
        }
        for server in &config.mcp {
            // Whether a secret is there shows when the server is connected to.
            let some = |_: &str| Some("-".to_owned());
            server.check(some).map_err(|error| format!("in `[[mcp]]`: {error}"))?;
        }
        Ok(config)
    }
}

fn find_upwards(start: &Path) -> Option<PathBuf> {
    start.ancestors().map(|directory| directory.join(CONFIG_FILE)).find(|path| path.is_file())
}

/// The default place for compiled code: `$XDG_CACHE_HOME/toolstile`, else
/// `~/.cache/toolstile`; nowhere when neither is known.
pub(crate) fn default_cache_dir() -> Option<PathBuf> {
    user_dir("XDG_CACHE_HOME", ".cache")
}

/// The default place for what logins gave: `$XDG_STATE_HOME/toolstile/credentials`, else
/// `~/.local/state/toolstile/credentials`.
pub(crate) fn default_credentials_dir() -> Option<PathBuf> {
    user_dir("XDG_STATE_HOME", ".local/state").map(|dir| dir.join("credentials"))
}

fn user_dir(variable: &str, in_home: &str) -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let base = absolute(variable).or_else(|| Some(absolute("HOME")?.join(in_home)))?;
    Some(base.join("toolstile"))
}

/// An error of the parser in our words: where, what, and what was probably meant.
fn explain(error: &toml::de::Error, text: &str) -> String {
    let place = error.span().filter(|_| !text.is_empty()).map(|span| {
        let line = text[..span.start.min(text.len())].matches('\n').count() + 1;
        format!("line {line}: ")
    });
    let message = match unknown_key(error.message()) {
        Some((key, known)) => match nearest(key, known.iter().copied()) {
            Some(near) => format!("unknown key `{key}`; did you mean `{near}`?"),
            None => format!("unknown key `{key}`; known are {}", known.join(", ")),
        },
        None => error.message().replace('\n', " "),
    };
    format!("{}{message}", place.unwrap_or_default())
}

/// Takes serde's "unknown field `x`, expected one of `a`, `b`" apart.
fn unknown_key(message: &str) -> Option<(&str, Vec<&str>)> {
    let rest = message.strip_prefix("unknown field `")?;
    let (key, expected) = rest.split_once('`')?;
    let known = expected.split('`').skip(1).step_by(2).collect();
    Some((key, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_keys_name_the_nearest_known_one() {
        for (text, expected) in [
            ("[permisions]\n", "line 1: unknown key `permisions`; did you mean `permissions`?"),
            ("[plugins]\n\ndri = 'x'\n", "line 3: unknown key `dri`; did you mean `dir`?"),
            (
                "[limits]\nmemory_byte = 1\n",
                "in `[limits]`: unknown key `memory_byte`; did you mean `memory_bytes`?",
            ),
            (
                "[plugin.x.limits]\ndeadline = 1\n",
                "in `[plugin.x.limits]`: unknown key `deadline`; did you mean `deadline_ms`?",
            ),
        ] {
            assert_eq!(HostConfig::parse(text).unwrap_err(), expected);
        }
    }

    #[test]
    fn a_wrong_grant_says_what_would_be_right() {
        for (text, expected) in [
            ("[plugin.x.grants.notes]\ndri = 'a'\n", "unknown key `dri`; did you mean `dir`?"),
            ("[plugin.x.grants.notes]\naccess = 'read'\n", "missing field `dir`"),
            ("[plugin.x.grants.http]\nallow = [7]\n", "a host or URL in quotes, or a table"),
            ("[secrets]\na = { evn = 'A' }\n", "expected one of `env`, `file`, `command`"),
            ("[plugin.x.grants.notes]\ndir = 'a'\naccess = 'all'\n", "`read-append`"),
        ] {
            let error = HostConfig::parse(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn a_word_in_place_of_a_list_is_an_error() {
        let error = HostConfig::parse("[permissions]\ndeny = 'shell'\n").unwrap_err();
        assert!(error.starts_with("line 2: invalid type: string"), "{error}");
    }

    #[test]
    fn limits_of_a_plugin_go_over_those_of_all() {
        let text = "[limits]\ndeadline_ms = 5\nlog_lines = 7\n[plugin.a.limits]\ndeadline_ms = 9\n";
        let config = HostConfig::parse(text).unwrap();
        let (a, b) = (config.limits("a").unwrap(), config.limits("b").unwrap());
        assert_eq!((a.deadline_ms, a.log_lines), (9, 7));
        assert_eq!((b.deadline_ms, b.log_lines), (5, 7));
    }

    #[test]
    fn the_template_names_every_key_with_its_default() {
        assert_eq!(HostConfig::parse(TEMPLATE).unwrap(), HostConfig::default());
        let uncommented: String = TEMPLATE
            .lines()
            .map(|line| match line.strip_prefix("# ") {
                // What is indented further is an example, not a default.
                Some(key) if key.starts_with(['[', ' ']) => format!("# {key}\n"),
                Some(key) if key.contains(" = ") => format!("{key}\n"),
                _ => format!("{line}\n"),
            })
            .collect();
        let config = HostConfig::parse(&uncommented).unwrap();
        assert_eq!(config.limits("none").unwrap(), toolstile_wasm::PluginLimits::default());
        assert_eq!(config.plugins, crate::PluginsConfig::default());
    }
}
