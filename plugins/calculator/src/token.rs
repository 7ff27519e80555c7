//! The words of an expression.

use crate::number::Number;

/// A word and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// Characters before it, plus 1.
    pub(crate) position: usize,
}

/// What a word is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TokenKind {
    Number(Number),
    /// A literal that is no real number: what it is, for the message.
    Constant(&'static str),
    /// A string literal, formatted (`f"…"`) or not.
    Text {
        formatted: bool,
    },
    Name(String),
    /// An operator, a bracket or a keyword.
    Symbol(&'static str),
    /// The end of a line outside of brackets.
    Newline,
    End,
}

impl TokenKind {
    /// How a message calls it.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Number(_) => "a number".to_owned(),
            Self::Constant(literal) => (*literal).to_owned(),
            Self::Text { .. } => "a text".to_owned(),
            Self::Name(name) => format!("`{name}`"),
            Self::Symbol(symbol) => format!("`{symbol}`"),
            Self::Newline => "the end of the line".to_owned(),
            Self::End => "the end".to_owned(),
        }
    }
}

/// Operators and brackets, longer ones before those that they start with.
pub(crate) const OPERATORS: [&str; 47] = [
    "**=", "//=", "<<=", ">>=", "...", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "->", ":=",
    "+=", "-=", "*=", "/=", "%=", "@=", "&=", "|=", "^=", "+", "-", "*", "/", "%", "@", "&", "|",
    "^", "~", "<", ">", "(", ")", "[", "]", "{", "}", ",", ":", ".", ";", "=",
];

/// Words that cannot be names, and are not numbers either.
pub(crate) const KEYWORDS: [&str; 32] = [
    "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif",
    "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda",
    "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];
