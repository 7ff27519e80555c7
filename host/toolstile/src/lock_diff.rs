//! What is different between two entries of a lock file, for people to read.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};
use toolstile_core::escape_invisible;

/// Values are cut to this many characters in text.
const SHOWN: usize = 200;

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Where, as a JSON pointer (RFC 6901) into the entry; empty for the entry itself.
    pub path: String,
    /// What was approved; absent where it is new.
    pub approved: Option<Value>,
    /// What is there now; absent where it is gone.
    pub now: Option<Value>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = match self.path.as_str() {
            "" => "the whole".to_owned(),
            path => format!("`{}`", escape_invisible(path.trim_start_matches('/'))),
        };
        match (&self.approved, &self.now) {
            (Some(approved), Some(now)) => {
                write!(f, "{path}: {} → {}", shown(approved), shown(now))
            }
            (None, Some(now)) => write!(f, "{path} is new: {}", shown(now)),
            (Some(approved), None) => write!(f, "{path} is gone: {}", shown(approved)),
            (None, None) => Ok(()),
        }
    }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    let text = match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}… ({} characters)", &text[..end], text.chars().count()),
        None => text,
    };
    escape_invisible(&text).into_owned()
}

/// What is different. Objects are compared member by member, everything else whole.
pub(crate) fn differences<T: Serialize>(approved: Option<&T>, now: Option<&T>) -> Vec<Difference> {
    let value = |entry: &T| serde_json::to_value(entry).unwrap_or_default();
    let mut found = Vec::new();
    compare("", approved.map(value), now.map(value), &mut found);
    // A fingerprint says nothing that the fields under it do not say better.
    let says_more = |difference: &Difference| !difference.path.ends_with("/fingerprint");
    if found.iter().any(says_more) {
        found.retain(says_more);
    }
    found
}

fn compare(path: &str, approved: Option<Value>, now: Option<Value>, found: &mut Vec<Difference>) {
    match (approved, now) {
        (approved, now) if approved == now => {}
        (Some(Value::Object(approved)), Some(Value::Object(now))) => {
            compare_members(path, approved, now, found);
        }
        (approved, now) => found.push(Difference { path: path.to_owned(), approved, now }),
    }
}

fn compare_members(
    path: &str,
    approved: Map<String, Value>,
    mut now: Map<String, Value>,
    found: &mut Vec<Difference>,
) {
    let below = |name: &str| format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
    for (name, value) in approved {
        compare(&below(&name), Some(value), now.remove(&name), found);
    }
    for (name, value) in now {
        compare(&below(&name), None, Some(value), found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn texts(approved: &Value, now: &Value) -> Vec<String> {
        differences(Some(approved), Some(now)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_member_that_differs_is_named_with_both_values() {
        let approved = json!({"a": {"x/y": 1, "same": [1]}, "gone": "g", "list": [1, 2]});
        let now = json!({"a": {"x/y": 2, "same": [1]}, "list": [2], "new": null});
        let expected = [
            "`a/x~1y`: 1 → 2",
            "`gone` is gone: \"g\"",
            "`list`: [1,2] → [2]",
            "`new` is new: null",
        ];
        assert_eq!(texts(&approved, &now), expected);
        assert!(texts(&now, &now).is_empty());
    }

    #[test]
    fn a_fingerprint_is_named_only_when_nothing_else_differs() {
        let tool = |print: u32, text: &str| json!({"tool": {"fingerprint": print, "text": text}});
        assert_eq!(texts(&tool(1, "a"), &tool(2, "b")), ["`tool/text`: \"a\" → \"b\""]);
        assert_eq!(texts(&tool(1, "a"), &tool(2, "a")), ["`tool/fingerprint`: 1 → 2"]);
    }

    #[test]
    fn long_values_are_cut_and_invisible_characters_shown() {
        let text = texts(&json!({"d": "a"}), &json!({"d": format!("\u{202e}{}", "x".repeat(300))}));
        assert!(text[0].contains("\\u{202e}") && text[0].ends_with("… (303 characters)"));
    }
}
