//! The operators on numbers.
//!
//! Two integers give an exact integer, save for `/` and negative powers; as
//! soon as one side is a float, both are.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Pow, Signed, ToPrimitive, Zero};

use crate::elementary;
use crate::error::CalcError;
use crate::limits::MAX_POWER_DIGITS;
use crate::number::{Number, has_more_digits};
use crate::rounding::quotient;

type Result = std::result::Result<Number, CalcError>;

/// `-value`
pub(crate) fn negate(value: Number) -> Number {
    match value {
        Number::Integer(value) => Number::Integer(-value),
        Number::Float(value) => Number::Float(-value),
    }
}

/// `left + right`
pub(crate) fn add(left: &Number, right: &Number) -> Result {
    combine(left, right, |a, b| a + b, |a, b| a + b)
}

/// `left - right`
pub(crate) fn subtract(left: &Number, right: &Number) -> Result {
    combine(left, right, |a, b| a - b, |a, b| a - b)
}

/// `left * right`
pub(crate) fn multiply(left: &Number, right: &Number) -> Result {
    combine(left, right, |a, b| a * b, |a, b| a * b)
}

/// `left / right`: always a float, the one nearest to the exact quotient.
pub(crate) fn divide(left: &Number, right: &Number) -> Result {
    if let (Number::Integer(left), Number::Integer(right)) = (left, right) {
        require_nonzero(right.is_zero())?;
        let quotient = quotient(left, right).ok_or(CalcError::QuotientTooLarge)?;
        return Number::float(quotient);
    }
    let (left, right) = (left.to_float()?, right.to_float()?);
    require_nonzero(right == 0.0)?;
    Number::float(left / right)
}

/// `left // right`: the quotient, rounded down.
pub(crate) fn floor_divide(left: &Number, right: &Number) -> Result {
    if let (Number::Integer(left), Number::Integer(right)) = (left, right) {
        require_nonzero(right.is_zero())?;
        return Number::integer(left.div_floor(right));
    }
    let (left, right) = (left.to_float()?, right.to_float()?);
    require_nonzero(right == 0.0)?;
    Number::float(floor_quotient(left, right))
}

/// `left % right`: what `//` leaves, with the sign of `right`.
pub(crate) fn modulo(left: &Number, right: &Number) -> Result {
    if let (Number::Integer(left), Number::Integer(right)) = (left, right) {
        require_nonzero(right.is_zero())?;
        return Number::integer(left.mod_floor(right));
    }
    let (left, right) = (left.to_float()?, right.to_float()?);
    require_nonzero(right == 0.0)?;
    Number::float(floor_remainder(left, right))
}

/// `base ** exponent`: exact for integers, unless the exponent is negative.
pub(crate) fn power(base: &Number, exponent: &Number) -> Result {
    match (base, exponent) {
        (Number::Integer(base), Number::Integer(exponent)) if !exponent.is_negative() => {
            Number::integer(integer_power(base, exponent)?)
        }
        _ => Number::float(float_power(base.to_float()?, exponent.to_float()?)?),
    }
}

fn combine(
    left: &Number,
    right: &Number,
    integers: fn(&BigInt, &BigInt) -> BigInt,
    floats: fn(f64, f64) -> f64,
) -> Result {
    match (left, right) {
        (Number::Integer(left), Number::Integer(right)) => Number::integer(integers(left, right)),
        _ => Number::float(floats(left.to_float()?, right.to_float()?)),
    }
}

fn require_nonzero(is_zero: bool) -> std::result::Result<(), CalcError> {
    match is_zero {
        true => Err(CalcError::DivisionByZero),
        false => Ok(()),
    }
}

/// From the exact remainder, since the rounded quotient may have gone past the
/// next integer.
fn floor_quotient(left: f64, right: f64) -> f64 {
    let remainder = left % right;
    let mut quotient = (left - remainder) / right;
    if remainder != 0.0 && (remainder < 0.0) != (right < 0.0) {
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return 0.0f64.copysign(left / right);
    }
    let floor = quotient.floor();
    if quotient - floor > 0.5 { floor + 1.0 } else { floor }
}

fn floor_remainder(left: f64, right: f64) -> f64 {
    let remainder = left % right;
    if remainder == 0.0 {
        0.0f64.copysign(right)
    } else if (remainder < 0.0) != (right < 0.0) {
        remainder + right
    } else {
        remainder
    }
}

/// Refuses what is certainly too large before it computes.
fn integer_power(base: &BigInt, exponent: &BigInt) -> std::result::Result<BigInt, CalcError> {
    if base.magnitude().is_one() || base.is_zero() {
        return Ok(trivial_power(base, exponent));
    }
    // The power has at least 2^((bits - 1) * exponent), and 10^n > 2^(3n).
    let most_bits = 4 * u64::from(MAX_POWER_DIGITS);
    let exponent = exponent.to_u64().unwrap_or(u64::MAX);
    if (base.bits() - 1).saturating_mul(exponent) > most_bits {
        return Err(CalcError::PowerTooLarge);
    }
    let power = Pow::pow(base, exponent);
    match has_more_digits(&power, MAX_POWER_DIGITS) && !exponent.is_zero() {
        true => Err(CalcError::PowerTooLarge),
        false => Ok(power),
    }
}

/// Powers of 0, 1 and -1, which no exponent makes large.
fn trivial_power(base: &BigInt, exponent: &BigInt) -> BigInt {
    if exponent.is_zero() || (base.is_negative() && exponent.is_even()) {
        BigInt::one()
    } else {
        base.clone()
    }
}

fn float_power(base: f64, exponent: f64) -> std::result::Result<f64, CalcError> {
    if base == 0.0 && exponent < 0.0 {
        return Err(CalcError::DivisionByZero);
    }
    let finite = base.is_finite() && exponent.is_finite();
    if finite && base < 0.0 && exponent.fract() != 0.0 {
        return Err(CalcError::Domain {
            function: "a power of a negative number",
            allowed: "its exponent must be an integer, as in `(-8) ** 3`",
        });
    }
    match elementary::power(base, exponent) {
        power if power.is_infinite() && finite => Err(CalcError::FloatOverflow),
        power => Ok(power),
    }
}
