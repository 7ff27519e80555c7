//! Words into a tree, by precedence climbing.
//!
//! The grammar is that of Python expressions. Arithmetic is kept; everything
//! else is recognised ([`foreign`]) and becomes one leaf, so that a well-formed
//! comparison is refused as a comparison and not as a typing error.

mod foreign;

use crate::error::CalcError;
use crate::limits::MAX_COMPLEXITY;
use crate::syntax::{BinaryOperator, Construct, Expression, UnaryOperator};
use crate::token::{Token, TokenKind};

/// Parses a whole expression of at most [`MAX_COMPLEXITY`].
pub(crate) fn parse(tokens: Vec<Token>) -> Result<Expression, CalcError> {
    let mut parser = Parser { tokens, next: 0, complexity: 1 };
    let expression = parser.whole()?;
    match parser.complexity {
        complexity if complexity > MAX_COMPLEXITY => Err(CalcError::TooComplex { complexity }),
        _ => Ok(expression),
    }
}

/// How tightly operators bind, from loosest to tightest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Not,
    Comparison,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Sum,
    Product,
    Prefix,
}

impl Level {
    /// The level of the right operand of a left-associative operator.
    fn next(self) -> Self {
        match self {
            Self::Or => Self::And,
            Self::And => Self::Not,
            Self::Not => Self::Comparison,
            Self::Comparison => Self::BitOr,
            Self::BitOr => Self::BitXor,
            Self::BitXor => Self::BitAnd,
            Self::BitAnd => Self::Shift,
            Self::Shift => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product | Self::Prefix => Self::Prefix,
        }
    }
}

/// What an operator between two operands makes of them.
#[derive(Debug, Clone, Copy)]
enum Infix {
    Arithmetic(BinaryOperator),
    Foreign(Construct),
}

struct Parser {
    /// Ends with [`TokenKind::End`], which is never consumed.
    tokens: Vec<Token>,
    next: usize,
    /// Nodes so far, counted as [`MAX_COMPLEXITY`] says.
    complexity: usize,
}

impl Parser {
    fn whole(&mut self) -> Result<Expression, CalcError> {
        let mut expression = self.expression()?;
        if self.at(",") {
            expression = self.rest_of_bare_tuple()?;
        }
        while *self.peek() == TokenKind::Newline {
            self.next += 1;
        }
        match self.peek() {
            TokenKind::End => Ok(expression),
            _ => Err(self.unexpected("an operator or the end")),
        }
    }

    /// Operators of `lowest` level and tighter ones.
    fn binary(&mut self, lowest: Level) -> Result<Expression, CalcError> {
        let mut left = match self.at("not") && lowest <= Level::Not {
            true => self.negation()?,
            false => self.unary()?,
        };
        while let Some((infix, level, words)) = self.infix().filter(|found| found.1 >= lowest) {
            self.next += words;
            let right = self.binary(level.next())?;
            self.complexity += 2;
            left = match infix {
                Infix::Foreign(construct) => Expression::Foreign(construct),
                Infix::Arithmetic(operator) => binary(operator, left, right),
            };
        }
        Ok(left)
    }

    fn negation(&mut self) -> Result<Expression, CalcError> {
        self.next += 1;
        let operand = self.binary(Level::Not)?;
        self.complexity += 2;
        Ok(unary(UnaryOperator::Not, operand))
    }

    /// The operator that comes next, its level, and of how many words it is.
    fn infix(&self) -> Option<(Infix, Level, usize)> {
        let TokenKind::Symbol(symbol) = *self.peek() else {
            return None;
        };
        let (operator, level) = match symbol {
            "+" => (BinaryOperator::Add, Level::Sum),
            "-" => (BinaryOperator::Subtract, Level::Sum),
            "*" => (BinaryOperator::Multiply, Level::Product),
            "/" => (BinaryOperator::Divide, Level::Product),
            "//" => (BinaryOperator::FloorDivide, Level::Product),
            "%" => (BinaryOperator::Modulo, Level::Product),
            "@" => (BinaryOperator::Other("@"), Level::Product),
            "|" => (BinaryOperator::Other("|"), Level::BitOr),
            "^" => (BinaryOperator::Other("^"), Level::BitXor),
            "&" => (BinaryOperator::Other("&"), Level::BitAnd),
            "<<" => (BinaryOperator::Other("<<"), Level::Shift),
            ">>" => (BinaryOperator::Other(">>"), Level::Shift),
            _ => return self.foreign_infix(symbol),
        };
        Some((Infix::Arithmetic(operator), level, 1))
    }

    /// Signs, applied from the innermost. A loop, since a thousand signs in a
    /// row must not need a thousand stack frames.
    fn unary(&mut self) -> Result<Expression, CalcError> {
        let mut operators = Vec::new();
        while let Some(operator) = self.prefix() {
            self.next += 1;
            operators.push(operator);
        }
        let operand = self.power()?;
        self.complexity += 2 * operators.len();
        Ok(operators.into_iter().rev().fold(operand, |operand, operator| unary(operator, operand)))
    }

    fn prefix(&self) -> Option<UnaryOperator> {
        match self.peek() {
            TokenKind::Symbol("+") => Some(UnaryOperator::Plus),
            TokenKind::Symbol("-") => Some(UnaryOperator::Minus),
            TokenKind::Symbol("~") => Some(UnaryOperator::Invert),
            _ => None,
        }
    }

    /// `**` binds tighter than a sign on its left and looser than one on its
    /// right, and groups from the right.
    fn power(&mut self) -> Result<Expression, CalcError> {
        let base = self.postfix()?;
        if !self.eat("**") {
            return Ok(base);
        }
        let exponent = self.unary()?;
        self.complexity += 2;
        Ok(binary(BinaryOperator::Power, base, exponent))
    }

    fn postfix(&mut self) -> Result<Expression, CalcError> {
        let mut expression = self.atom()?;
        loop {
            expression = if self.eat("(") {
                self.call(expression)?
            } else if self.at("[") || self.at(".") {
                self.member()?
            } else {
                return Ok(expression);
            };
        }
    }

    fn call(&mut self, function: Expression) -> Result<Expression, CalcError> {
        let arguments = self.elements(")", Self::argument)?.items;
        self.complexity += 1;
        Ok(Expression::Call { function: Box::new(function), arguments })
    }

    fn atom(&mut self) -> Result<Expression, CalcError> {
        let (nodes, expression) = match self.peek().clone() {
            TokenKind::Number(number) => (1, Expression::Number(number)),
            TokenKind::Constant(literal) => (1, Expression::Constant(literal)),
            TokenKind::Name(name) => (2, Expression::Name(name)),
            TokenKind::Symbol("...") => (1, Expression::Constant("`...`")),
            TokenKind::Text { .. } => return Ok(self.texts()),
            TokenKind::Symbol("(") => return self.group(),
            TokenKind::Symbol("[") => return self.list(),
            TokenKind::Symbol("{") => return self.braces(),
            _ => return Err(self.unexpected("a number, a name or `(`")),
        };
        self.next += 1;
        self.complexity += nodes;
        Ok(expression)
    }

    fn peek(&self) -> &TokenKind {
        &self.tokens[self.next].kind
    }

    fn at(&self, symbol: &str) -> bool {
        matches!(self.peek(), TokenKind::Symbol(found) if *found == symbol)
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let found = self.at(symbol);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: &str) -> Result<(), CalcError> {
        match self.eat(symbol) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("`{symbol}`"))),
        }
    }

    fn unexpected(&self, expected: &str) -> CalcError {
        let Token { kind, position } = &self.tokens[self.next];
        CalcError::syntax(*position, format!("expected {expected}, found {}", kind.describe()))
    }
}

fn unary(operator: UnaryOperator, operand: Expression) -> Expression {
    Expression::Unary { operator, operand: Box::new(operand) }
}

fn binary(operator: BinaryOperator, left: Expression, right: Expression) -> Expression {
    Expression::Binary { operator, left: Box::new(left), right: Box::new(right) }
}
