//! What a source found, bounded.

use serde::Serialize;

/// Results that are kept of one source.
pub const MAX_ENTRIES: usize = 50;
/// Characters of a title.
pub const MAX_TITLE: usize = 200;
/// Characters of a snippet, and of a source's own answer.
pub const MAX_TEXT: usize = 2000;
/// Characters of a URL. A longer one is left out, since a part of one leads
/// elsewhere.
pub const MAX_URL: usize = 2000;

/// What one source answered to a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// What the source itself concluded.
    pub answer: Option<String>,
    /// What it found, best first.
    pub results: Vec<Entry>,
}

/// One result. What a source does not say is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The title of the page.
    pub title: Option<String>,
    /// A piece of the page.
    pub snippet: Option<String>,
    /// Where the page is.
    pub url: Option<String>,
}

impl Answer {
    /// An answer from a source's own words.
    pub(crate) fn new(answer: Option<&str>, entries: impl IntoIterator<Item = Entry>) -> Self {
        Self {
            answer: answer.and_then(|answer| line(answer, MAX_TEXT)),
            results: entries
                .into_iter()
                .filter(|entry| !entry.is_empty())
                .take(MAX_ENTRIES)
                .collect(),
        }
    }
}

impl Entry {
    /// A result from a source's own words: each text becomes one line, so that it
    /// cannot look like the next result, and only addresses on the web are kept.
    pub(crate) fn new(title: Option<&str>, snippet: Option<&str>, url: Option<&str>) -> Self {
        Self {
            title: title.and_then(|title| line(title, MAX_TITLE)),
            snippet: snippet.and_then(|snippet| line(snippet, MAX_TEXT)),
            url: url.and_then(web_address),
        }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        [&self.title, &self.snippet, &self.url]
            .into_iter()
            .all(|part| part.as_ref().is_none_or(String::is_empty))
    }
}

/// `text` on one line and cut to `max` characters; nothing if it is blank.
fn line(text: &str, max: usize) -> Option<String> {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(max) {
        line.truncate(end);
        line.push('…');
    }
    (!line.is_empty()).then_some(line)
}

/// `url`, if it is an `http` or `https` one (RFC 3986, whose characters include
/// neither white space nor control characters).
fn web_address(url: &str) -> Option<String> {
    let url = url.trim();
    let (scheme, rest) = url.split_once("://")?;
    let is_web = ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web));
    let is_written_well = !rest.is_empty()
        && url.chars().count() <= MAX_URL
        && !url.contains(|c: char| c.is_whitespace() || c.is_control());
    (is_web && is_written_well).then(|| url.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_on_the_web_are_kept() {
        for url in ["https://a.example/?b=1#c", " HTTP://a.example "] {
            assert_eq!(web_address(url).as_deref(), Some(url.trim()));
        }
        let long = format!("https://a.example/{}", "a".repeat(MAX_URL));
        for url in ["", "javascript://a", "ftp://a", "/a", "//a", "https://", "https://a b", &long]
        {
            assert_eq!(web_address(url), None, "{url}");
        }
    }

    #[test]
    fn texts_are_one_bounded_line() {
        assert_eq!(line(" a\n2. b\t\r\nc ", 20).as_deref(), Some("a 2. b c"));
        assert_eq!(line("ééé", 2).as_deref(), Some("éé…"));
        assert_eq!(line(" \n", 2), None);
    }

    #[test]
    fn entries_without_anything_are_dropped_before_they_are_counted() {
        let nothing = std::iter::repeat_n(Entry::new(None, Some(" "), Some("ftp://a")), 100);
        let something = std::iter::repeat_n(Entry::new(Some("T"), None, None), 100);
        let answer = Answer::new(None, nothing.chain(something));
        assert_eq!(answer.results.len(), MAX_ENTRIES);
        assert!(answer.results.iter().all(|entry| entry.title.as_deref() == Some("T")));
    }
}
