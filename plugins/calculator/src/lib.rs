//! A calculator as a toolstile plugin.
//!
//! [`evaluate`] is the whole of it and knows nothing of plugins, so that it runs
//! and is tested anywhere; this file is the tool around it. The way of an
//! expression: words (`lexer`), a tree (`parser`), a [`Number`] (`evaluate`,
//! with `arithmetic` and `functions`), a text (`decimal`).
//!
//! Expressions are a subset of Python's, and results are Python's: exact
//! integers, floats as IEEE 754 says, the same text for both. (`sin`, `cos`,
//! `log` and powers of floats differ in the last digit, about once in a thousand
//! arguments, where the C library under Python does not round correctly.) Left
//! out are complex numbers, booleans, names in compatibility characters, and
//! infinity or NaN as a result.
//!
//! It uses no interface of the host, and its work is bounded by [`limits`].

mod arithmetic;
mod decimal;
mod double_double;
mod elementary;
mod error;
mod evaluate;
mod functions;
mod lexer;
pub mod limits;
mod number;
mod parser;
mod rounding;
mod syntax;
mod token;

use toolstile_sdk::{ToolResponse, export, tool};

pub use error::CalcError;
pub use evaluate::evaluate;
pub use number::Number;

/// Evaluates an arithmetic expression. Integers are exact; `/` and anything
/// with a decimal point gives a float.
///
/// Numbers: `42`, `1_000`, `2.5`, `1e-3`, `0xff`, `0o17`, `0b101`; constants
/// `pi` and `e`. Operators: `+ - *`, `/` (always a float), `//` and `%`
/// (quotient rounded down, and its remainder), `**` (power; `^` is none),
/// parentheses. Functions: `sqrt(x)`, `abs(x)`, `round(x[, digits])` (ties to
/// even), `log(x[, base])` (natural without a base), `sin(x)` and `cos(x)`
/// (radians). A product always needs `*`.
///
/// Limits: 1000 characters, complexity 200 (a number counts 1, an operator 2, a
/// call 3), integers of 4300 digits, integer powers of 1000 digits, real finite
/// results. There are no variables, comparisons or other functions.
#[tool(
    title = "Calculator",
    supports_parallel,
    read_only,
    idempotent,
    // The forms of `Number::to_json`.
    output_schema = r#"{
        "description": "The result: a number, or the decimal digits of an integer beyond ±(2^53 - 1).",
        "anyOf": [{ "type": "number" }, { "type": "string", "pattern": "^-?[0-9]+$" }]
    }"#
)]
pub fn calculator(
    /// The expression, for example `(3 + 4) * 5` or `round(sqrt(2), 3)`.
    expression: String,
) -> Result<ToolResponse, CalcError> {
    let number = evaluate(&expression)?;
    Ok(ToolResponse::success(number.to_string()).with_data(number.to_json()))
}

export!(calculator);
