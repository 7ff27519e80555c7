//! Answers in JSON, which differ in the names of things only.

use serde_json::Value;

use crate::{Answer, Entry, Reason};

/// Where things are in a source's JSON.
pub(super) struct Shape {
    /// JSON pointers (RFC 6901) to the source's own answer; the first text counts.
    pub(super) answers: &'static [&'static str],
    /// JSON pointer to the list of results. Where it leads nowhere, there are none.
    pub(super) results: &'static str,
    pub(super) title: &'static str,
    pub(super) snippet: &'static str,
    pub(super) url: &'static str,
    /// Makes prose of a title or a snippet.
    pub(super) prose: fn(&str) -> String,
}

/// Texts that are prose already.
pub(super) fn plain(text: &str) -> String {
    text.to_owned()
}

pub(super) fn read(body: &[u8], shape: &Shape) -> Result<Answer, Reason> {
    let body: Value = serde_json::from_slice(body).map_err(|_| Reason::Unreadable)?;
    if !body.is_object() {
        return Err(Reason::Unreadable);
    }
    let answers = shape.answers.iter().filter_map(|pointer| body.pointer(pointer)?.as_str());
    let results = match body.pointer(shape.results) {
        None | Some(Value::Null) => &[],
        Some(Value::Array(results)) => results.as_slice(),
        Some(_) => return Err(Reason::Unreadable),
    };
    let entries = results.iter().map(|result| shape.entry(result));
    Ok(Answer::new(answers.into_iter().next(), entries))
}

impl Shape {
    /// What is missing, or is no text, is left out of the entry.
    fn entry(&self, result: &Value) -> Entry {
        let prose = |name: &str| result[name].as_str().map(self.prose);
        let (title, snippet) = (prose(self.title), prose(self.snippet));
        Entry::new(title.as_deref(), snippet.as_deref(), result[self.url].as_str())
    }
}
