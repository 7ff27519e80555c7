//! The nearest thing that was probably meant.

/// The candidate nearest to a misspelt text, when one is near enough to help.
pub(crate) fn nearest<'a>(
    text: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let scored = candidates.into_iter().map(|c| (strsim::jaro_winkler(text, c), c));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 > 0.75).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_is_suggested_and_far_is_not() {
        let keys = ["permissions", "plugins", "audit"];
        assert_eq!(nearest("permisions", keys), Some("permissions"));
        assert_eq!(nearest("zzz", keys), None);
    }
}
