//! Text into words.
//!
//! The lexical rules are those of Python: underscores inside of numbers,
//! `0x`, `0o` and `0b` prefixes, no leading zeros, comments, lines that go on
//! inside of brackets or after a backslash. Texts are recognised, so that the
//! refusal can say what was wrong with them; their content is skipped.

mod literal;

use crate::error::CalcError;
use crate::limits::MAX_NESTING;
use crate::token::{KEYWORDS, OPERATORS, Token, TokenKind};

/// Splits `expression` into words; the last is [`TokenKind::End`].
pub(crate) fn tokens(expression: &str) -> Result<Vec<Token>, CalcError> {
    let mut lexer =
        Lexer { characters: expression.chars().collect(), next: 0, nesting: 0, line_start: true };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.token()?;
        let at_end = token.kind == TokenKind::End;
        // Lines with nothing but a comment do not count.
        if token.kind != TokenKind::Newline || !tokens.is_empty() {
            tokens.push(token);
        }
        if at_end {
            return Ok(tokens);
        }
    }
}

struct Lexer {
    characters: Vec<char>,
    next: usize,
    nesting: usize,
    /// Nothing but space was read since the line began.
    line_start: bool,
}

impl Lexer {
    fn token(&mut self) -> Result<Token, CalcError> {
        self.skip_space()?;
        let position = self.position();
        let kind = match self.peek() {
            None => TokenKind::End,
            Some('\n' | '\r') => self.newline(),
            Some(first) => {
                self.line_start = false;
                self.word(first)?
            }
        };
        Ok(Token { kind, position })
    }

    fn word(&mut self, first: char) -> Result<TokenKind, CalcError> {
        match first {
            '0'..='9' => self.number(),
            '.' if self.peek_at(1).is_some_and(|c| c.is_ascii_digit()) => self.number(),
            '\'' | '"' => self.text(""),
            _ if starts_name(first) => self.name(),
            _ => self.operator(first),
        }
    }

    fn newline(&mut self) -> TokenKind {
        self.next += 1;
        self.line_start = true;
        TokenKind::Newline
    }

    /// Skips what separates words: space, comments, and line ends that do not
    /// end the expression.
    fn skip_space(&mut self) -> Result<(), CalcError> {
        let start = self.next;
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\x0c') => self.next += 1,
                Some('\n' | '\r') if self.nesting > 0 => self.next += 1,
                Some('#') => self.skip_comment(),
                Some('\\') => self.skip_joined_line()?,
                Some('\n' | '\r') | None => return Ok(()),
                Some(_) if self.line_start && self.next > start => return Err(self.indented()),
                Some(_) => return Ok(()),
            }
        }
    }

    fn skip_comment(&mut self) {
        while self.peek().is_some_and(|c| !matches!(c, '\n' | '\r')) {
            self.next += 1;
        }
    }

    fn skip_joined_line(&mut self) -> Result<(), CalcError> {
        let line_end = match (self.peek_at(1), self.peek_at(2)) {
            (Some('\r'), Some('\n')) => 2,
            (Some('\n' | '\r'), _) => 1,
            _ => return Err(self.error("a backslash can only stand at the end of a line")),
        };
        self.next += 1 + line_end;
        match self.peek() {
            None => Err(self.error("a line is missing after the backslash")),
            Some(_) => Ok(()),
        }
    }

    fn name(&mut self) -> Result<TokenKind, CalcError> {
        let start = self.next;
        while self.peek().is_some_and(continues_name) {
            self.next += 1;
        }
        let name: String = self.characters[start..self.next].iter().collect();
        if matches!(self.peek(), Some('\'' | '"')) && literal::is_text_prefix(&name) {
            return self.text(&name);
        }
        Ok(classify(name))
    }

    fn operator(&mut self, first: char) -> Result<TokenKind, CalcError> {
        let symbol = OPERATORS
            .into_iter()
            .find(|symbol| self.follows(symbol))
            .ok_or_else(|| self.error(foreign_character(first)))?;
        match symbol {
            "(" | "[" | "{" => self.open_bracket()?,
            ")" | "]" | "}" => self.nesting = self.nesting.saturating_sub(1),
            _ => {}
        }
        self.next += symbol.len();
        Ok(TokenKind::Symbol(symbol))
    }

    fn open_bracket(&mut self) -> Result<(), CalcError> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            let position = self.position();
            return Err(CalcError::TooDeep { position });
        }
        Ok(())
    }

    /// The symbol (ASCII) stands next.
    fn follows(&self, symbol: &str) -> bool {
        symbol
            .chars()
            .enumerate()
            .all(|(offset, character)| self.peek_at(offset) == Some(character))
    }

    fn peek(&self) -> Option<char> {
        self.peek_at(0)
    }

    fn peek_at(&self, offset: usize) -> Option<char> {
        self.characters.get(self.next + offset).copied()
    }

    fn position(&self) -> usize {
        self.next + 1
    }

    fn error(&self, problem: impl Into<String>) -> CalcError {
        CalcError::syntax(self.position(), problem)
    }

    fn indented(&self) -> CalcError {
        self.error("the expression must start at the beginning of its line")
    }
}

fn classify(name: String) -> TokenKind {
    match name.as_str() {
        "True" => TokenKind::Constant("`True`"),
        "False" => TokenKind::Constant("`False`"),
        "None" => TokenKind::Constant("`None`"),
        _ => match KEYWORDS.into_iter().find(|keyword| *keyword == name) {
            Some(keyword) => TokenKind::Symbol(keyword),
            None => TokenKind::Name(name),
        },
    }
}

/// Letters of any script, so that the refusal can name the whole word.
fn starts_name(character: char) -> bool {
    character == '_' || character.is_alphabetic()
}

fn continues_name(character: char) -> bool {
    starts_name(character) || character.is_ascii_digit()
}

/// What to say about a character that is in no word, with the spelling that
/// was probably meant.
fn foreign_character(character: char) -> String {
    let meant = match character {
        '×' | '·' | '⋅' | '∙' => "write `*` for a product",
        '÷' | '∕' | '⁄' => "write `/` for a quotient",
        '−' | '–' | '—' => "write the minus sign as `-`",
        '√' => "write `sqrt(x)` for a square root",
        '¹' | '²' | '³' | '⁰'..='⁹' => "write a power as `x ** 2`",
        '!' => "there is no factorial",
        '$' | '€' | '£' | '¥' => "write amounts without the currency",
        _ => "only ASCII digits, operators, parentheses and names are allowed",
    };
    format!("unexpected `{}`: {meant}", character.escape_debug())
}
