//! Constructs of Python that are no arithmetic.
//!
//! They are read so that the refusal can call them by their name. They are not
//! checked beyond that: some that Python would not accept pass here, and are
//! refused all the same when they are reached.

use super::{Infix, Level, Parser};
use crate::error::CalcError;
use crate::syntax::{Construct, Expression};
use crate::token::TokenKind;

const KEYWORD_ARGUMENT: Expression = Expression::Foreign(Construct::KeywordArgument);

/// What stood between two brackets.
pub(super) struct Elements {
    pub(super) items: Vec<Expression>,
    /// A comma stood behind the last one.
    trailing_comma: bool,
}

impl Parser {
    /// An expression with the constructs that bind most loosely.
    pub(super) fn expression(&mut self) -> Result<Expression, CalcError> {
        if self.eat("lambda") {
            return self.lambda();
        }
        let value = self.binary(Level::Or)?;
        if !self.eat("if") {
            return Ok(value);
        }
        self.binary(Level::Or)?;
        self.expect("else")?;
        self.expression()?;
        Ok(self.foreign(Construct::Conditional))
    }

    /// Behind a first element: the others of a tuple without parentheses.
    pub(super) fn rest_of_bare_tuple(&mut self) -> Result<Expression, CalcError> {
        while self.eat(",") {
            if !matches!(self.peek(), TokenKind::Newline | TokenKind::End) {
                self.expression()?;
            }
        }
        Ok(self.foreign(Construct::Tuple))
    }

    pub(super) fn foreign_infix(&self, symbol: &str) -> Option<(Infix, Level, usize)> {
        let next = self.tokens.get(self.next + 1).map(|token| &token.kind);
        let (construct, level, words) = match symbol {
            "or" => (Construct::Logic, Level::Or, 1),
            "and" => (Construct::Logic, Level::And, 1),
            "<" | ">" | "==" | "!=" | "<=" | ">=" | "in" => {
                (Construct::Comparison, Level::Comparison, 1)
            }
            "is" if next == Some(&TokenKind::Symbol("not")) => {
                (Construct::Comparison, Level::Comparison, 2)
            }
            "is" => (Construct::Comparison, Level::Comparison, 1),
            "not" if next == Some(&TokenKind::Symbol("in")) => {
                (Construct::Comparison, Level::Comparison, 2)
            }
            _ => return None,
        };
        Some((Infix::Foreign(construct), level, words))
    }

    fn lambda(&mut self) -> Result<Expression, CalcError> {
        while !self.eat(":") {
            if matches!(self.peek(), TokenKind::Name(_)) {
                self.next += 1;
            } else if self.eat("=") {
                self.expression()?;
            } else if !["*", "**", "/", ","].iter().any(|mark| self.eat(mark)) {
                return Err(self.unexpected("a parameter or `:`"));
            }
        }
        self.expression()?;
        Ok(self.foreign(Construct::Lambda))
    }

    /// One text or several side by side, which are joined.
    pub(super) fn texts(&mut self) -> Expression {
        let mut any_formatted = false;
        while let TokenKind::Text { formatted } = *self.peek() {
            any_formatted |= formatted;
            self.next += 1;
        }
        self.complexity += 1;
        match any_formatted {
            true => Expression::Foreign(Construct::FormattedText),
            false => Expression::Constant("a text"),
        }
    }

    /// Parentheses: free around one expression, a tuple around several or none.
    pub(super) fn group(&mut self) -> Result<Expression, CalcError> {
        self.expect("(")?;
        let starred = self.at("*");
        let mut elements = self.elements(")", Self::element)?;
        match elements.items.pop() {
            Some(_) if starred && elements.items.is_empty() && !elements.trailing_comma => {
                Err(self.unexpected("more elements to unpack into"))
            }
            Some(only) if elements.items.is_empty() && !elements.trailing_comma => Ok(only),
            _ => Ok(self.foreign(Construct::Tuple)),
        }
    }

    pub(super) fn list(&mut self) -> Result<Expression, CalcError> {
        self.expect("[")?;
        self.elements("]", Self::element)?;
        Ok(self.foreign(Construct::List))
    }

    pub(super) fn braces(&mut self) -> Result<Expression, CalcError> {
        self.expect("{")?;
        self.elements("}", Self::entry)?;
        Ok(self.foreign(Construct::Braces))
    }

    /// A subscript or attribute behind an expression.
    pub(super) fn member(&mut self) -> Result<Expression, CalcError> {
        if self.eat("[") {
            let subscripts = self.elements("]", Self::subscript)?;
            return match subscripts.items.is_empty() {
                true => Err(self.unexpected("a subscript before it")),
                false => Ok(self.foreign(Construct::Subscript)),
            };
        }
        self.expect(".")?;
        match self.peek() {
            TokenKind::Name(_) => self.next += 1,
            _ => return Err(self.unexpected("a name")),
        }
        Ok(self.foreign(Construct::Attribute))
    }

    /// What stands before `close`, which is consumed: items with commas
    /// between, or one comprehension.
    pub(super) fn elements(
        &mut self,
        close: &str,
        item: fn(&mut Self) -> Result<Expression, CalcError>,
    ) -> Result<Elements, CalcError> {
        let mut items: Vec<Expression> = Vec::new();
        let mut trailing_comma = false;
        while !self.eat(close) {
            if !items.is_empty() && !trailing_comma {
                return Err(self.unexpected(&format!("`,` or `{close}`")));
            }
            let after_keyword = items.last() == Some(&KEYWORD_ARGUMENT);
            items.push(item(self)?);
            if after_keyword && items.last() != Some(&KEYWORD_ARGUMENT) {
                return Err(self.unexpected("only arguments by name behind the first of them"));
            }
            if items.len() == 1 && (self.at("for") || self.at("async")) {
                items = vec![self.comprehension()?];
            }
            trailing_comma = self.eat(",");
        }
        Ok(Elements { items, trailing_comma })
    }

    fn comprehension(&mut self) -> Result<Expression, CalcError> {
        while self.eat("async") || self.at("for") {
            self.expect("for")?;
            self.targets()?;
            self.expect("in")?;
            self.binary(Level::Or)?;
            while self.eat("if") {
                self.binary(Level::Or)?;
            }
        }
        Ok(self.foreign(Construct::Comprehension))
    }

    fn targets(&mut self) -> Result<(), CalcError> {
        self.binary(Level::BitOr)?;
        while self.eat(",") && !self.at("in") {
            self.binary(Level::BitOr)?;
        }
        Ok(())
    }

    /// An element of a tuple, list or set.
    fn element(&mut self) -> Result<Expression, CalcError> {
        if self.eat("*") {
            self.binary(Level::BitOr)?;
            return Ok(self.foreign(Construct::Unpacking));
        }
        if self.name_before(":=") {
            self.next += 2;
            self.expression()?;
            return Ok(self.foreign(Construct::Assignment));
        }
        self.expression()
    }

    /// An element of a set or dictionary.
    fn entry(&mut self) -> Result<Expression, CalcError> {
        if self.eat("**") {
            self.binary(Level::BitOr)?;
            return Ok(self.foreign(Construct::Unpacking));
        }
        let key = self.element()?;
        if self.eat(":") {
            self.expression()?;
        }
        Ok(key)
    }

    fn subscript(&mut self) -> Result<Expression, CalcError> {
        for _ in 0..3 {
            if !self.at(":") && !self.at("]") && !self.at(",") {
                self.element()?;
            }
            if !self.eat(":") {
                break;
            }
        }
        Ok(Expression::Foreign(Construct::Subscript))
    }

    /// An argument of a call.
    pub(super) fn argument(&mut self) -> Result<Expression, CalcError> {
        let by_name = self.name_before("=");
        if !by_name && !self.at("**") {
            return self.element();
        }
        self.next += if by_name { 2 } else { 1 };
        self.expression()?;
        Ok(self.foreign(Construct::KeywordArgument))
    }

    fn name_before(&self, symbol: &str) -> bool {
        let next = self.tokens.get(self.next + 1).map(|token| &token.kind);
        matches!(self.peek(), TokenKind::Name(_))
            && matches!(next, Some(TokenKind::Symbol(found)) if *found == symbol)
    }

    fn foreign(&mut self, construct: Construct) -> Expression {
        self.complexity += 2;
        Expression::Foreign(construct)
    }
}
