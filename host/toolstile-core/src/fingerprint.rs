//! What a tool is, in 64 hexadecimal digits, and what changed when they differ.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::origin::Origin;
use crate::strict_json::canonical_json;

/// SHA-256 in lower-case hexadecimal digits.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The fingerprint of a tool: `sha256/v1:` and 64 hexadecimal digits.
///
/// It covers the origin, every field of the definition as the tool gave it (before
/// anything is cleaned or cut) and, for a plugin, the bytes of the component. Each
/// part is hashed as name and RFC 8785 JSON, both preceded by their length in bytes
/// (64 bits, little endian), so that no two lists of parts read alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    text: String,
    /// The first 12 digits of the SHA-256 of each part, to tell which one changed.
    parts: BTreeMap<String, String>,
}

impl Fingerprint {
    /// The fingerprint of a definition (an object), its origin and the digest of the
    /// code behind it.
    #[must_use]
    pub fn of(definition: &Value, origin: &Origin, content_digest: Option<&str>) -> Self {
        let mut parts: Vec<(&str, String)> = vec![("origin", origin.to_string())];
        parts.extend(content_digest.map(|digest| ("component", digest.to_owned())));
        for (field, value) in definition.as_object().into_iter().flatten() {
            parts.push((field, canonical_json(value)));
        }
        parts.sort();
        let mut hash = Sha256::new_with_prefix(b"toolstile tool v1");
        for text in parts.iter().flat_map(|(name, value)| [*name, value]) {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
        let digest: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let short = |value: &String| sha256_hex(value.as_bytes())[..12].to_owned();
        Self {
            text: format!("sha256/v1:{digest}"),
            parts: parts.iter().map(|(name, value)| ((*name).to_owned(), short(value))).collect(),
        }
    }

    /// The whole fingerprint.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The beginning, for people: `sha256/v1:` and twelve digits.
    #[must_use]
    pub fn short(&self) -> &str {
        &self.text[..self.text.len().min(22)]
    }

    /// The parts and the beginnings of their digests.
    #[must_use]
    pub fn parts(&self) -> &BTreeMap<String, String> {
        &self.parts
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// A fingerprint that the operator expects of a tool: the text alone, or the text
/// with the digests of the parts, which lets a refusal say what changed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Pin {
    /// The fingerprint.
    Text(String),
    /// The fingerprint and the digests of its parts.
    Parts {
        /// The fingerprint.
        fingerprint: String,
        /// Part name → first 12 digits of its SHA-256.
        parts: BTreeMap<String, String>,
    },
}

impl Pin {
    /// Compares a tool with what was expected of it.
    ///
    /// # Errors
    /// [`PinMismatch`] names the parts that changed, were added or went away.
    pub fn check(&self, tool: &str, found: &Fingerprint) -> Result<(), PinMismatch> {
        let (expected, parts) = match self {
            Self::Text(text) => (text, None),
            Self::Parts { fingerprint, parts } => (fingerprint, Some(parts)),
        };
        if *expected == found.text {
            return Ok(());
        }
        Err(PinMismatch {
            tool: tool.to_owned(),
            expected: expected.clone(),
            found: found.text.clone(),
            changes: parts.map(|parts| changes(parts, &found.parts)).unwrap_or_default(),
        })
    }
}

fn changes(pinned: &BTreeMap<String, String>, found: &BTreeMap<String, String>) -> Vec<String> {
    let names: std::collections::BTreeSet<&String> = pinned.keys().chain(found.keys()).collect();
    let describe = |name: &String| match (pinned.get(name), found.get(name)) {
        (Some(old), Some(new)) if old == new => None,
        (Some(old), Some(new)) => Some(format!("`{name}` changed ({old} → {new})")),
        (Some(_), None) => Some(format!("`{name}` is gone")),
        (None, _) => Some(format!("`{name}` was added")),
    };
    names.into_iter().filter_map(describe).collect()
}

/// A tool that is not what the operator pinned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinMismatch {
    /// The tool.
    pub tool: String,
    /// The pinned fingerprint.
    pub expected: String,
    /// The fingerprint that was found.
    pub found: String,
    /// What changed, where the pin carries parts.
    pub changes: Vec<String>,
}

impl fmt::Display for PinMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tool, expected, found, changes } = self;
        write!(f, "`{tool}` is not the tool that was pinned: expected {expected}, found {found}")?;
        match changes.as_slice() {
            [] => f.write_str("; a pin with `parts` would say what changed"),
            changes => write!(f, "; {}", changes.join(", ")),
        }
    }
}

impl std::error::Error for PinMismatch {}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(definition: Value) -> Fingerprint {
        Fingerprint::of(&definition, &Origin::Native, Some("aa"))
    }

    #[test]
    fn parts_cannot_be_confused() {
        assert_ne!(of(json!({"a": "bc"})), of(json!({"ab": "c"})));
        assert_ne!(of(json!({"a": "b", "c": "d"})), of(json!({"a": "bcd"})));
    }

    #[test]
    fn a_mismatch_says_what_changed() {
        let old = of(json!({"description": "a", "title": null}));
        let new = of(json!({"description": "b", "title": null}));
        let pin = Pin::Parts { fingerprint: old.text.clone(), parts: old.parts.clone() };
        assert_eq!(pin.check("x", &old), Ok(()));
        let text = pin.check("x", &new).unwrap_err().to_string();
        assert!(text.contains("`description` changed") && !text.contains("`title`"), "{text}");
    }
}
