//! Logarithm, power, sine and cosine of floats.
//!
//! Each is computed with about twice the precision of a float and rounded once,
//! so that the result is the nearest float but for cases too rare to meet by
//! chance. The functions of `std` come from the mathematical library of the
//! target, and WebAssembly's differs from common C libraries in the last digit
//! of every tenth power. Here a result is the same wherever it is computed; C
//! libraries still differ from it now and then, since they do not all round
//! correctly.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, SQRT_2};
use std::sync::LazyLock;

use num_bigint::BigInt;
use num_traits::float::FloatCore;
use num_traits::{FromPrimitive, One, ToPrimitive};

use crate::double_double::DoubleDouble;
use crate::rounding::{quotient, scale};

const PRECISE_LN_2: DoubleDouble = DoubleDouble::new(LN_2, 2.3190468138462996e-17);
const PRECISE_HALF_PI: DoubleDouble = DoubleDouble::new(FRAC_PI_2, 6.123233995736766e-17);

/// Whole powers up to here are products: they can lie exactly between two
/// floats, where an approximation may fall to either side. Greater ones cannot,
/// unless the base is a power of two and the result exact.
const MAX_PRODUCT_EXPONENT: f64 = 34.0;

/// Terms after which a series has converged to a [`DoubleDouble`], for the
/// largest argument that is put into it.
const LOGARITHM_TERMS: u32 = 23;
const EXPONENTIAL_TERMS: u32 = 25;
const SINE_TERMS: u32 = 15;

/// The natural logarithm of a positive `value`.
pub(crate) fn logarithm(value: f64) -> f64 {
    match value.is_finite() {
        true => precise_logarithm(value).high,
        false => value,
    }
}

/// `base^exponent` where that is real.
pub(crate) fn power(base: f64, exponent: f64) -> f64 {
    let finite = base.is_finite() && exponent.is_finite();
    if !finite || base == 0.0 || base.abs() == 1.0 || exponent == 0.0 {
        // Every library agrees on these (IEEE 754 §9.2.1).
        return base.powf(exponent);
    }
    let magnitude = if exponent.fract() == 0.0 && exponent.abs() <= MAX_PRODUCT_EXPONENT {
        product_power(base.abs(), exponent as i32)
    } else {
        exponential_power(base.abs(), exponent)
    };
    let negative = base < 0.0 && (exponent % 2.0).abs() == 1.0;
    if negative { -magnitude } else { magnitude }
}

/// The sine of a finite angle in radians.
pub(crate) fn sine(angle: f64) -> f64 {
    let (quadrant, rest) = reduce_angle(angle.abs());
    let sine = wave(quadrant, rest);
    if angle.is_sign_negative() { -sine } else { sine }
}

/// The cosine of a finite angle in radians.
pub(crate) fn cosine(angle: f64) -> f64 {
    let (quadrant, rest) = reduce_angle(angle.abs());
    wave(quadrant + 1, rest)
}

fn precise_logarithm(value: f64) -> DoubleDouble {
    let (fraction, exponent) = split_near_one(value);
    // ln x = 2 artanh((x - 1) / (x + 1))
    let one = DoubleDouble::ONE;
    let tangent = (one * fraction.into() - one) / (one + fraction.into());
    let square = tangent * tangent;
    let series = (0..LOGARITHM_TERMS)
        .rev()
        .fold(DoubleDouble::ZERO, |sum, n| sum * square + one / f64::from(2 * n + 1).into());
    PRECISE_LN_2 * (exponent as f64).into() + tangent.scaled(2.0) * series
}

fn product_power(base: f64, exponent: i32) -> f64 {
    let (fraction, binary_exponent) = split_near_one(base);
    let power = DoubleDouble::from(fraction).power(exponent.unsigned_abs());
    let power = if exponent < 0 { DoubleDouble::ONE / power } else { power };
    round_scaled(power, binary_exponent * i64::from(exponent))
}

fn exponential_power(base: f64, exponent: f64) -> f64 {
    let logarithm = precise_logarithm(base);
    // Beyond these bounds the result is beyond the range of floats.
    match logarithm.high * exponent {
        710.0.. => f64::INFINITY,
        ..-746.0 => 0.0,
        _ => exponential(logarithm * exponent.into()),
    }
}

/// `e^value` for a value of moderate size.
fn exponential(value: DoubleDouble) -> f64 {
    let doublings = (value.high / LN_2).round();
    let rest = value - PRECISE_LN_2 * doublings.into();
    let one = DoubleDouble::ONE;
    let series =
        (1..=EXPONENTIAL_TERMS).rev().fold(one, |sum, n| one + sum * rest / f64::from(n).into());
    round_scaled(series, doublings as i64)
}

/// `value` as a fraction between the square roots of 1/2 and 2, and a power of
/// two.
fn split_near_one(value: f64) -> (f64, i64) {
    let (significand, exponent, _) = FloatCore::integer_decode(value);
    let bits = i64::from(u64::BITS - significand.leading_zeros());
    let fraction = scale(significand as f64, 1 - bits);
    let exponent = i64::from(exponent) + bits - 1;
    match fraction > SQRT_2 {
        true => (fraction / 2.0, exponent + 1),
        false => (fraction, exponent),
    }
}

/// `value * 2^exponent`, rounded once even where floats become subnormal.
fn round_scaled(value: DoubleDouble, exponent: i64) -> f64 {
    let scaled = scale(value.high, exponent);
    if scaled >= 2.0 * f64::MIN_POSITIVE {
        return scaled;
    }
    const UNIT_EXPONENT: i64 = 200;
    let (high, low) = (scale(value.high, UNIT_EXPONENT), scale(value.low, UNIT_EXPONENT));
    let units =
        BigInt::from_f64(high).unwrap_or_default() + BigInt::from_f64(low).unwrap_or_default();
    quotient(&units, &(BigInt::one() << (UNIT_EXPONENT - exponent))).unwrap_or(scaled)
}

/// The sine of an angle that was reduced to `quadrant` and `rest`.
fn wave(quadrant: u32, rest: DoubleDouble) -> f64 {
    let value = match quadrant % 2 {
        0 => sine_series(rest),
        _ => cosine_series(rest),
    };
    if quadrant % 4 < 2 { value.high } else { -value.high }
}

fn sine_series(angle: DoubleDouble) -> DoubleDouble {
    angle * alternating_series(angle, |n| 2 * n * (2 * n + 1))
}

fn cosine_series(angle: DoubleDouble) -> DoubleDouble {
    alternating_series(angle, |n| (2 * n - 1) * 2 * n)
}

/// `1 - x²/d(1) * (1 - x²/d(2) * (1 - …))`
fn alternating_series(x: DoubleDouble, divisor: fn(u32) -> u32) -> DoubleDouble {
    let square = x * x;
    (1..=SINE_TERMS).rev().fold(DoubleDouble::ONE, |sum, n| {
        DoubleDouble::ONE - sum * square / f64::from(divisor(n)).into()
    })
}

/// A non-negative angle as a count of right angles (modulo 4) and a rest of at
/// most half a right angle.
fn reduce_angle(angle: f64) -> (u32, DoubleDouble) {
    if angle <= FRAC_PI_4 {
        return (0, angle.into());
    }
    let (significand, exponent, _) = FloatCore::integer_decode(angle);
    let shift = TWO_OVER_PI_BITS - FRACTION_BITS - i64::from(exponent);
    let right_angles = (&*TWO_OVER_PI * significand) >> shift;
    let whole = ((&right_angles >> (FRACTION_BITS - 1)) + 1u32) >> 1u32;
    let rest = right_angles - (&whole << FRACTION_BITS);
    let high = rest.to_f64().unwrap_or_default();
    let low = rest - BigInt::from_f64(high).unwrap_or_default();
    let rest = DoubleDouble::new(high, low.to_f64().unwrap_or_default());
    let quadrant = (whole % 4u32).to_u32().unwrap_or_default();
    (quadrant, rest.scaled(scale(1.0, -FRACTION_BITS)) * PRECISE_HALF_PI)
}

/// Bits behind the point that are kept of a count of right angles. No float is
/// nearer to a multiple of a right angle than about 2^-62, so that more than
/// the bits of a [`DoubleDouble`] are left of every rest.
const FRACTION_BITS: i64 = 300;

/// Bits of [`TWO_OVER_PI`]: enough for the greatest float times a unit of the
/// fraction.
const TWO_OVER_PI_BITS: i64 = 1280;

/// 2/π in units of 2^-1280.
static TWO_OVER_PI: LazyLock<BigInt> = LazyLock::new(|| {
    const DIGITS: &[u8] = b"a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561\
        b7246e3a424dd2e006492eea09d1921cfe1deb1cb129a73ee88235f52ebb4484\
        e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde05980f\
        ef2f118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b\
        3d0739f78a5292ea6bfb5fb11f8d5d0856033046fc7b6babf0cfbc209af4361d";
    BigInt::parse_bytes(DIGITS, 16).unwrap_or_default()
});

#[cfg(test)]
mod tests {
    use super::*;

    /// Correctly rounded values of a multiple-precision library; the functions
    /// of C libraries miss some of them.
    #[test]
    fn results_are_the_nearest_floats() {
        assert_eq!(sine(653.0), -0.4361105026479622);
        assert_eq!(sine(std::f64::consts::PI), 1.2246467991473532e-16);
        assert_eq!(sine(-2.081715731325432e300), 0.19690014458244068);
        assert_eq!(cosine(448.0), -0.31745728672743173);
        assert_eq!(logarithm(1.1254145541253602), 0.1181514603355515);
        assert_eq!(logarithm(5e-324), -744.4400719213812);
        assert_eq!(power(46.0, -21.0), 1.208051738549588e-35);
        assert_eq!(power(36.02843726249005, -5.5), 2.7444173909759466e-9);
    }

    #[test]
    fn whole_powers_between_two_floats_go_to_the_even_one() {
        for base in [115590253.0f64, 123522275.0, 94906267.0] {
            assert_eq!(power(base, 2.0), base * base);
        }
    }

    #[test]
    fn subnormal_powers_round_once() {
        assert_eq!(power(2.0, -1074.0), 5e-324);
        assert_eq!(power(2.0, -1075.5), 0.0);
        assert_eq!(power(2.0, -1074.5), 5e-324);
        assert_eq!(power(-2.0, -1073.0), -1e-323);
    }

    #[test]
    fn special_powers_are_those_of_the_standard() {
        assert_eq!(power(f64::INFINITY, -1.0), 0.0);
        assert_eq!(power(-1.0, f64::INFINITY), 1.0);
        assert_eq!(power(0.5, f64::INFINITY), 0.0);
        assert_eq!(power(10.0, 309.0), f64::INFINITY);
    }
}
