//! The old style of tar: `tar tvf a.tar` is `tar -t -v -f a.tar`.

use crate::profiles::Options;
use crate::profiles::notation::Value;
use crate::refused::Refused;

/// The same words with a dash before every letter of a bundled first word, and each
/// letter's value behind it.
pub(super) fn unbundle(options: &Options, words: &[String]) -> Result<Vec<String>, Refused> {
    let Some((first, rest)) = words.split_first().filter(|(first, _)| !first.starts_with('-'))
    else {
        return Ok(words.to_vec());
    };
    let mut values = rest.iter();
    let mut unbundled = Vec::new();
    for letter in first.chars() {
        unbundled.push(format!("-{letter}"));
        let rule = options.letter(letter);
        if rule.is_some_and(|rule| matches!(rule.value, Value::Required(_))) {
            let missing = || Refused::arguments(format!("`{letter}` needs a value"));
            unbundled.push(values.next().ok_or_else(missing)?.clone());
        }
    }
    unbundled.extend(values.cloned());
    Ok(unbundled)
}
