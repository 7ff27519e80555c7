//! One reading of a command line, the POSIX one, and nothing that a shell would expand.
//!
//! Only blanks, single quotes, double quotes and backslashes mean something (POSIX.1,
//! Shell Command Language, 2.2 Quoting). Whatever a shell would treat specially is
//! refused when it is not quoted, so that the words are the same for every reader: the
//! model, the person who confirms, and the program.

use std::iter::Peekable;
use std::str::Chars;

use crate::characters::find_bad;
use crate::refused::{RefusalKind, Refused, quoted};

/// Longest command line, in bytes.
const MAX_COMMAND_BYTES: usize = 8 * 1024;
/// Most words of a command line.
const MAX_WORDS: usize = 256;
/// Longest word, in bytes.
const MAX_WORD_BYTES: usize = 4 * 1024;

/// Splits a command line into words.
pub(crate) fn split(command: &str) -> Result<Vec<String>, Refused> {
    if command.len() > MAX_COMMAND_BYTES {
        return Err(too_long("the command line", MAX_COMMAND_BYTES, "bytes"));
    }
    if let Some(bad) = find_bad(command) {
        return Err(syntax(format!("{bad} may not occur in a command line")));
    }
    let mut words = Vec::new();
    let mut splitter = Splitter { rest: command.chars().peekable(), word: None, brace: false };
    while let Some(word) = splitter.next_word()? {
        words.push(word);
    }
    check_words(&words)?;
    Ok(words)
}

/// Checks words that came as words: their number, their length, their characters.
pub(crate) fn check_words(words: &[String]) -> Result<(), Refused> {
    if words.is_empty() {
        return Err(Refused::new(RefusalKind::Empty, "the command line is empty"));
    }
    if words.len() > MAX_WORDS {
        return Err(too_long("the command line", MAX_WORDS, "words"));
    }
    if words.iter().any(|word| word.len() > MAX_WORD_BYTES) {
        return Err(too_long("a word", MAX_WORD_BYTES, "bytes"));
    }
    if words.iter().map(String::len).sum::<usize>() > MAX_COMMAND_BYTES {
        return Err(too_long("the command line", MAX_COMMAND_BYTES, "bytes"));
    }
    match words.iter().find_map(|word| find_bad(word)) {
        Some(bad) => Err(syntax(format!("{bad} may not occur in a command line"))),
        None => Ok(()),
    }
}

fn too_long(what: &str, limit: usize, unit: &str) -> Refused {
    Refused::new(RefusalKind::TooLong, format!("{what} is longer than {limit} {unit}"))
}

fn syntax(message: impl Into<String>) -> Refused {
    Refused::new(RefusalKind::Syntax, message)
}

/// What is left to read, and the word that is being put together.
struct Splitter<'a> {
    rest: Peekable<Chars<'a>>,
    /// `None` between words; an empty pair of quotes begins one too.
    word: Option<String>,
    /// An unquoted `{` stands in the word.
    brace: bool,
}

impl Splitter<'_> {
    fn next_word(&mut self) -> Result<Option<String>, Refused> {
        self.brace = false;
        while let Some(c) = self.rest.next() {
            match c {
                ' ' | '\t' if self.word.is_some() => break,
                ' ' | '\t' => {}
                '\'' => self.single_quoted()?,
                '"' => self.double_quoted()?,
                '\\' => self.escaped()?,
                c => self.plain(c)?,
            }
        }
        Ok(self.word.take())
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn single_quoted(&mut self) -> Result<(), Refused> {
        self.word.get_or_insert_default();
        loop {
            match self.rest.next() {
                Some('\'') => return Ok(()),
                Some(c) => self.push(c),
                None => return Err(syntax("a single quote is not closed")),
            }
        }
    }

    fn double_quoted(&mut self) -> Result<(), Refused> {
        self.word.get_or_insert_default();
        loop {
            match self.rest.next() {
                Some('"') => return Ok(()),
                Some('\\') => self.escaped_in_double_quotes(),
                Some(c @ ('$' | '`')) if self.expands_in_double_quotes(c) => {
                    return Err(syntax(format!(
                        "`{c}` in double quotes would be expanded by a shell, and there is none; \
                         write it in single quotes or with a backslash"
                    )));
                }
                Some(c) => self.push(c),
                None => return Err(syntax("a double quote is not closed")),
            }
        }
    }

    /// Within double quotes a backslash only means something before these characters.
    fn escaped_in_double_quotes(&mut self) {
        match self.rest.next_if(|c| matches!(c, '$' | '`' | '"' | '\\' | '\n')) {
            Some('\n') => {}
            Some(c) => self.push(c),
            None => self.push('\\'),
        }
    }

    /// A dollar before a quote, a blank or punctuation that names no parameter is a
    /// dollar in every shell: `"foo$"`.
    fn expands_in_double_quotes(&mut self, c: char) -> bool {
        let literal = |next: &char| matches!(next, '"' | ' ' | '|' | ')' | '/' | '.' | ',' | ':');
        c == '`' || !self.rest.peek().is_some_and(literal)
    }

    fn escaped(&mut self) -> Result<(), Refused> {
        match self.rest.next() {
            Some('\n') => Err(newline()),
            Some(c) => {
                self.push(c);
                Ok(())
            }
            None => Err(syntax("a backslash at the end has nothing to quote")),
        }
    }

    /// A character that is not quoted.
    fn plain(&mut self, c: char) -> Result<(), Refused> {
        let first = self.word.is_none();
        match c {
            '\n' => return Err(newline()),
            '|' | '&' | ';' | '<' | '>' | '(' | ')' | '`' | '$' => return Err(operator(c)),
            '*' | '?' | '[' => return Err(pattern(c)),
            '#' if first => return Err(comment()),
            '~' if first => return Err(tilde()),
            '!' if !(first && self.ends_here()) => return Err(operator(c)),
            ',' if self.brace => return Err(braces()),
            '.' if self.brace && self.rest.peek() == Some(&'.') => return Err(braces()),
            _ => {}
        }
        self.brace |= c == '{';
        self.push(c);
        Ok(())
    }

    /// `!` alone is a word in every shell (`find . ! -name x`).
    fn ends_here(&mut self) -> bool {
        self.rest.peek().is_none_or(|next| matches!(next, ' ' | '\t'))
    }
}

fn newline() -> Refused {
    syntax("a line break that is not quoted would end the command; give one command line")
}

fn operator(c: char) -> Refused {
    syntax(format!(
        "{} is an operator of a shell, and there is no shell: one program runs with its words, \
         without pipes, redirections, substitutions or a second command; quote the character \
         when it is meant as text",
        quoted(&c.to_string())
    ))
}

fn pattern(c: char) -> Refused {
    syntax(format!(
        "`{c}` is not expanded to file names, because there is no shell; name the files, or quote \
         the word when it is a pattern for the program"
    ))
}

fn comment() -> Refused {
    syntax(
        "`#` at the beginning of a word would begin a comment; quote it when it is meant as text",
    )
}

fn tilde() -> Refused {
    syntax("`~` is not expanded to a home directory; name the path, or quote it")
}

fn braces() -> Refused {
    syntax("`{…}` is not expanded to words; write the words, or quote it when it is meant as text")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &str) -> Vec<String> {
        split(command).unwrap_or_else(|refused| panic!("{command}: {refused}"))
    }

    #[test]
    fn quotes_and_backslashes_mean_what_they_mean_in_posix() {
        for (command, expected) in [
            ("a  b\tc", vec!["a", "b", "c"]),
            ("a'b c'\"d e\"f", vec!["ab cd ef"]),
            ("x ''", vec!["x", ""]),
            (r#""a\b\"\\\$""#, vec![r#"a\b"\$"#]),
            (r"\a\ b\'", vec!["a b'"]),
            ("\"foo$\" 'a\nb'", vec!["foo$", "a\nb"]),
            ("a#b HEAD@{1} x{} a~", vec!["a#b", "HEAD@{1}", "x{}", "a~"]),
            ("find . ! -name x", vec!["find", ".", "!", "-name", "x"]),
        ] {
            assert_eq!(words(command), expected, "{command}");
        }
    }

    #[test]
    fn what_a_shell_would_treat_specially_is_refused() {
        for command in [
            "a;b",
            "a|b",
            "a&",
            "a>b",
            "a<b",
            "(a)",
            "a $b",
            "a `b`",
            "a \"$b\"",
            "a \"`b`\"",
            "a #b",
            "~/a",
            "a {b,c}",
            "a {1..3}",
            "a *",
            "a ?",
            "a [b]",
            "a !b",
            "a\nb",
            "a \\\nb",
            "a 'b",
            "a \"b",
            "a\\",
        ] {
            assert_eq!(split(command).map_err(|r| r.kind()), Err(RefusalKind::Syntax), "{command}");
        }
    }

    #[test]
    fn long_command_lines_are_refused() {
        for command in ["a".repeat(8193), " a".repeat(257), format!("a {}", "b".repeat(4097))] {
            assert_eq!(split(&command).map_err(|r| r.kind()), Err(RefusalKind::TooLong));
        }
        assert_eq!(split(" \t ").map_err(|r| r.kind()), Err(RefusalKind::Empty));
    }
}
