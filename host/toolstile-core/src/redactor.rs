//! Values that must appear in no answer and no record: the secrets that the host
//! itself holds.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::audit::AuditRecord;
use crate::call::Stop;
use crate::response::{Attachment, ToolResponse};

/// Shorter values would be found in innocent text.
const MIN_BYTES: usize = 6;

/// Replaces secrets by their names, as they are and as they look in a URL or a JSON
/// string. What a server does to a secret beyond that (hashes, base64) is not found.
#[derive(Clone, Default)]
pub struct Redactor(Arc<[Secret]>);

struct Secret {
    mask: String,
    /// The value as it is, percent-encoded, and escaped for JSON; each once.
    forms: Vec<String>,
}

/// A secret that cannot be found in text without finding other things.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the secret `{name}` has fewer than {MIN_BYTES} bytes, so it could not be kept out of answers"
)]
pub struct SecretTooShort {
    /// The name of the secret.
    pub name: String,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Redactor").field(&format_args!("{} secrets", self.0.len())).finish()
    }
}

impl Redactor {
    /// Hides values, each behind its name.
    ///
    /// # Errors
    /// A value of fewer than 6 bytes.
    pub fn new<'a>(
        secrets: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, SecretTooShort> {
        let mut all: Vec<Secret> = Vec::new();
        for (name, value) in secrets {
            if value.len() < MIN_BYTES {
                return Err(SecretTooShort { name: name.to_owned() });
            }
            all.push(Secret { mask: format!("[secret {name}]"), forms: forms(value) });
        }
        // A secret that contains another goes first, so that nothing of it is left.
        all.sort_by_key(|secret| std::cmp::Reverse(secret.forms[0].len()));
        Ok(Self(all.into()))
    }

    /// A text without secrets.
    #[must_use]
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for secret in self.0.iter() {
            for form in secret.forms.iter().filter(|form| !form.is_empty()) {
                if text.contains(form.as_str()) {
                    text = Cow::Owned(text.replace(form.as_str(), &secret.mask));
                }
            }
        }
        text
    }

    /// Bytes without secrets: text among them, whatever the rest is.
    #[must_use]
    pub fn bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        let forms = self.0.iter().flat_map(|secret| &secret.forms);
        if !forms.clone().any(|form| position(&bytes, form.as_bytes()).is_some()) {
            return bytes;
        }
        let mut clean = bytes;
        for secret in self.0.iter() {
            for form in &secret.forms {
                clean = replaced(&clean, form.as_bytes(), secret.mask.as_bytes());
            }
        }
        clean
    }

    /// A value in which no string and no name of a member carries a secret.
    #[must_use]
    pub fn value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => self.owned(text).into(),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(members) => {
                let clean = |(name, inner)| (self.owned(name), self.value(inner));
                members.into_iter().map(clean).collect()
            }
            other => other,
        }
    }

    pub(crate) fn redact_result(
        &self,
        result: Result<ToolResponse, Stop>,
    ) -> Result<ToolResponse, Stop> {
        if self.0.is_empty() {
            return result;
        }
        match result {
            Ok(response) => Ok(self.response(response)),
            Err(Stop::Failed(mut error)) => {
                error.detail = self.owned(error.detail);
                Err(Stop::Failed(error))
            }
            // Made of the caller's own words, and of rules that hold no secret.
            Err(refused) => Err(refused),
        }
    }

    pub(crate) fn redact_record(&self, record: &mut AuditRecord) {
        if self.0.is_empty() {
            return;
        }
        record.tool = self.text(&record.tool).into_owned();
        record.arguments = record.arguments.take().map(|arguments| self.value(arguments));
        record.detail = record.detail.take().map(|detail| self.owned(detail));
        for gate in &mut record.gates {
            gate.detail = gate.detail.take().map(|detail| self.owned(detail));
        }
    }

    fn response(&self, response: ToolResponse) -> ToolResponse {
        let ToolResponse { text, status, data, attachments } = response;
        ToolResponse {
            text: self.owned(text),
            status,
            data: data.map(|data| self.value(data)),
            attachments: attachments.into_iter().map(|a| self.attachment(a)).collect(),
        }
    }

    /// An attachment without secrets.
    #[must_use]
    pub fn attachment(&self, attachment: Attachment) -> Attachment {
        match attachment {
            Attachment::ResourceLink { uri, name, mime_type } => Attachment::ResourceLink {
                uri: self.owned(uri),
                name: self.owned(name),
                mime_type: mime_type.map(|text| self.owned(text)),
            },
            Attachment::Embedded { uri, mime_type, data } => Attachment::Embedded {
                uri: self.owned(uri),
                mime_type: mime_type.map(|text| self.owned(text)),
                data: self.bytes(data),
            },
            Attachment::Image { mime_type, data } => {
                Attachment::Image { mime_type: self.owned(mime_type), data: self.bytes(data) }
            }
            Attachment::Audio { mime_type, data } => {
                Attachment::Audio { mime_type: self.owned(mime_type), data: self.bytes(data) }
            }
        }
    }

    /// A text without secrets, for who owns it.
    #[must_use]
    pub fn owned(&self, text: String) -> String {
        match self.text(&text) {
            Cow::Owned(clean) => clean,
            Cow::Borrowed(_) => text,
        }
    }
}

/// The longest first: an encoded form may contain the plain one.
fn forms(value: &str) -> Vec<String> {
    let unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let percent = |byte: u8| match unreserved(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    let encoded: String = value.bytes().map(percent).collect();
    let (lower, form) = (lower_escapes(&encoded), encoded.replace("%20", "+"));
    let json = Value::from(value).to_string();
    let json = json[1..json.len() - 1].to_owned();
    let mut forms = vec![value.to_owned(), lower, encoded, form, json];
    forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
    forms.dedup();
    forms
}

/// The same with lower-case digits in its percent-escapes.
fn lower_escapes(encoded: &str) -> String {
    let mut parts = encoded.split('%');
    let mut lower = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_at(2);
        lower += &format!("%{}{rest}", digits.to_ascii_lowercase());
    }
    lower
}

fn position(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

fn replaced(bytes: &[u8], part: &[u8], by: &[u8]) -> Vec<u8> {
    let (mut clean, mut rest) = (Vec::with_capacity(bytes.len()), bytes);
    while let Some(start) = position(rest, part) {
        clean.extend_from_slice(&rest[..start]);
        clean.extend_from_slice(by);
        rest = &rest[start + part.len()..];
    }
    clean.extend_from_slice(rest);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn redactor() -> Redactor {
        Redactor::new([("short", "tvly/a b"), ("long", "tvly/a b and more")]).unwrap()
    }

    #[test]
    fn a_secret_is_found_in_every_form() {
        for (given, expected) in [
            ("key tvly/a b!", "key [secret short]!"),
            ("q?k=tvly%2Fa%20b&x", "q?k=[secret short]&x"),
            ("q?k=tvly%2fa%20b&x", "q?k=[secret short]&x"),
            ("q?k=tvly%2Fa+b&x", "q?k=[secret short]&x"),
            ("tvly/a b and more", "[secret long]"),
            ("tvly", "tvly"),
        ] {
            assert_eq!(redactor().text(given), expected);
            assert_eq!(redactor().bytes(given.into()), expected.as_bytes());
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_kept() {
        let given = [&[0xff, 0][..], b"tvly/a b", &[0xfe]].concat();
        let expected = [&[0xff, 0][..], b"[secret short]", &[0xfe]].concat();
        assert_eq!(redactor().bytes(given), expected);
    }

    #[test]
    fn values_are_cleaned_down_to_their_names() {
        let given = json!({"tvly/a b": ["x tvly/a b", 1, null]});
        let expected = json!({"[secret short]": ["x [secret short]", 1, null]});
        assert_eq!(redactor().value(given), expected);
    }

    #[test]
    fn a_short_secret_is_an_error_and_none_is_shown() {
        let error = Redactor::new([("pin", "1234")]).unwrap_err();
        assert!(error.to_string().contains("`pin`") && !error.to_string().contains("1234"));
        assert_eq!(format!("{:?}", redactor()), "Redactor(2 secrets)");
    }
}
