//! Scripts of `sed`: addresses and commands that only look at and change the text on its
//! way through. What runs programs or writes files is refused, what reads files doubted.
//!
//! The parser follows GNU sed 4.9 where it is more generous than POSIX; whatever it does
//! not know is refused.

use std::iter::Peekable;
use std::str::Chars;

use crate::verdict::Finding;

/// Judges a script.
pub(super) fn judge(script: &str) -> Finding {
    let mut parser = Parser { rest: script.chars().peekable(), doubt: None };
    match parser.script() {
        Err(message) => Finding::forbid(format!("the sed script is not allowed: {message}")),
        Ok(()) => parser.doubt.map_or(Finding::Clean, Finding::doubt),
    }
}

type Parsed = Result<(), String>;

struct Parser<'a> {
    rest: Peekable<Chars<'a>>,
    doubt: Option<String>,
}

impl Parser<'_> {
    fn script(&mut self) -> Parsed {
        loop {
            self.skip(|c| c.is_ascii_whitespace() || c == ';');
            if self.rest.peek().is_none() {
                return Ok(());
            }
            self.addresses()?;
            self.command()?;
        }
    }

    fn skip(&mut self, unwanted: impl Fn(char) -> bool) {
        while self.rest.next_if(|c| unwanted(*c)).is_some() {}
    }

    fn blanks(&mut self) {
        self.skip(|c| c == ' ' || c == '\t');
    }

    /// None, one or two addresses, and `!`.
    fn addresses(&mut self) -> Parsed {
        if self.address()? {
            self.blanks();
            if self.rest.next_if_eq(&',').is_some() {
                self.blanks();
                self.rest.next_if(|c| matches!(c, '+' | '~'));
                if !self.address()? {
                    return Err("the second address is missing".to_owned());
                }
            }
        }
        self.skip(|c| matches!(c, ' ' | '\t' | '!'));
        Ok(())
    }

    fn address(&mut self) -> Result<bool, String> {
        match self.rest.peek() {
            Some('$') => {
                self.rest.next();
            }
            Some(c) if c.is_ascii_digit() => self.skip(|c| c.is_ascii_digit() || c == '~'),
            Some('/') => {
                self.rest.next();
                self.delimited('/')?;
                self.skip(|c| matches!(c, 'I' | 'M'));
            }
            Some('\\') => {
                self.rest.next();
                let delimiter = self.delimiter()?;
                self.delimited(delimiter)?;
                self.skip(|c| matches!(c, 'I' | 'M'));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn delimiter(&mut self) -> Result<char, String> {
        match self.rest.next() {
            Some(c) if !matches!(c, '\n' | '\\') => Ok(c),
            _ => Err("a delimiter is missing".to_owned()),
        }
    }

    /// Skips to behind the delimiter. In sed a delimiter within brackets does not end a
    /// regular expression for every implementation alike, so it is not allowed there.
    fn delimited(&mut self, delimiter: char) -> Parsed {
        let mut bracket = false;
        while let Some(c) = self.rest.next() {
            match c {
                '\\' => {
                    self.rest.next();
                }
                '\n' => return Err("a line break stands in an expression".to_owned()),
                c if c == delimiter && bracket => {
                    return Err(format!("`{c}` stands in brackets; write it with a backslash"));
                }
                c if c == delimiter => return Ok(()),
                '[' => bracket = true,
                ']' => bracket = false,
                _ => {}
            }
        }
        Err(format!("`{delimiter}` is missing"))
    }

    fn command(&mut self) -> Parsed {
        match self.rest.next() {
            Some('{') => Ok(()),
            Some(
                '}' | '=' | 'd' | 'D' | 'F' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x'
                | 'z',
            ) => self.end(),
            Some('q' | 'Q' | 'l' | 'L') => {
                self.blanks();
                self.skip(|c| c.is_ascii_digit());
                self.end()
            }
            Some('s') => self.substitution(),
            Some('y') => {
                let delimiter = self.delimiter()?;
                self.plain(delimiter)?;
                self.plain(delimiter)?;
                self.end()
            }
            Some('a' | 'i' | 'c') => self.text(),
            Some(':' | 'b' | 't' | 'T') => self.label(),
            Some('#') => {
                self.skip(|c| c != '\n');
                Ok(())
            }
            Some(c @ ('r' | 'R')) => {
                self.doubt.get_or_insert(format!("the sed command `{c}` reads a file"));
                self.skip(|c| c != '\n');
                Ok(())
            }
            Some(c @ ('w' | 'W')) => Err(format!("`{c}` writes a file")),
            Some('e') => Err("`e` runs a program".to_owned()),
            _ => Err("it has a command that is not known".to_owned()),
        }
    }

    /// Behind a command only a separator may stand.
    fn end(&mut self) -> Parsed {
        self.blanks();
        match self.rest.peek() {
            None | Some(';' | '\n' | '}' | '#') => Ok(()),
            Some(c) => Err(format!("`{c}` stands behind a command")),
        }
    }

    /// A part of `s` or `y` in which brackets mean nothing. A line break needs a backslash:
    /// behind another script that ends in `a\\`, what stands before it is text, and the
    /// next line a command.
    fn plain(&mut self, delimiter: char) -> Parsed {
        while let Some(c) = self.rest.next() {
            match c {
                '\\' => {
                    self.rest.next();
                }
                '\n' => return Err("a line break has no backslash before it".to_owned()),
                c if c == delimiter => return Ok(()),
                _ => {}
            }
        }
        Err(format!("`{delimiter}` is missing"))
    }

    fn substitution(&mut self) -> Parsed {
        let delimiter = self.delimiter()?;
        self.delimited(delimiter)?;
        self.plain(delimiter)?;
        while let Some(flag) = self.rest.next_if(|c| c.is_ascii_alphanumeric()) {
            match flag {
                'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9' => {}
                'e' => return Err("the flag `e` runs a program".to_owned()),
                'w' => return Err("the flag `w` writes a file".to_owned()),
                other => return Err(format!("the flag `{other}` is not known")),
            }
        }
        self.end()
    }

    /// `a`, `i` and `c` take the rest of the line as text; with a backslash at its end,
    /// the next line too.
    fn text(&mut self) -> Parsed {
        while let Some(c) = self.rest.next() {
            match c {
                '\\' => {
                    self.rest.next();
                }
                '\n' => return Ok(()),
                _ => {}
            }
        }
        Ok(())
    }

    /// A label is read narrowly: implementations differ in what ends one.
    fn label(&mut self) -> Parsed {
        self.blanks();
        self.skip(|c| c.is_ascii_alphanumeric() || c == '_');
        self.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_clean() {
        for script in [
            "",
            "p",
            "1,5p",
            "$d",
            "/^$/d",
            "s/a/b/",
            "s/e/w/g",
            "s|a/b|c|2p",
            "/a/,/b/{s/x/y/;p}",
            "2q",
            "y/abc/xyz/",
            "1~2d",
            "/x/I!d",
            "s/(fo+)/[\\1]/g",
            "a some text; w x",
            ":top;s/a/b/;t top",
            "\\,x,p",
            "s/[0-9]*/n/",
            "/a/,+2p",
            "# comment w x",
            "1{p;p}",
            "$!N;P;D",
            "0,/x/d",
        ] {
            assert_eq!(judge(script), Finding::Clean, "{script}");
        }
    }

    #[test]
    fn programs_and_files_are_refused() {
        for script in [
            "1e touch x",
            "e",
            "s/a/b\nw out\n/",
            "w out",
            "s/a/b/w out",
            "s/a/b/e",
            "s/a/b/ge",
            "s/a/b/2w x",
            "/x/W o",
            "1{e touch x\n}",
            "y/f/F/;1e x",
            "p;w x",
            "a text\nw out",
            "s/a/b/\ne",
            "1!e x",
            "p e",
            "}w x",
            "s,a,b,w x",
            "s/[/]/x/w o",
            "/[/]/e x/p",
            "F w",
            "v",
            "s/a/b",
            "y/a/b",
            "b x}e",
            "# x\ne",
            "s\na\nb\n",
        ] {
            assert!(matches!(judge(script), Finding::Forbidden(_)), "{script}");
        }
    }

    #[test]
    fn reading_a_file_is_doubtful() {
        assert!(matches!(judge("r ../x"), Finding::Doubtful(_)));
        assert!(matches!(judge("$!R x"), Finding::Doubtful(_)));
        assert!(matches!(judge("r x\ne y"), Finding::Forbidden(_)));
    }
}
