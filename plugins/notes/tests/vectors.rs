//! The public vectors whose outcome is decided in the guest: what is appended, and
//! the limits. Paths and parameters are the host's, and tested there.

use std::cell::RefCell;

use serde_json::Value;
use toolstile_plugin_notes::{Limits, Store, append};
use toolstile_sdk::{Error, Status};

const VECTORS: &str = include_str!("../../../tests/cases/seeds/notes_paths.json");

/// A note that is not there until something is appended to it.
#[derive(Default)]
struct OneNote(RefCell<Option<String>>);

impl Store for OneNote {
    fn read(&self, _: &str) -> Result<String, Error> {
        unreachable!("these vectors append")
    }

    fn append(&self, _: &str, content: &str) -> Result<(), Error> {
        self.0.borrow_mut().get_or_insert_default().push_str(content);
        Ok(())
    }

    fn list(&self) -> Result<Vec<String>, Error> {
        unreachable!("these vectors append")
    }
}

#[test]
fn appends_and_their_limits_hold() {
    let vectors: Value = serde_json::from_str(VECTORS).expect("the vectors are readable");
    let cases = vectors["cases"].as_array().expect("there are cases").iter();
    let ours = cases.filter(|case| matches!(text(&case["category"]), "append_content" | "limits"));
    let failures: Vec<Option<String>> = ours.map(failure).collect();
    assert_eq!(failures.len(), 10);
    let failures: Vec<String> = failures.into_iter().flatten().collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What is wrong with the answer to a case.
fn failure(case: &Value) -> Option<String> {
    let (params, note) = (&case["params"], OneNote::default());
    let content = params["content"].as_str().unwrap_or_default();
    let response = append(&note, text(&params["path"]), content, limits(&case["options"]));
    let found = match response.status {
        Status::Success => ("success", response.data.unwrap_or_default()),
        Status::Partial => ("partial", response.data.unwrap_or_default()),
        Status::Error => ("error", response.data.unwrap_or_default()),
    };
    let expected = (text(&case["status"]), case["data"].clone());
    let kept = note.0.into_inner();
    let right = found == expected && is_file(kept.as_deref(), case["file_after"].as_str());
    (!right).then(|| format!("{}: {found:?}, expected {expected:?}", case["id"]))
}

/// Whether a file is the one of a vector, which holds the last characters of a
/// long one.
fn is_file(kept: Option<&str>, expected: Option<&str>) -> bool {
    match (kept, expected) {
        (Some(kept), Some(end)) if end.chars().count() == VECTOR_FILE => kept.ends_with(end),
        (kept, expected) => kept == expected,
    }
}

/// What a vector shows of a file at most, in characters.
const VECTOR_FILE: usize = 80;

fn limits(options: &Value) -> Limits {
    let option = |name: &str| options[name].as_u64().and_then(|number| number.try_into().ok());
    let default = Limits::default();
    Limits {
        read_chars: option("max_read_chars").unwrap_or(default.read_chars),
        append_chars: option("max_append_chars").unwrap_or(default.append_chars),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
