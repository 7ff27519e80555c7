//! What bounds the work of one expression.
//!
//! Together they make the cost of a call a constant: at most
//! [`MAX_COMPLEXITY`] nodes are evaluated, and no node handles an integer of
//! more than [`MAX_INTEGER_DIGITS`] digits.

/// Characters (Unicode scalar values) of an expression, after trimming.
pub const MAX_CHARACTERS: usize = 1000;

/// Size of a parsed expression: 1 for the whole, 1 for a number, 2 for a
/// constant, 2 for an operator, 3 for a call; parentheses are free.
pub const MAX_COMPLEXITY: usize = 200;

/// How deep brackets can be nested.
pub const MAX_NESTING: usize = 200;

/// Decimal digits of every integer, results and intermediate values alike.
pub const MAX_INTEGER_DIGITS: u32 = 4300;

/// Decimal digits of an integer power. It bounds the exponent too: no base but
/// 0, 1 and -1 has a power above 3321 within it.
pub const MAX_POWER_DIGITS: u32 = 1000;
