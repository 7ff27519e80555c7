//! The nearest thing that was probably meant.

/// The candidate nearest to a misspelt text, when one is near enough to help: one
/// slip away (a letter too many, missing, wrong or swapped), or alike by
/// Jaro–Winkler similarity.
#[must_use]
pub fn nearest<'a>(text: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // One slip makes any very short name of any other.
    let slip = |candidate: &str| text.len() > 2 && strsim::osa_distance(text, candidate) <= 1;
    let closeness = |candidate: &str| match slip(candidate) {
        true => 1.0,
        false => strsim::jaro_winkler(text, candidate),
    };
    let scored = candidates.into_iter().map(|candidate| (closeness(candidate), candidate));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 > 0.85).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_is_suggested_and_far_is_not() {
        let keys = ["permissions", "dir", "audit", "deadline_ms", "b"];
        for (text, expected) in [
            ("permisions", Some("permissions")),
            ("dri", Some("dir")),
            ("deadline", Some("deadline_ms")),
            ("zzz", None),
            ("a", None),
            ("", None),
        ] {
            assert_eq!(nearest(text, keys), expected, "{text}");
        }
    }
}
