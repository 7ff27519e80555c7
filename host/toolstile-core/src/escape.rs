//! Characters that a reader does not see, made visible.

use std::borrow::Cow;

use unicode_general_category::{GeneralCategory, get_general_category};

/// Replaces control characters (C0 except tab and newline, DEL, C1), format
/// characters (bidirectional controls, zero-width and tag characters, soft hyphen,
/// byte-order mark) and line separators by `\u{…}`.
///
/// The joiners U+200C and U+200D stay: Persian and emoji need them. The escape can
/// be undone: a backslash run before `u{` is doubled, so an even run is text and
/// an odd one ends in an escape.
#[must_use]
pub fn escape_invisible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_invisible) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    let mut backslashes = 0;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let starts_escape = c == 'u' && rest.as_str().starts_with('{');
        if is_invisible(c) || starts_escape {
            escaped.extend(std::iter::repeat_n('\\', backslashes));
        }
        match is_invisible(c) {
            true => escaped.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            false => escaped.push(c),
        }
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
    }
    Cow::Owned(escaped)
}

fn is_invisible(c: char) -> bool {
    match c {
        '\t' | '\n' | '\u{200c}' | '\u{200d}' => false,
        ' '..='~' => false,
        _ => matches!(
            get_general_category(c),
            GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Undoes [`escape_invisible`].
    fn unescape(text: &str) -> String {
        let mut plain = String::new();
        let mut rest = text;
        while let Some(start) = rest.find('\\') {
            let run = rest[start..].chars().take_while(|c| *c == '\\').count();
            let behind = &rest[start + run..];
            plain.push_str(&rest[..start]);
            let code = behind.strip_prefix("u{").and_then(|b| b.split_once('}'));
            match code {
                Some((hex, after)) if run % 2 == 1 => {
                    plain.extend(std::iter::repeat_n('\\', run / 2));
                    plain.extend(u32::from_str_radix(hex, 16).ok().and_then(char::from_u32));
                    rest = after;
                }
                _ => {
                    let kept = if behind.starts_with("u{") { run / 2 } else { run };
                    plain.extend(std::iter::repeat_n('\\', kept));
                    rest = behind;
                }
            }
        }
        plain + rest
    }

    #[test]
    fn what_is_escaped_can_be_recovered() {
        for text in [
            "\u{1b}[31mred\u{1b}[0m",
            "a\\\u{7f}b",
            "\\u{1b} and \u{1b}",
            "\\\\u{202e}\u{202e}",
            "ok\u{e0063}\u{e0061}",
            "line1\rline2",
            "plain \\ text",
        ] {
            let escaped = escape_invisible(text);
            assert!(!escaped.chars().any(is_invisible), "{escaped:?}");
            if matches!(escaped, Cow::Owned(_)) {
                assert_eq!(unescape(&escaped), text, "{escaped:?}");
            }
        }
    }

    #[test]
    fn ordinary_text_is_untouched() {
        for text in ["tab\tand\nnewline", "Grüße 天气 👩\u{200d}🚀", "\\u{41}"] {
            assert!(matches!(escape_invisible(text), Cow::Borrowed(_)));
        }
    }
}
