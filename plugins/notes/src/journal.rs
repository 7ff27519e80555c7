//! Reading and appending, with their limits and their answers.

use toolstile_sdk::serde_json::json;
use toolstile_sdk::{Error, ErrorKind, ToolResponse};

use crate::{Limits, texts};

/// Where notes are kept.
pub trait Store {
    /// Reads a whole note.
    ///
    /// # Errors
    ///
    /// What the store refuses or fails with; [`ErrorKind::NotFound`] where there is
    /// no such note.
    fn read(&self, path: &str) -> Result<String, Error>;

    /// Appends to a note, creating it and its folders when absent.
    ///
    /// # Errors
    ///
    /// What the store refuses or fails with.
    fn append(&self, path: &str, content: &str) -> Result<(), Error>;

    /// The paths of all notes, sorted.
    ///
    /// # Errors
    ///
    /// What the store refuses or fails with.
    fn list(&self) -> Result<Vec<String>, Error>;
}

/// The notes that the operator granted.
#[derive(Clone, Copy, Debug)]
pub struct Host;

impl Store for Host {
    fn read(&self, path: &str) -> Result<String, Error> {
        toolstile_sdk::notes::read(path)
    }

    fn append(&self, path: &str, content: &str) -> Result<(), Error> {
        toolstile_sdk::notes::append(path, content)
    }

    fn list(&self) -> Result<Vec<String>, Error> {
        toolstile_sdk::notes::list("")
    }
}

/// Answers with a note, cut to the limit. A note that is not there is no failure.
pub fn read(store: &impl Store, path: &str, limits: Limits) -> ToolResponse {
    let (response, exists) = match store.read(path) {
        Ok(note) => (shown(note, limits.read_chars), true),
        Err(error) if error.kind == ErrorKind::NotFound => {
            (ToolResponse::success(texts::MISSING.with(&[("path", &tidy(path))])), false)
        }
        Err(error) => return ToolResponse::error(error.to_string()),
    };
    response.with_data(json!({ "path": tidy(path), "exists": exists }))
}

fn shown(note: String, max: usize) -> ToolResponse {
    let Some((end, _)) = note.char_indices().nth(max) else { return ToolResponse::success(note) };
    let mark = texts::CUT.with(&[("shown", &max), ("total", &note.chars().count())]);
    ToolResponse::partial(format!("{}\n{mark}", &note[..end]))
}

/// Appends `content`, as whole lines.
pub fn append(store: &impl Store, path: &str, content: &str, limits: Limits) -> ToolResponse {
    let characters = content.chars().count();
    if content.trim().is_empty() {
        return ToolResponse::error(texts::BLANK.plain());
    }
    if characters > limits.append_chars {
        let values: [(&str, &dyn std::fmt::Display); 2] =
            [("characters", &characters), ("max", &limits.append_chars)];
        return ToolResponse::error(texts::TOO_LONG.with(&values));
    }
    let lines = whole_lines(content);
    match store.append(path, &lines) {
        Ok(()) => appended(&tidy(path), lines.chars().count()),
        Err(error) => ToolResponse::error(error.to_string()),
    }
}

fn whole_lines(content: &str) -> String {
    let end = if content.ends_with('\n') { "" } else { "\n" };
    format!("{content}{end}")
}

fn appended(path: &str, characters: usize) -> ToolResponse {
    let text = texts::APPENDED.with(&[("characters", &characters), ("path", &path)]);
    ToolResponse::success(text).with_data(json!({ "path": path, "appended_chars": characters }))
}

/// The path as the answer names it. The host gets the path as the model wrote it,
/// and decides by its own reading.
fn tidy(path: &str) -> String {
    let names = path.trim().split('/').filter(|name| !matches!(*name, "" | "."));
    names.collect::<Vec<_>>().join("/")
}
