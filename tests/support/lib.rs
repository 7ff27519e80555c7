//! What several test modules share.

mod comparison;
mod component;
mod plugin_dir;
mod recording_tool;

use std::path::PathBuf;

pub use comparison::{Comparison, id};
pub use component::HandWritten;
pub use plugin_dir::{PluginDir, reason};
pub use recording_tool::RecordingTool;

/// A file of test cases.
#[must_use]
pub fn case_file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("cases").join(name)
}

/// The `cases` array of a JSON file of test vectors.
///
/// # Panics
/// The file is missing or has another shape: a test without its cases must fail.
#[must_use]
pub fn vectors(name: &str) -> Vec<serde_json::Value> {
    let path = case_file(name);
    let text = std::fs::read_to_string(&path).expect("the vector file exists");
    let file: serde_json::Value = serde_json::from_str(&text).expect("the vector file is JSON");
    file["cases"].as_array().expect("the vector file has cases").clone()
}

/// The lines of a JSON Lines file of test vectors. A lone surrogate, which no Rust
/// string can hold, arrives as U+FFFD, as from any lossy source.
///
/// # Panics
/// As [`vectors`].
#[must_use]
pub fn vector_lines(name: &str) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(case_file(name)).expect("the vector file exists");
    let parse = |line: &str| serde_json::from_str(&without_lone_surrogates(line));
    text.lines().map(|line| parse(line).expect("a line is JSON")).collect()
}

/// The text of a JSON value with every escape of a lone surrogate replaced.
fn without_lone_surrogates(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        let kept = match (surrogate(escape), escape.get(6..).and_then(surrogate)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(_), _) => 6,
            (None, _) => 2,
        };
        text.push_str(before);
        text.push_str(if kept == 6 { "\\ufffd" } else { &escape[..kept] });
        rest = &escape[kept..];
    }
    text + rest
}

/// The code unit of the escape that `text` begins with, where it is a surrogate.
fn surrogate(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok().filter(|unit| (0xd800..=0xdfff).contains(unit))
}
