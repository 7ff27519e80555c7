//! Numbers and texts.

use num_bigint::BigInt;

use super::{Lexer, starts_name};
use crate::error::CalcError;
use crate::number::Number;
use crate::token::TokenKind;

/// A word that turns the text right after it into bytes, raw or formatted text.
pub(super) fn is_text_prefix(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    matches!(word.as_str(), "r" | "u" | "b" | "br" | "rb" | "f" | "fr" | "rf")
}

impl Lexer {
    pub(super) fn number(&mut self) -> Result<TokenKind, CalcError> {
        let radix = match (self.peek(), self.peek_at(1)) {
            (Some('0'), Some('x' | 'X')) => 16,
            (Some('0'), Some('o' | 'O')) => 8,
            (Some('0'), Some('b' | 'B')) => 2,
            _ => return self.decimal(),
        };
        self.next += 2;
        if self.peek() == Some('_') {
            self.next += 1;
        }
        let digits = self.digits(radix)?;
        self.end_of_number()?;
        self.integer(&digits, radix)
    }

    /// A number without prefix: integer, float, or imaginary (to be refused).
    fn decimal(&mut self) -> Result<TokenKind, CalcError> {
        let start = self.position();
        let mut text = self.optional_digits()?;
        let mut float = false;
        if self.take(".") {
            text.push('.');
            text += &self.optional_digits()?;
            float = true;
        }
        if self.exponent_follows() {
            text += &self.exponent()?;
            float = true;
        }
        if self.take("j") || self.take("J") {
            self.end_of_number()?;
            return Ok(TokenKind::Constant("an imaginary number"));
        }
        self.end_of_number()?;
        match float {
            true => self.float(&text),
            false if has_leading_zeros(&text) => Err(CalcError::syntax(
                start,
                "an integer cannot start with 0: leave leading zeros out",
            )),
            false => self.integer(&text, 10),
        }
    }

    /// An `e` begins an exponent only when a digit comes of it; otherwise it is
    /// a letter behind the number, which [`Self::end_of_number`] refuses.
    fn exponent_follows(&self) -> bool {
        let sign = usize::from(matches!(self.peek_at(1), Some('+' | '-')));
        matches!(self.peek(), Some('e' | 'E'))
            && self.peek_at(1 + sign).is_some_and(|c| c.is_ascii_digit())
    }

    fn exponent(&mut self) -> Result<String, CalcError> {
        self.next += 1;
        let mut text = "e".to_owned();
        if self.take("-") {
            text.push('-');
        } else {
            self.take("+");
        }
        text += &self.digits(10)?;
        Ok(text)
    }

    fn optional_digits(&mut self) -> Result<String, CalcError> {
        match self.peek() {
            Some('0'..='9') => self.digits(10),
            _ => Ok(String::new()),
        }
    }

    /// Digits with single underscores between them; at least one.
    fn digits(&mut self, radix: u32) -> Result<String, CalcError> {
        let mut digits = String::new();
        loop {
            match self.peek().filter(|c| c.is_digit(radix)) {
                Some(digit) => digits.push(digit),
                None => return Err(self.error(format!("expected a digit of base {radix}"))),
            }
            self.next += 1;
            match (self.peek(), self.peek_at(1)) {
                (Some('_'), _) => self.next += 1,
                (Some(c), _) if c.is_digit(radix) => {}
                _ => return Ok(digits),
            }
        }
    }

    fn end_of_number(&self) -> Result<(), CalcError> {
        match self.peek() {
            Some(c) if starts_name(c) || c.is_ascii_digit() => Err(self.error(format!(
                "a number cannot be followed by `{c}`: a product needs `*`, as in `2 * pi`"
            ))),
            _ => Ok(()),
        }
    }

    fn integer(&self, digits: &str, radix: u32) -> Result<TokenKind, CalcError> {
        BigInt::parse_bytes(digits.as_bytes(), radix)
            .ok_or_else(|| self.error("this is not an integer"))
            .and_then(Number::integer)
            .map(TokenKind::Number)
    }

    fn float(&self, text: &str) -> Result<TokenKind, CalcError> {
        text.parse()
            .map(|float| TokenKind::Number(Number::Float(float)))
            .map_err(|_| self.error("this is not a number"))
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = self.follows(symbol);
        if found {
            self.next += symbol.len();
        }
        found
    }

    /// A text whose first quote stands next.
    pub(super) fn text(&mut self, prefix: &str) -> Result<TokenKind, CalcError> {
        let formatted = prefix.contains(['f', 'F']);
        let quote = if self.follows("'''") || self.follows("\"\"\"") { 3 } else { 1 };
        let mark: String = self.characters[self.next..][..quote].iter().collect();
        self.next += quote;
        while !self.take(&mark) {
            match self.peek() {
                None => return Err(self.error("a text has no closing quote")),
                Some('\n' | '\r') if quote == 1 => {
                    return Err(self.error("a text has no closing quote"));
                }
                Some('\\') => self.next = (self.next + 2).min(self.characters.len()),
                Some(_) => self.next += 1,
            }
        }
        Ok(TokenKind::Text { formatted })
    }
}

/// Zeros alone are a number, whatever their count.
fn has_leading_zeros(digits: &str) -> bool {
    digits.len() > 1 && digits.starts_with('0') && digits.contains(|digit| digit != '0')
}
