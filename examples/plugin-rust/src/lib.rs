//! Tools for texts: they count, make slugs and keep a journal.

use std::collections::HashSet;
use std::fmt;

use toolstile_sdk::{Error, export, notes, schemars, serde, tool};

export!(word_count, slugify, log_count);

/// What to count.
#[derive(Clone, Copy, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(crate = "toolstile_sdk::serde", rename_all = "lowercase")]
#[schemars(crate = "toolstile_sdk::schemars")]
pub enum Unit {
    Words,
    Lines,
    Characters,
}

/// What to leave out of a count of words.
#[derive(Default, serde::Deserialize, schemars::JsonSchema)]
#[serde(crate = "toolstile_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "toolstile_sdk::schemars")]
pub struct Filter {
    /// Words with fewer characters do not count.
    #[serde(default)]
    pub shorter_than: u32,
    /// These words do not count, whatever their case.
    #[serde(default)]
    pub stop_words: Vec<String>,
}

/// The result of a count.
#[derive(Debug, PartialEq, serde::Serialize)]
#[serde(crate = "toolstile_sdk::serde")]
pub struct Count {
    total: usize,
    distinct: usize,
}

/// Counts the words, lines or characters of a text, and how many of them differ.
#[tool(supports_parallel, read_only, idempotent)]
pub fn word_count(
    /// The text, of any length.
    text: String,
    /// What to count.
    #[arg(default = Unit::Words)]
    unit: Unit,
    /// What to leave out; only words are filtered.
    filter: Option<Filter>,
) -> Count {
    match unit {
        Unit::Words => count(words(&text, &filter.unwrap_or_default())),
        Unit::Lines => count(text.lines()),
        Unit::Characters => count(text.chars()),
    }
}

/// Makes a slug of a title: lower case, letters and digits only, words joined by
/// a separator. `Rust & WebAssembly!` becomes `rust-webassembly`.
#[tool(supports_parallel, read_only, idempotent)]
pub fn slugify(
    /// The title.
    title: String,
    /// What joins the words.
    #[arg(default = "-")]
    separator: String,
    /// Whole words are dropped from the end until the slug has at most this many
    /// characters.
    max_length: Option<u32>,
) -> Result<String, NoSlug> {
    let lower = title.to_lowercase();
    let words =
        lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut slug = String::new();
    for word in words {
        let joined = if slug.is_empty() { word.into() } else { format!("{slug}{separator}{word}") };
        if max_length.is_some_and(|limit| joined.chars().count() > limit as usize) {
            break;
        }
        slug = joined;
    }
    if slug.is_empty() { Err(NoSlug { title }) } else { Ok(slug) }
}

/// A title of which nothing is left.
#[derive(Debug, PartialEq)]
pub struct NoSlug {
    title: String,
}

impl fmt::Display for NoSlug {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = &self.title;
        write!(formatter, "nothing of `{title}` fits into a slug; use a longer title or limit")
    }
}

/// Counts the words of a text and writes the count into a note.
///
/// # Arguments
///
/// * `title` - What the text is called in the journal.
/// * `text` - The text.
/// * `note` - The note to append to.
/// * `preview` - Only show the line, write nothing.
#[tool(confirm_when = r#"{ "properties": { "preview": { "const": false } } }"#)]
pub fn log_count(
    title: String,
    text: String,
    #[arg(default = "counts.md")] note: String,
    #[arg(default = false)] preview: bool,
) -> Result<String, Error> {
    let Count { total, distinct } = count(words(&text, &Filter::default()));
    let line = format!("- {title}: {total} words, {distinct} distinct\n");
    if !preview {
        notes::append(&note, &line)?;
    }
    Ok(line)
}

fn words<'a>(text: &'a str, filter: &'a Filter) -> impl Iterator<Item = String> + 'a {
    let stop_words: HashSet<_> = filter.stop_words.iter().map(|word| word.to_lowercase()).collect();
    text.split_whitespace()
        .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty() && word.chars().count() >= filter.shorter_than as usize)
        .filter(move |word| !stop_words.contains(word))
}

fn count<T: Eq + std::hash::Hash>(items: impl Iterator<Item = T>) -> Count {
    let mut distinct = HashSet::new();
    let total = items.map(|item| distinct.insert(item)).count();
    Count { total, distinct: distinct.len() }
}

#[cfg(test)]
mod tests {
    use toolstile_sdk::Tool;
    use toolstile_sdk::serde_json::{Value, json};

    use super::*;

    #[test]
    fn words_count_without_their_punctuation_and_case() {
        let text = "To be, or not to be - that is it.".to_owned();
        assert_eq!(word_count(text, Unit::Words, None), Count { total: 9, distinct: 7 });
    }

    #[test]
    fn a_filter_leaves_out_short_and_stop_words() {
        let filter = Filter { shorter_than: 3, stop_words: vec!["NOT".into()] };
        let text = "to be or not to exist".to_owned();
        let count = word_count(text, Unit::Words, Some(filter));
        assert_eq!(count, Count { total: 1, distinct: 1 });
    }

    #[test]
    fn a_slug_drops_whole_words_to_keep_its_limit() {
        let slug = |limit| slugify("Rust & WebAssembly!".into(), "-".into(), limit);
        assert_eq!(slug(None), Ok("rust-webassembly".into()));
        assert_eq!(slug(Some(15)), Ok("rust".into()));
        assert!(slug(Some(3)).is_err());
    }

    #[test]
    fn the_model_calls_with_json() {
        let arguments = json!({ "text": "a\nb", "unit": "lines" });
        let Value::Object(arguments) = arguments else { unreachable!() };
        let response = word_count {}.call(arguments);
        assert_eq!(response.text, r#"{"distinct":2,"total":2}"#);
    }

    #[test]
    fn a_preview_needs_no_host() {
        let line = log_count("Hamlet".into(), "to be".into(), "counts.md".into(), true);
        assert_eq!(line, Ok("- Hamlet: 2 words, 2 distinct\n".into()));
    }
}
