//! Filters of `jq`: they look at the JSON that they are given, unless they ask for the
//! environment or for other files.

use crate::verdict::Finding;

/// Names that reach beyond the input, and what they reach.
const FORBIDDEN: &[(&str, &str)] = &[
    ("env", "reads the environment"),
    ("ENV", "reads the environment"),
    ("import", "loads a file"),
    ("include", "loads a file"),
    ("modulemeta", "loads a file"),
    ("get_search_list", "shows where files are loaded from"),
    ("input_filename", "shows the name of the file"),
];

/// Judges a filter. Its text is searched as a whole, quoted parts too: a string of jq can
/// hold code (`"\\(env)"`).
pub(super) fn judge(filter: &str) -> Finding {
    let forbidden = |word| FORBIDDEN.iter().find(|(name, _)| *name == word);
    match words(filter).filter(|(_, field)| !field).find_map(|(word, _)| forbidden(word)) {
        Some((name, why)) => {
            Finding::forbid(format!("the jq filter is not allowed: `{name}` {why}"))
        }
        // `$__prog_args`, `$__loc__` and the like.
        None if filter.contains("__") => Finding::doubt("the jq filter uses an internal name"),
        None => Finding::Clean,
    }
}

/// The words of a filter, and whether each is a field (`.env`) rather than a name.
fn words(filter: &str) -> impl Iterator<Item = (&str, bool)> {
    let part_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts = filter
        .char_indices()
        .filter(move |(at, c)| part_of_word(*c) && !filter[..*at].ends_with(part_of_word));
    starts.map(move |(at, _)| {
        let (before, rest) = filter.split_at(at);
        let end = rest.find(|c| !part_of_word(c)).unwrap_or(rest.len());
        let path = before.strip_suffix('.');
        let field = path.is_some_and(|p| !p.ends_with(|c: char| c == '.' || c.is_ascii_digit()));
        (&rest[..end], field)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_clean_until_they_reach_out() {
        for filter in [
            ".items[] | .name",
            "map(select(. != null)) | length",
            ".environment",
            "keys",
            ".env.HOME",
            ".a.env",
        ] {
            assert_eq!(judge(filter), Finding::Clean, "{filter}");
        }
        for filter in [
            "env",
            "$ENV.PATH",
            "\"\\(env)\"",
            "import \"x\" as x; .",
            ". | env.HOME",
            "if true then$ENV else 1 end",
            "$ ENV",
            "..env",
        ] {
            assert!(matches!(judge(filter), Finding::Forbidden(_)), "{filter}");
        }
    }
}
