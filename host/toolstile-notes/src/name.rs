//! Which names files and folders may have: the same ones on every platform.
//!
//! Notes are synchronised and copied, so a name must mean the same file everywhere, and
//! look like what it is wherever it is shown.

use unicode_general_category::{GeneralCategory, get_general_category};

/// The longest name of a file or folder, in bytes of UTF-8; what file systems accept.
pub const MAX_NAME_BYTES: usize = 255;

/// Reserved by Windows, and `\` separates folders there.
const RESERVED: [char; 8] = ['\\', ':', '*', '?', '"', '<', '>', '|'];

/// Letters, marks and symbols that are drawn as nothing.
const BLANK_GLYPHS: [char; 6] =
    ['\u{34f}', '\u{115f}', '\u{1160}', '\u{2800}', '\u{3164}', '\u{ffa0}'];

/// Windows opens a device for these, whatever the extension.
///
/// Source: "Naming Files, Paths, and Namespaces", Microsoft.
const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];

/// Ports have a digit behind the name; superscript digits count.
const PORTS: [&str; 2] = ["COM", "LPT"];
const PORT_DIGITS: &str = "123456789\u{b9}\u{b2}\u{b3}";

/// What is wrong with the name of a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameProblem {
    /// Longer than [`MAX_NAME_BYTES`].
    #[error("it has more than {MAX_NAME_BYTES} bytes")]
    TooLong,
    /// Control, format and private characters, blanks other than the space, and
    /// characters that are drawn as nothing: they make a name look like another.
    #[error("it contains U+{:04X}, which readers cannot see", u32::from(*.0))]
    Invisible(char),
    /// A character with a meaning of its own on Windows.
    #[error("it contains `{0}`, which is not a character of names on every platform")]
    Reserved(char),
    /// One leading dot. Programs look for their settings and hooks under such names.
    #[error("it starts with a dot, as the settings of programs do")]
    Hidden,
    /// A dot or a blank at the end, which Windows drops.
    #[error("it ends in a dot or a blank")]
    LooseEnd,
    /// Names such as `CON` and `nul.md`.
    #[error("it is the name of a device on Windows")]
    Device,
    /// Names such as `PROGRA~1`, which stand for a longer name on Windows.
    #[error("it looks like the short form of another name on Windows")]
    ShortForm,
}

/// Checks one name, which holds no `/` and is not empty.
pub(crate) fn check_name(name: &str) -> Result<(), NameProblem> {
    if name.len() > MAX_NAME_BYTES {
        return Err(NameProblem::TooLong);
    }
    name.chars().try_for_each(check_character)?;
    let stem = name.split('.').next().unwrap_or(name).trim_end_matches(' ');
    match name {
        _ if name.ends_with(['.', ' ']) => Err(NameProblem::LooseEnd),
        _ if name.starts_with('.') && !name.starts_with("..") => Err(NameProblem::Hidden),
        _ if is_device(stem) => Err(NameProblem::Device),
        _ if is_short_form(stem) => Err(NameProblem::ShortForm),
        _ => Ok(()),
    }
}

fn check_character(c: char) -> Result<(), NameProblem> {
    match c {
        _ if RESERVED.contains(&c) => Err(NameProblem::Reserved(c)),
        _ if is_invisible(c) => Err(NameProblem::Invisible(c)),
        _ => Ok(()),
    }
}

fn is_invisible(c: char) -> bool {
    use GeneralCategory::{
        Control, Format, LineSeparator, ParagraphSeparator, PrivateUse, SpaceSeparator,
    };
    match get_general_category(c) {
        SpaceSeparator => c != ' ',
        Control | Format | LineSeparator | ParagraphSeparator | PrivateUse => true,
        _ => BLANK_GLYPHS.contains(&c),
    }
}

fn is_device(stem: &str) -> bool {
    let upper = stem.to_ascii_uppercase();
    let is_port = |digit: &str| digit.chars().count() == 1 && PORT_DIGITS.contains(digit);
    DEVICES.contains(&upper.as_str())
        || PORTS.iter().any(|port| upper.strip_prefix(port).is_some_and(is_port))
}

/// At most eight characters, the last ones a tilde and a number.
fn is_short_form(stem: &str) -> bool {
    let Some((before, number)) = stem.rsplit_once('~') else { return false };
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    is_number && !before.is_empty() && stem.chars().count() <= 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_names_are_accepted() {
        let longest = "x".repeat(MAX_NAME_BYTES);
        for name in [
            "a.md",
            "todo list.md",
            " b.md",
            "..a.md",
            "a..b",
            "v1.2.3",
            "~",
            "-rf",
            "$HOME",
            "%2e%2e",
            "план.md",
            "e\u{301}.md",
            "emoji-😀.md",
            "heart-\u{2764}\u{fe0f}",
            "console.md",
            "COM",
            "COM10",
            "nullable",
            "draft~final",
            "a-long-stem~1",
            longest.as_str(),
        ] {
            assert_eq!(check_name(name), Ok(()), "{name:?}");
        }
    }

    #[test]
    fn names_that_windows_reads_differently_are_refused() {
        for (name, problem) in [
            ("x.", NameProblem::LooseEnd),
            ("x ", NameProblem::LooseEnd),
            ("...", NameProblem::LooseEnd),
            ("a:b", NameProblem::Reserved(':')),
            ("a\\b", NameProblem::Reserved('\\')),
            ("what?", NameProblem::Reserved('?')),
            ("con", NameProblem::Device),
            ("NUL.tar.gz", NameProblem::Device),
            ("aux .md", NameProblem::Device),
            ("lpt\u{b2}.md", NameProblem::Device),
            ("CONIN$", NameProblem::Device),
            ("PROGRA~1", NameProblem::ShortForm),
            ("NOTE~12.MD", NameProblem::ShortForm),
        ] {
            assert_eq!(check_name(name), Err(problem), "{name:?}");
        }
    }

    #[test]
    fn names_that_hide_something_are_refused() {
        for c in [
            '\0',
            '\n',
            '\u{1b}',
            '\u{7f}',
            '\u{85}',
            '\u{a0}',
            '\u{ad}',
            '\u{200b}',
            '\u{200d}',
            '\u{2028}',
            '\u{202e}',
            '\u{2067}',
            '\u{3000}',
            '\u{3164}',
            '\u{e000}',
            '\u{feff}',
            '\u{e0061}',
        ] {
            let problem = check_name(&format!("a{c}b.md"));
            assert_eq!(problem, Err(NameProblem::Invisible(c)), "{c:?}");
        }
        assert_eq!(check_name(".git"), Err(NameProblem::Hidden));
    }

    #[test]
    fn length_counts_bytes() {
        assert_eq!(check_name(&"é".repeat(128)), Err(NameProblem::TooLong));
        assert_eq!(check_name(&"é".repeat(127)), Ok(()));
    }
}
