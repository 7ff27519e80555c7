//! The two kinds of numbers and the way from one to the other.

use std::fmt;

use num_bigint::{BigInt, BigUint};
use num_traits::{Pow, ToPrimitive};

use crate::decimal;
use crate::error::CalcError;
use crate::limits::MAX_INTEGER_DIGITS;

/// Up to here an integer is exact for every reader of JSON (RFC 7493 §2.2).
const MAX_JSON_INTEGER: i64 = (1 << 53) - 1;

/// A real number: an exact integer or a binary64 float (IEEE 754).
#[derive(Debug, Clone, PartialEq)]
pub enum Number {
    /// An integer of at most [`MAX_INTEGER_DIGITS`] digits.
    Integer(BigInt),
    /// A float. Never NaN; infinite only while an expression is evaluated.
    Float(f64),
}

impl Number {
    /// Errors: more than [`MAX_INTEGER_DIGITS`] digits.
    pub(crate) fn integer(value: BigInt) -> Result<Self, CalcError> {
        match has_more_digits(&value, MAX_INTEGER_DIGITS) {
            true => Err(CalcError::IntegerTooLarge),
            false => Ok(Self::Integer(value)),
        }
    }

    /// Errors: NaN.
    pub(crate) fn float(value: f64) -> Result<Self, CalcError> {
        match value.is_nan() {
            true => Err(CalcError::NotFinite),
            false => Ok(Self::Float(value)),
        }
    }

    /// The nearest float, ties to even.
    ///
    /// Errors: the integer is beyond the range of floats.
    pub(crate) fn to_float(&self) -> Result<f64, CalcError> {
        match self {
            Self::Float(value) => Ok(*value),
            Self::Integer(value) => {
                value.to_f64().filter(|float| float.is_finite()).ok_or(CalcError::IntegerToFloat)
            }
        }
    }

    /// The number as JSON: a float as a number, an integer as a number when
    /// every reader of JSON keeps it exactly (up to ±(2^53 - 1)), else as a
    /// string of its decimal digits.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Float(value) => (*value).into(),
            Self::Integer(value) => match value.to_i64() {
                Some(small) if small.abs() <= MAX_JSON_INTEGER => small.into(),
                _ => value.to_string().into(),
            },
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => value.fmt(formatter),
            Self::Float(value) => decimal::write(*value, formatter),
        }
    }
}

/// The decimal digits of `value` are more than `digits`.
pub(crate) fn has_more_digits(value: &BigInt, digits: u32) -> bool {
    // The size in bits decides, but for one or two sizes where the power of ten
    // is needed: 2^3.3219 is a little less than ten.
    let surely_below = u64::from(digits) * 33219 / 10000;
    match value.bits() {
        bits if bits <= surely_below => false,
        bits if bits > surely_below + 2 => true,
        _ => *value.magnitude() >= Pow::pow(BigUint::from(10u32), digits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn power_of_ten(exponent: u32) -> BigInt {
        Pow::pow(BigInt::from(10), exponent)
    }

    #[test]
    fn digits_are_counted_exactly() {
        for digits in [1, 2, 3, 17, 309, 1000, 4300] {
            assert!(has_more_digits(&power_of_ten(digits), digits));
            assert!(!has_more_digits(&(power_of_ten(digits) - 1), digits));
            assert!(has_more_digits(&-power_of_ten(digits), digits));
            assert!(has_more_digits(&(power_of_ten(digits) * 5), digits));
        }
    }

    #[test]
    fn json_integers_are_exact_for_every_reader() {
        let limit = BigInt::from(MAX_JSON_INTEGER);
        let beyond = Number::Integer(&limit + 1);
        assert_eq!(Number::Integer(limit.clone()).to_json(), MAX_JSON_INTEGER);
        assert_eq!(Number::Integer(-limit).to_json(), -MAX_JSON_INTEGER);
        assert_eq!(beyond.to_json(), "9007199254740992");
        assert_eq!(Number::Float(1e300).to_json(), 1e300);
    }
}
