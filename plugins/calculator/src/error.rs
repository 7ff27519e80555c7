//! Why an expression has no result, in words that a model can act on.

use crate::limits::{
    MAX_CHARACTERS, MAX_COMPLEXITY, MAX_INTEGER_DIGITS, MAX_NESTING, MAX_POWER_DIGITS,
};

/// Why an expression has no result.
///
/// The `Display` text is what the model reads: it says what was wrong and what
/// would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CalcError {
    /// Nothing is left after trimming.
    #[error("the expression is empty: give one such as `(3 + 4) * 5`")]
    Empty,

    /// The text is longer than [`MAX_CHARACTERS`] after trimming.
    #[error(
        "the expression has {length} characters, at most {MAX_CHARACTERS} are allowed: \
         split it into several calls"
    )]
    TooLong {
        /// Characters (Unicode scalar values) of the trimmed text.
        length: usize,
    },

    /// The parsed expression is larger than [`MAX_COMPLEXITY`].
    #[error(
        "the expression has complexity {complexity}, at most {MAX_COMPLEXITY} is allowed \
         (a number counts 1, a constant or an operator 2, a call 3): split it into several calls"
    )]
    TooComplex {
        /// What was counted.
        complexity: usize,
    },

    /// The text does not follow the grammar.
    #[error("cannot read the expression at character {position}: {problem}")]
    Syntax {
        /// Where, counted from 1 in the trimmed text.
        position: usize,
        /// What stands there and what could.
        problem: String,
    },

    /// Brackets are nested deeper than [`MAX_NESTING`].
    #[error(
        "cannot read the expression at character {position}: \
         brackets can be nested {MAX_NESTING} deep at most"
    )]
    TooDeep {
        /// Where, counted from 1 in the trimmed text.
        position: usize,
    },

    /// A name that is no constant.
    #[error("`{name}` is not a known constant: only `pi` and `e` are, variables do not exist")]
    UnknownName {
        /// The name as written.
        name: String,
    },

    /// A call of a function that does not exist here.
    #[error(
        "`{name}` is not a known function: there are `sqrt(x)`, `abs(x)`, `round(x[, digits])`, \
         `log(x[, base])`, `sin(x)` and `cos(x)`"
    )]
    UnknownFunction {
        /// The name as written.
        name: String,
    },

    /// A call of something that is not a plain name.
    #[error(
        "only a function can be called, by its plain name as in `sqrt(4)`: \
         a product needs `*`, as in `2 * (3)`"
    )]
    NotAFunction,

    /// Something that is an expression elsewhere, but no arithmetic.
    #[error(
        "{construct} is not arithmetic: only numbers, `pi`, `e`, parentheses, function calls and \
         `+ - * / // % **` are allowed{hint}"
    )]
    UnsupportedConstruct {
        /// What it is, with its article.
        construct: &'static str,
        /// What was probably meant; empty or starting with a separator.
        hint: &'static str,
    },

    /// A prefix operator other than `+` and `-`.
    #[error("`{operator}` cannot stand before a number: only `+` and `-` can")]
    UnaryOperator {
        /// The operator as written.
        operator: &'static str,
    },

    /// An operator between operands that is not arithmetic.
    #[error(
        "`{operator}` is not an arithmetic operator: there are `+ - * / // % **` \
         (a power is `**`, not `^`)"
    )]
    BinaryOperator {
        /// The operator as written.
        operator: &'static str,
    },

    /// A literal that is no real number.
    #[error("{literal} is not a real number: only integers and decimal numbers are allowed")]
    NotANumber {
        /// What it is, with its article or in backticks.
        literal: &'static str,
    },

    /// An argument was given by name.
    #[error("arguments cannot be given by name: write `{function}` with plain values in order")]
    KeywordArguments {
        /// The function called.
        function: &'static str,
    },

    /// The wrong number of arguments.
    #[error("`{function}` takes {expected}, not {given}")]
    Arity {
        /// The function called.
        function: &'static str,
        /// What it takes.
        expected: &'static str,
        /// How many were given.
        given: usize,
    },

    /// A float where only an integer makes sense.
    #[error("the number of digits of `round` must be an integer, as in `round(3.14159, 2)`")]
    DigitsNotInteger,

    /// `/`, `//` or `%` by zero, a negative power of zero, a logarithm to base 1.
    #[error(
        "division by zero: the right side of `/`, `//` or `%`, a zero under a negative power \
         or the logarithm of the base is zero"
    )]
    DivisionByZero,

    /// An argument outside of the function's real domain.
    #[error("{function} is not defined for this argument: {allowed}")]
    Domain {
        /// The function, in words or backticks.
        function: &'static str,
        /// Which arguments it is defined for.
        allowed: &'static str,
    },

    /// The result is infinite or undefined.
    #[error(
        "the result is not a finite number: floats reach to about 1.8e308, \
         integers without a decimal point reach further"
    )]
    NotFinite,

    /// An integer had to become a float and is too large for one.
    #[error(
        "an integer is too large to become a float (above about 1.8e308): \
         stay with integers, `//` instead of `/`"
    )]
    IntegerToFloat,

    /// A float operation left the range of floats.
    #[error("the result is too large for a float (above about 1.8e308)")]
    FloatOverflow,

    /// The quotient of two integers is too large for a float.
    #[error("the quotient is too large for a float (above about 1.8e308): `//` divides exactly")]
    QuotientTooLarge,

    /// An integer power above [`MAX_POWER_DIGITS`].
    #[error("the power is too large: it may have {MAX_POWER_DIGITS} digits at most")]
    PowerTooLarge,

    /// An integer above [`MAX_INTEGER_DIGITS`].
    #[error("an integer is too large: it may have {MAX_INTEGER_DIGITS} digits at most")]
    IntegerTooLarge,
}

impl CalcError {
    /// The kind of failure, a stable name for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLong { .. } => "too_long",
            Self::TooComplex { .. } => "too_complex",
            Self::Syntax { .. } | Self::TooDeep { .. } => "syntax",
            Self::UnknownName { .. } => "bad_name",
            Self::UnknownFunction { .. } | Self::NotAFunction => "bad_function",
            Self::UnsupportedConstruct { .. } => "unsupported_construct",
            Self::UnaryOperator { .. } => "bad_unary",
            Self::BinaryOperator { .. } => "bad_operator",
            Self::NotANumber { .. } => "bad_constant",
            Self::KeywordArguments { .. } => "keyword_arguments",
            Self::Arity { .. } => "arity",
            Self::DigitsNotInteger => "wrong_argument_type",
            Self::DivisionByZero => "division_by_zero",
            Self::Domain { .. } => "domain",
            Self::NotFinite => "not_finite",
            Self::IntegerToFloat | Self::FloatOverflow => "overflow",
            Self::QuotientTooLarge | Self::PowerTooLarge | Self::IntegerTooLarge => "too_large",
        }
    }

    pub(crate) fn syntax(position: usize, problem: impl Into<String>) -> Self {
        Self::Syntax { position, problem: problem.into() }
    }
}
