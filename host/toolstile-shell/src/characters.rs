//! Characters that no word of a command line may hold: whoever confirms a command must
//! see all of it, and the words that run must be the words that were read.

use std::fmt;

use unicode_general_category::{GeneralCategory, get_general_category};

/// A character that never occurs in a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadCharacter(char);

impl fmt::Display for BadCharacter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.0 {
            c if c.is_control() => "the control character",
            c if c.is_whitespace() => "the blank",
            _ => "the invisible character",
        };
        write!(f, "{kind} U+{:04X}", u32::from(self.0))
    }
}

/// The first character of `text` that may not occur. Tab and newline are left to the
/// caller, who knows whether they are quoted.
pub(crate) fn find_bad(text: &str) -> Option<BadCharacter> {
    text.chars().find(|c| is_bad(*c)).map(BadCharacter)
}

fn is_bad(c: char) -> bool {
    match c {
        '\t' | '\n' | ' '..='~' => false,
        _ => is_unseen_category(c) || is_ignorable(c),
    }
}

/// Controls, formats, blanks beyond ASCII, and what no font shows.
fn is_unseen_category(c: char) -> bool {
    matches!(
        get_general_category(c),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::SpaceSeparator
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
            | GeneralCategory::PrivateUse
            | GeneralCategory::Unassigned
            | GeneralCategory::Surrogate
    )
}

/// Letters and marks that are invisible all the same (Unicode,
/// `Default_Ignorable_Code_Point`, without those of the categories above).
fn is_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{034f}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{ffa0}'
            | '\u{e0100}'..='\u{e01ef}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_found() {
        for c in [
            '\0',
            '\u{7}',
            '\r',
            '\u{1b}',
            '\u{7f}',
            '\u{85}',
            '\u{9b}',
            '\u{a0}',
            '\u{ad}',
            '\u{200b}',
            '\u{202e}',
            '\u{2028}',
            '\u{3000}',
            '\u{3164}',
            '\u{feff}',
            '\u{fe0f}',
            '\u{e0041}',
            '\u{e000}',
            '\u{fffe}',
        ] {
            assert_eq!(
                find_bad(&format!("a{c}b")),
                Some(BadCharacter(c)),
                "U+{:04X}",
                u32::from(c)
            );
        }
    }

    #[test]
    fn what_can_be_seen_passes() {
        for text in ["", "plain ~ text\t\n", "naïve", "документы", "笔记", "e\u{301}", "🎉"]
        {
            assert_eq!(find_bad(text), None, "{text}");
        }
    }

    #[test]
    fn a_bad_character_is_named_by_its_number() {
        assert_eq!(BadCharacter('\u{1b}').to_string(), "the control character U+001B");
        assert_eq!(BadCharacter('\u{a0}').to_string(), "the blank U+00A0");
        assert_eq!(BadCharacter('\u{200b}').to_string(), "the invisible character U+200B");
    }
}
