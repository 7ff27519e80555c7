//! Secrets taken out of arguments before they are written down.

use serde_json::Value;

const MASK: &str = "[redacted]";

/// Key names that hold secrets when they are the whole name.
const EXACT: [&str; 8] =
    ["key", "token", "secret", "password", "passwd", "auth", "authorization", "credential"];
/// Key names that hold secrets when they contain the word.
const PART: [&str; 8] = [
    "api_key",
    "apikey",
    "secret",
    "password",
    "passphrase",
    "access_token",
    "private_key",
    "credential",
];

/// A copy in which values under telling keys, and strings that look like a key or
/// a bearer token, are masked.
pub(crate) fn redacted(value: &Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(key, inner)| {
                let inner = if names_secret(key) { MASK.into() } else { redacted(inner) };
                (key.clone(), inner)
            })
            .collect(),
        Value::Array(items) => items.iter().map(redacted).collect(),
        Value::String(text) => redacted_text(text).into(),
        other => other.clone(),
    }
}

fn names_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase().replace('-', "_");
    EXACT.contains(&key.as_str())
        || PART.iter().any(|part| key.contains(part))
        || key.ends_with("_token")
        || key.ends_with("_key")
}

/// Masks words that look like credentials and keeps the rest of the text.
fn redacted_text(text: &str) -> String {
    let mut after_bearer = false;
    let mask = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let hide = after_bearer || looks_like_secret(bare);
        after_bearer = bare.eq_ignore_ascii_case("bearer");
        if hide && !bare.is_empty() { word.replace(bare, MASK) } else { word.to_owned() }
    };
    text.split_inclusive(char::is_whitespace).map(mask).collect()
}

/// A known prefix, or a run of at least 32 word characters that mixes letters and
/// digits (a hash or a random key; long words of a language have no digits).
fn looks_like_secret(word: &str) -> bool {
    let prefixes = ["sk-", "ghp_", "gho_", "github_pat_", "xoxb-", "xoxp-", "AKIA", "eyJ"];
    if word.len() >= 16 && prefixes.iter().any(|prefix| word.starts_with(prefix)) {
        return true;
    }
    let mut runs = word.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
    runs.any(|run| {
        let has = |test: fn(&u8) -> bool| run.as_bytes().iter().any(test);
        run.len() >= 32 && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_are_masked_and_the_rest_stays() {
        let given = json!({
            "api_key": "x", "Password": "y", "refresh-token": 7, "query": "weather in Berlin",
            "note": "use Bearer abc.def now", "list": ["sk-0123456789abcdef0123", 5],
            "hash": "0123456789abcdef0123456789abcdef", "monkey": "banana",
        });
        let expected = json!({
            "api_key": MASK, "Password": MASK, "refresh-token": MASK, "query": "weather in Berlin",
            "note": format!("use Bearer {MASK} now"), "list": [MASK, 5],
            "hash": MASK, "monkey": "banana",
        });
        assert_eq!(redacted(&given), expected);
    }
}
