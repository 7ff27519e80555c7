//! The tree of an expression.

use crate::number::Number;

/// An expression, or something that is none and is refused once it is reached.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expression {
    Number(Number),
    Name(String),
    Unary {
        operator: UnaryOperator,
        operand: Box<Expression>,
    },
    Binary {
        operator: BinaryOperator,
        left: Box<Expression>,
        right: Box<Expression>,
    },
    Call {
        function: Box<Expression>,
        arguments: Vec<Expression>,
    },
    /// A literal that is no real number: what it is.
    Constant(&'static str),
    /// A construct of Python that is not arithmetic.
    Foreign(Construct),
}

/// What stands before its operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnaryOperator {
    Plus,
    Minus,
    /// Refused.
    Invert,
    /// Refused.
    Not,
}

impl UnaryOperator {
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Invert => "~",
            Self::Not => "not",
        }
    }
}

/// What stands between its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Modulo,
    Power,
    /// An operator on bits or matrices: refused.
    Other(&'static str),
}

/// A construct of Python that is not arithmetic, for the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Construct {
    Comparison,
    Logic,
    Conditional,
    Assignment,
    Tuple,
    List,
    Braces,
    Comprehension,
    Unpacking,
    KeywordArgument,
    Attribute,
    Subscript,
    Lambda,
    FormattedText,
}

impl Construct {
    /// What was probably meant: empty, or a clause that starts with a separator.
    pub(crate) fn hint(self) -> &'static str {
        match self {
            Self::Tuple => "; write numbers without thousands separators, as 1000 or 1_000",
            Self::Attribute => "; call functions by their plain name, as `sqrt(4)`",
            _ => "",
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Comparison => "a comparison",
            Self::Logic => "a logical operator",
            Self::Conditional => "a conditional",
            Self::Assignment => "an assignment",
            Self::Tuple => "a comma outside of a call",
            Self::List => "a list",
            Self::Braces => "a set or dictionary",
            Self::Comprehension => "a comprehension",
            Self::Unpacking => "unpacking with `*`",
            Self::KeywordArgument => "an argument given by name",
            Self::Attribute => "an attribute",
            Self::Subscript => "a subscript",
            Self::Lambda => "a lambda",
            Self::FormattedText => "a formatted text",
        }
    }
}
