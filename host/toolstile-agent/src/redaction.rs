//! What of an event may leave the machine.

use regex::Regex;
use serde_json::{Map, Value};

/// In place of what is masked.
const MASK: &str = "***";

/// Names of members whose value is masked: exactly these, in any case.
const NAMES: [&str; 12] = [
    "key",
    "token",
    "secret",
    "password",
    "passwd",
    "pwd",
    "auth",
    "authorization",
    "cookie",
    "set-cookie",
    "credential",
    "credentials",
];

/// And names that contain one of these.
const PARTS: [&str; 11] = [
    "api_key",
    "apikey",
    "api-key",
    "secret",
    "password",
    "passwd",
    "access_token",
    "refresh_token",
    "auth_token",
    "private_key",
    "bearer",
];

/// Members of the event itself that identify it.
const EXEMPT: [&str; 2] = ["run_id", "step_index"];

const SECRETS: &str = r"sk-[A-Za-z0-9_-]{8,}|(?i:bearer)\s+[A-Za-z0-9._~+/=-]+|[A-Za-z0-9_]{32,}";
const URL_CREDENTIALS: &str = r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)[^/\s@]+@";
const HOMES: &str = r"(?P<home>/(?:home|Users)/)[^/\s]+";

/// Masks what looks like a secret in an event, and cuts long texts. A second net: what
/// is known to be a secret is kept out of answers and records by
/// [`toolstile_core::Redactor`] already.
#[derive(Clone, Debug)]
pub struct TraceRedactor {
    enabled: bool,
    max_chars: usize,
    names: Vec<String>,
    secrets: Vec<Regex>,
    urls: Regex,
    homes: Regex,
}

impl Default for TraceRedactor {
    /// Masks, and cuts texts at 200 characters.
    fn default() -> Self {
        let fixed = |pattern| Regex::new(pattern).expect("the pattern is valid");
        Self {
            enabled: true,
            max_chars: 200,
            names: Vec::new(),
            secrets: vec![fixed(SECRETS)],
            urls: fixed(URL_CREDENTIALS),
            homes: fixed(HOMES),
        }
    }
}

impl TraceRedactor {
    /// The same without masks: texts are only cut.
    #[must_use]
    pub fn cutting_only(mut self) -> Self {
        self.enabled = false;
        self
    }

    /// Characters of a text that are kept.
    #[must_use]
    pub fn max_chars(mut self, max_chars: usize) -> Self {
        self.max_chars = max_chars;
        self
    }

    /// Masks members whose name contains this, too.
    #[must_use]
    pub fn secret_name(mut self, part: impl Into<String>) -> Self {
        self.names.push(part.into().to_lowercase());
        self
    }

    /// Masks what matches this, too.
    ///
    /// # Errors
    /// No regular expression.
    pub fn secret_pattern(mut self, pattern: &str) -> Result<Self, regex::Error> {
        self.secrets.push(Regex::new(pattern)?);
        Ok(self)
    }

    /// The event as it may leave the machine.
    #[must_use]
    pub fn export(&self, event: &Value) -> Value {
        let Value::Object(members) = event else { return self.value(event) };
        let exported = members.iter().map(|(name, value)| match EXEMPT.contains(&name.as_str()) {
            true => (name.clone(), value.clone()),
            false => self.member(name, value),
        });
        Value::Object(exported.collect())
    }

    /// A text as it may leave the machine.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let masked = self.masked(text);
        match masked.char_indices().nth(self.max_chars) {
            None => masked,
            Some((cut, _)) => {
                let left_out = masked[cut..].chars().count();
                format!("{}…(+{left_out})", &masked[..cut])
            }
        }
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(members) => {
                let exported: Map<_, _> = members.iter().map(|(n, v)| self.member(n, v)).collect();
                Value::Object(exported)
            }
            other => other.clone(),
        }
    }

    fn member(&self, name: &str, value: &Value) -> (String, Value) {
        let value = match self.enabled && self.is_secret(name) {
            true => Value::String(MASK.to_owned()),
            false => self.value(value),
        };
        // A name that was cut could become another's.
        (self.masked(name), value)
    }

    fn is_secret(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        NAMES.contains(&name.as_str())
            || PARTS.iter().any(|part| name.contains(part))
            || self.names.iter().any(|part| name.contains(part))
    }

    fn masked(&self, text: &str) -> String {
        if !self.enabled {
            return text.to_owned();
        }
        let text = self.urls.replace_all(text, "${scheme}***@");
        let text = self.homes.replace_all(&text, "${home}***");
        let secrets = self.secrets.iter();
        secrets.fold(text.into_owned(), |text, secret| secret.replace_all(&text, MASK).into_owned())
    }
}
