//! The path of a note, judged as text alone. No file is touched here.

use std::fmt;

use crate::error::NotesError;
use crate::name::{NameProblem, check_name};

/// The longest path of a note, in bytes of UTF-8.
pub const MAX_PATH_BYTES: usize = 1024;

/// How many names a path may have, the note's own among them.
pub const MAX_DEPTH: usize = 128;

/// An accepted path: relative, one `/` between two names, every name acceptable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NotePath(String);

impl NotePath {
    /// The notes directory itself, which is a folder and never a note.
    pub(crate) const ROOT: Self = Self(String::new());

    /// The path as text, for example `plans/spring.md`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The names from the outermost folder to the note.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|name| !name.is_empty())
    }

    /// The path of what is called `name` in this folder, when that is acceptable.
    pub(crate) fn join(&self, name: &str) -> Option<Self> {
        let mut path = self.clone();
        path.push(name).ok()?;
        Some(path)
    }

    fn push(&mut self, name: &str) -> Result<(), PathProblem> {
        check_name(name).map_err(|problem| PathProblem::Name { name: shown(name), problem })?;
        let separator = if self.0.is_empty() { "" } else { "/" };
        if self.0.len() + separator.len() + name.len() > MAX_PATH_BYTES {
            return Err(PathProblem::TooLong);
        }
        if self.names().count() == MAX_DEPTH {
            return Err(PathProblem::TooDeep);
        }
        self.0.push_str(separator);
        self.0.push_str(name);
        Ok(())
    }
}

impl From<NotePath> for String {
    fn from(path: NotePath) -> Self {
        path.0
    }
}

impl fmt::Display for NotePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "." } else { &self.0 })
    }
}

/// What is wrong with the path of a note.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathProblem {
    /// There is no name in it.
    #[error("it names no note; a note is called, for example, `ideas.md`")]
    Empty,
    /// It starts at the root of a file system.
    #[error("it starts with `/`; paths are relative to the notes directory")]
    Absolute,
    /// It has a `..` in it, wherever that would lead.
    #[error("`..` leads out; name the note from the notes directory downwards")]
    Parent,
    /// It starts with a blank, which nobody sees.
    #[error("it starts with a blank")]
    LeadingBlank,
    /// Longer than [`MAX_PATH_BYTES`].
    #[error("it has more than {MAX_PATH_BYTES} bytes")]
    TooLong,
    /// Deeper than [`MAX_DEPTH`].
    #[error("it has more than {MAX_DEPTH} names")]
    TooDeep,
    /// One of its names is not acceptable.
    #[error("the name `{name}` is not acceptable: {problem}")]
    Name {
        /// The name, shortened and with invisible characters escaped.
        name: String,
        /// What is wrong with it.
        problem: NameProblem,
    },
}

/// Checks the path of a note as text: relative, no `..`, acceptable names. A leading
/// `./`, doubled slashes and a slash at the end are dropped; nothing is decoded.
///
/// # Errors
/// [`NotesError::Path`] says what is wrong.
pub fn check_path(path: &str) -> Result<NotePath, NotesError> {
    match check_folder(path)? {
        folder if folder == NotePath::ROOT => Err(refused(path, PathProblem::Empty)),
        note => Ok(note),
    }
}

/// Checks the path of a folder as text. Nothing, and `.`, are the notes directory.
pub(crate) fn check_folder(path: &str) -> Result<NotePath, NotesError> {
    parse(path).map_err(|problem| refused(path, problem))
}

fn parse(path: &str) -> Result<NotePath, PathProblem> {
    match path {
        _ if path.len() > 2 * MAX_PATH_BYTES => return Err(PathProblem::TooLong),
        _ if path.starts_with('/') => return Err(PathProblem::Absolute),
        _ if path.starts_with(' ') => return Err(PathProblem::LeadingBlank),
        _ => {}
    }
    let mut parsed = NotePath::ROOT;
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => return Err(PathProblem::Parent),
            _ => parsed.push(name)?,
        }
    }
    Ok(parsed)
}

fn refused(path: &str, problem: PathProblem) -> NotesError {
    NotesError::Path { path: shown(path), problem }
}

/// A text that was refused, fit to be shown: short, and nothing in it is invisible.
fn shown(text: &str) -> String {
    const MAX_SHOWN: usize = 80;
    let mut shown: String = text.chars().take(MAX_SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(MAX_SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(path: &str) -> PathProblem {
        match check_path(path) {
            Err(NotesError::Path { problem, .. }) => problem,
            other => panic!("{path:?}: {other:?}"),
        }
    }

    #[test]
    fn redundant_parts_are_dropped() {
        for path in ["a/b.md", "./a/b.md", "a//b.md", "a/./b.md", "a/b.md/", "a/b.md/."] {
            assert_eq!(check_path(path).unwrap().as_str(), "a/b.md", "{path}");
        }
    }

    #[test]
    fn the_notes_directory_is_a_folder_and_no_note() {
        for path in ["", ".", "./", "././/"] {
            assert_eq!(problem(path), PathProblem::Empty, "{path:?}");
            assert_eq!(check_folder(path).unwrap(), NotePath::ROOT, "{path:?}");
        }
    }

    #[test]
    fn nothing_leads_out() {
        for path in ["..", "../a", "a/..", "a/../b", "a//..//b", "./.."] {
            assert_eq!(problem(path), PathProblem::Parent, "{path:?}");
        }
        for path in ["/", "/a", "//a/b"] {
            assert_eq!(problem(path), PathProblem::Absolute, "{path:?}");
        }
    }

    #[test]
    fn bounds_are_exact() {
        let deepest = vec!["x"; MAX_DEPTH].join("/");
        assert!(check_path(&deepest).is_ok());
        assert_eq!(problem(&format!("{deepest}/x")), PathProblem::TooDeep);
        let longest = vec!["x".repeat(204); 5].join("/");
        assert_eq!(longest.len(), MAX_PATH_BYTES);
        assert!(check_path(&longest).is_ok());
        assert_eq!(problem(&format!("{longest}x")), PathProblem::TooLong);
        assert_eq!(problem(&"a/".repeat(1_000_000)), PathProblem::TooLong);
    }

    #[test]
    fn a_refusal_shows_the_path_safely_and_shortly() {
        let message = check_path("a\u{202e}\u{1b}[31m\n.md").unwrap_err().to_string();
        assert!(message.contains("a\\u{202e}\\u{1b}[31m\\n.md"), "{message}");
        let long = check_path(&format!("{}:", "é".repeat(100_000))).unwrap_err().to_string();
        assert!(long.len() < 400, "{long}");
    }
}
