//! Programs of `awk`: patterns and print statements over the lines of a file.
//!
//! awk can run programs, open sockets and write files from many corners, and `>` means
//! two things. Only programs whose every word is known to be harmless are clean; a
//! comparison is told from a redirection by whether it stands behind `print`.

use std::iter::Peekable;
use std::str::Chars;

use crate::verdict::Finding;

/// Words that a clean program may use: statements, variables, functions of text.
const WORDS: &[&str] = &[
    "BEGIN", "END", "print", "printf", "if", "else", "for", "while", "in", "next", "length",
    "substr", "index", "split", "sub", "gsub", "match", "tolower", "toupper", "sprintf", "int",
    "NR", "NF", "FNR", "FS", "OFS", "RS", "ORS", "delete", "exit", "break", "continue", "sqrt",
    "exp", "log",
];

/// What never runs without a person, whatever stands around it.
const FORBIDDEN: &[(&str, &str)] = &[
    ("system", "runs a program"),
    ("getline", "reads from a program or a file"),
    ("close", "belongs to programs and files"),
    ("fflush", "belongs to programs and files"),
    ("ENVIRON", "reads the environment"),
    ("PROCINFO", "changes how awk works"),
    ("function", "defines code"),
    ("func", "defines code"),
];

/// Judges a program.
pub(super) fn judge(program: &str) -> Finding {
    let (tokens, unread) = match Reader::read(program) {
        Ok(tokens) => (tokens, None),
        // What cannot be read is searched for words all the same.
        Err(reason) => (all_words(program), Some(reason)),
    };
    if let Some(message) = tokens.iter().find_map(forbidden).or_else(|| redirection(&tokens)) {
        return Finding::forbid(format!("the awk program is not allowed: {message}"));
    }
    match (unread, tokens.iter().find_map(unknown)) {
        (Some(reason), _) => Finding::doubt(format!("the awk program is not understood: {reason}")),
        (None, Some(word)) => Finding::doubt(format!("the awk program uses `{word}`")),
        (None, None) => Finding::Clean,
    }
}

fn forbidden(token: &Token) -> Option<String> {
    match token {
        Token::Word(word) => {
            let found = FORBIDDEN.iter().find(|(name, _)| name == word);
            found.map(|(name, why)| format!("`{name}` {why}"))
        }
        Token::Mark('|') => Some("`|` runs a program".to_owned()),
        Token::Mark('@') => Some("`@` loads or calls code by name".to_owned()),
        Token::Mark(_) | Token::Value => None,
    }
}

/// A `>` in a statement that prints. A statement goes on behind a comma and an operator,
/// even on the next line; in gawk also behind `?` and `:`.
fn redirection(tokens: &[Token]) -> Option<String> {
    let (mut printing, mut open) = (false, false);
    for token in tokens {
        match token {
            Token::Word(word) if word == "print" || word == "printf" => printing = true,
            Token::Mark('>') if printing => {
                return Some("`>` behind `print` writes a file".to_owned());
            }
            Token::Mark('\n') if open => continue,
            Token::Mark(';' | '\n' | '{' | '}') => printing = false,
            _ => {}
        }
        open = matches!(token, Token::Mark(',' | '&' | '?' | ':'));
    }
    None
}

/// A word that is neither known nor a variable of the program's own.
fn unknown(token: &Token) -> Option<&str> {
    match token {
        Token::Word(word) if !is_variable(word) && !WORDS.contains(&word.as_str()) => Some(word),
        _ => None,
    }
}

/// Short and in lower case, so that it is no function of some awk that is not listed.
fn is_variable(word: &str) -> bool {
    let short = word.len() <= 3 && word.chars().all(|c| c.is_ascii_lowercase());
    short && !matches!(word, "do" | "if" | "in" | "for")
}

enum Token {
    Word(String),
    /// A number, a text or a regular expression.
    Value,
    /// `||` is the mark `,`: both leave the statement open.
    Mark(char),
}

fn all_words(program: &str) -> Vec<Token> {
    let words = program.split(|c: char| !is_word(c)).filter(|word| !word.is_empty());
    words.map(|word| Token::Word(word.to_owned())).collect()
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Reads a program into tokens, or says what it does not understand.
struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    tokens: Vec<Token>,
}

impl Reader<'_> {
    fn read(program: &str) -> Result<Vec<Token>, &'static str> {
        let mut reader = Reader { rest: program.chars().peekable(), tokens: Vec::new() };
        while let Some(c) = reader.rest.next() {
            if let Some(token) = reader.token(c)? {
                reader.tokens.push(token);
            }
        }
        Ok(reader.tokens)
    }

    fn token(&mut self, c: char) -> Result<Option<Token>, &'static str> {
        match c {
            ' ' | '\t' => return Ok(None),
            '\\' => return Err("a backslash stands outside of text"),
            '"' => self.text()?,
            '/' => return self.slash().map(Some),
            '#' => {
                self.word_while(|c| c != '\n');
                return Ok(None);
            }
            '|' if self.rest.next_if_eq(&'|').is_some() => return Ok(Some(Token::Mark(','))),
            c if c.is_ascii_digit() => {
                self.word_while(|c| is_word(c) || c == '.');
            }
            c if is_word(c) => {
                return Ok(Some(Token::Word(format!("{c}{}", self.word_while(is_word)))));
            }
            c => return Ok(Some(Token::Mark(c))),
        }
        Ok(Some(Token::Value))
    }

    fn word_while(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let mut word = String::new();
        while let Some(c) = self.rest.next_if(|c| wanted(*c)) {
            word.push(c);
        }
        word
    }

    /// A slash divides behind a value, and begins a regular expression where a value is
    /// missing. Where it could be either, it is not understood.
    fn slash(&mut self) -> Result<Token, &'static str> {
        match self.tokens.last() {
            Some(Token::Value | Token::Mark(']')) => Ok(Token::Mark('/')),
            Some(Token::Word(word))
                if is_variable(word) || matches!(word.as_str(), "NR" | "NF" | "FNR") =>
            {
                Ok(Token::Mark('/'))
            }
            None | Some(Token::Mark('{' | '}' | ';' | '\n' | '(' | ',' | '!' | '~' | '&')) => {
                self.regular_expression().map(|()| Token::Value)
            }
            _ => Err("a slash could divide or begin a regular expression"),
        }
    }

    fn text(&mut self) -> Result<(), &'static str> {
        while let Some(c) = self.rest.next() {
            match c {
                '\\' => {
                    self.rest.next();
                }
                '"' => return Ok(()),
                '\n' => return Err("a line break stands in text"),
                _ => {}
            }
        }
        Err("a text is not closed")
    }

    fn regular_expression(&mut self) -> Result<(), &'static str> {
        let mut bracket = false;
        while let Some(c) = self.rest.next() {
            match c {
                '\\' => {
                    self.rest.next();
                }
                '\n' => return Err("a line break stands in a regular expression"),
                '/' if bracket => return Err("a slash stands in brackets"),
                '/' => return Ok(()),
                '[' => bracket = true,
                ']' => bracket = false,
                _ => {}
            }
        }
        Err("a regular expression is not closed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_clean() {
        for program in [
            "{print $1}",
            "$1 > 10",
            "END{print NR}",
            "/foo/ {print $NF}",
            "{s += $2} END {print s / NR}",
            "NR==1 || /a|b/",
            "{printf \"%s > %d\\n\", $1, $2}",
            "length($0) > 80 {print FNR}",
            "/[0-9]+/ {n++} END {print n}",
            "{print $1,\n $2}\n$1 > 3",
        ] {
            assert_eq!(judge(program), Finding::Clean, "{program}");
        }
    }

    #[test]
    fn programs_and_files_are_refused() {
        for program in [
            "BEGIN{system(\"x\")}",
            "{print > \"o\"}",
            "{print >> \"o\"}",
            "{print | \"sh\"}",
            "\"x\" | getline",
            "{printf \"%s\", $0 > \"o\"}",
            "@load \"x\"",
            "BEGIN{@f(1)}",
            "BEGIN{print 1 |& s}",
            "ENVIRON[\"x\"]",
            "{getline < \"/etc/passwd\"}",
            "{print a,\n b > \"o\"}",
            "{print 1?\n2:3 > \"o\"}",
            "{print 0?1:\n3 > \"o\"}",
            "BEGIN{x++ / system(\"a\") / 1}",
            "{if (1) /\"/; system(\"a\"); /\"/}",
            "/[/]/{system(\"x\")}",
            "{do /\"/; system(\"a\") ; /\"/}",
        ] {
            assert!(matches!(judge(program), Finding::Forbidden(_)), "{program}");
        }
    }

    #[test]
    fn the_unknown_is_doubtful() {
        assert!(matches!(judge("BEGIN{print strftime()}"), Finding::Doubtful(_)));
        for program in ["BEGIN{RSX = 1}", "{print (a + b) / 2}", "{print \"open}", "{x++ / 1}"] {
            assert!(matches!(judge(program), Finding::Doubtful(_)), "{program}");
        }
    }
}
