//! Exact values to the nearest representable one, ties to even (IEEE 754 §4.3.1).

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::float::FloatCore;
use num_traits::{FromPrimitive, Pow, Signed, ToPrimitive, Zero};

/// Bits of a float's significand.
const SIGNIFICAND: i64 = 53;

/// The weight of the last bit of the smallest floats, as a power of two.
const LEAST_EXPONENT: i64 = -1074;

/// Decimal digits behind the point that change no float any more.
const MAX_FLOAT_DIGITS: i64 = 323;

/// Decimal digits before the point (counted negatively) from which on every
/// float rounds to zero.
const MIN_FLOAT_DIGITS: i64 = -308;

/// `numerator / denominator`, rounded once; nothing when that is beyond the
/// range of floats. `denominator` must not be zero.
pub(crate) fn quotient(numerator: &BigInt, denominator: &BigInt) -> Option<f64> {
    let negative = numerator.is_negative() != denominator.is_negative();
    let magnitude = quotient_of_magnitudes(numerator.magnitude(), denominator.magnitude())?;
    Some(if negative { -magnitude } else { magnitude })
}

fn quotient_of_magnitudes(numerator: &BigUint, denominator: &BigUint) -> Option<f64> {
    // The quotient is taken in units of 2^exponent: as many bits as a float
    // has, and at least two more to decide the rounding.
    let size = numerator.bits() as i64 - denominator.bits() as i64;
    let exponent = (size - SIGNIFICAND - 2).max(LEAST_EXPONENT - 2);
    let (units, rest) = match exponent {
        0.. => numerator.div_rem(&(denominator << exponent)),
        _ => (numerator << -exponent).div_rem(denominator),
    };
    // A rest is less than the last bit, and only matters for what is a tie
    // without it.
    let units = units.to_u64()? | u64::from(!rest.is_zero());
    let excess = (i64::from(u64::BITS - units.leading_zeros()) - SIGNIFICAND).max(2);
    let significand = drop_bits(units, excess);
    Some(scale(significand as f64, exponent + excess)).filter(|float| float.is_finite())
}

/// `value / 2^count`, rounded; `count` is at least 1.
fn drop_bits(value: u64, count: i64) -> u64 {
    let kept = value >> count;
    let dropped = value - (kept << count);
    let half = 1 << (count - 1);
    let up = dropped > half || (dropped == half && kept % 2 == 1);
    kept + u64::from(up)
}

/// `value * 2^exponent`, exact unless it overflows or has more bits than a
/// subnormal float can keep.
pub(crate) fn scale(value: f64, exponent: i64) -> f64 {
    let exponent = exponent.clamp(-2000, 2000);
    let half = exponent / 2;
    value * power_of_two(half) * power_of_two(exponent - half)
}

fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// The integer nearest to a finite `value`.
pub(crate) fn nearest_integer(value: f64) -> Option<BigInt> {
    BigInt::from_f64(value.round_ties_even())
}

/// `value` rounded to `digits` decimal digits behind the point. The work does
/// not grow with `digits`, however large.
pub(crate) fn round_integer(value: &BigInt, digits: &BigInt) -> BigInt {
    if digits.sign() != Sign::Minus {
        return value.clone();
    }
    // A unit with two digits more than the value is more than twice as large.
    let enough = value.bits() / 3 + 2;
    match (-digits).to_u64() {
        Some(zeros) if zeros <= enough => {
            let unit = Pow::pow(BigInt::from(10), zeros);
            nearest_quotient(value, &unit) * unit
        }
        _ => BigInt::zero(),
    }
}

/// `value` rounded to `digits` decimal digits behind the point, from its exact
/// value; nothing when the result is beyond the range of floats.
pub(crate) fn round_float(value: f64, digits: &BigInt) -> Option<f64> {
    let digits = digits.clamp(&BigInt::from(-1000), &BigInt::from(1000)).to_i64()?;
    if digits > MAX_FLOAT_DIGITS || !value.is_finite() {
        return Some(value);
    }
    if digits < MIN_FLOAT_DIGITS {
        return Some(0.0f64.copysign(value));
    }
    let (significand, exponent, _) = FloatCore::integer_decode(value.abs());
    let power_of_ten = Pow::pow(BigInt::from(10), digits.unsigned_abs());
    let mut numerator = BigInt::from(significand) << exponent.max(0);
    let mut denominator = BigInt::from(1) << (-exponent).max(0);
    let rounded = if digits >= 0 {
        numerator *= &power_of_ten;
        quotient(&nearest_quotient(&numerator, &denominator), &power_of_ten)
    } else {
        denominator *= &power_of_ten;
        let units = nearest_quotient(&numerator, &denominator);
        quotient(&(units * power_of_ten), &BigInt::from(1))
    };
    rounded.map(|magnitude| magnitude.copysign(value))
}

/// The integer nearest to `numerator / denominator`; `denominator` is positive.
fn nearest_quotient(numerator: &BigInt, denominator: &BigInt) -> BigInt {
    let (floor, rest) = numerator.div_mod_floor(denominator);
    let twice = rest * 2;
    let up = twice > *denominator || (twice == *denominator && floor.is_odd());
    floor + u32::from(up)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_round_once() {
        let power = |exponent: u32| BigInt::from(1) << exponent;
        // Half of the smallest float is a tie and rounds to even, a bit more does not.
        assert_eq!(quotient(&power(0), &power(1075)), Some(0.0));
        assert_eq!(quotient(&(power(64) + 1), &power(1139)), Some(5e-324));
        assert_eq!(quotient(&power(1024), &power(0)), None);
        assert_eq!(quotient(&(power(1024) - 1), &power(0)), None);
        assert_eq!(quotient(&power(1024), &power(1)), Some(2f64.powi(1023)));
        assert_eq!(quotient(&(power(53) + 1), &power(0)), Some(2f64.powi(53)));
    }

    #[test]
    fn digits_of_any_size_cost_nothing() {
        let far = Pow::pow(BigInt::from(10), 999u32);
        assert_eq!(round_integer(&BigInt::from(12345), &-&far), BigInt::zero());
        assert_eq!(round_integer(&BigInt::from(12345), &far), BigInt::from(12345));
        assert_eq!(round_float(1.5, &far), Some(1.5));
        assert_eq!(round_float(1.5, &-far), Some(0.0));
    }
}
