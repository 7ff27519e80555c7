//! Numbers of about 106 bits: unevaluated sums of two floats.
//!
//! The algorithms are those of T. J. Dekker, "A floating-point technique for
//! extending the available precision" (1971). They use nothing but IEEE 754
//! additions, multiplications and divisions, so that results are the same on
//! every machine.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// `high + low`, where `high` is the float nearest to the sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DoubleDouble {
    pub(crate) high: f64,
    pub(crate) low: f64,
}

impl DoubleDouble {
    pub(crate) const ZERO: Self = Self::new(0.0, 0.0);
    pub(crate) const ONE: Self = Self::new(1.0, 0.0);

    pub(crate) const fn new(high: f64, low: f64) -> Self {
        Self { high, low }
    }

    /// Exact for a power of two as `factor`, away from the ends of the range.
    pub(crate) fn scaled(self, factor: f64) -> Self {
        Self::new(self.high * factor, self.low * factor)
    }

    /// `self^exponent`, by squaring.
    pub(crate) fn power(self, exponent: u32) -> Self {
        (0..u32::BITS - exponent.leading_zeros()).rev().fold(Self::ONE, |power, bit| {
            let square = power * power;
            if exponent >> bit & 1 == 1 { square * self } else { square }
        })
    }

    /// Brings a sum whose first term is the larger one into shape.
    fn normalized(high: f64, low: f64) -> Self {
        let sum = high + low;
        Self::new(sum, low - (sum - high))
    }
}

impl From<f64> for DoubleDouble {
    fn from(value: f64) -> Self {
        Self::new(value, 0.0)
    }
}

impl Neg for DoubleDouble {
    type Output = Self;

    fn neg(self) -> Self {
        Self::new(-self.high, -self.low)
    }
}

impl Add for DoubleDouble {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (high, high_error) = exact_sum(self.high, other.high);
        let (low, low_error) = exact_sum(self.low, other.low);
        let sum = Self::normalized(high, high_error + low);
        Self::normalized(sum.high, sum.low + low_error)
    }
}

impl Sub for DoubleDouble {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let (high, error) = exact_product(self.high, other.high);
        let cross = self.high * other.low + self.low * other.high;
        Self::normalized(high, error + cross)
    }
}

impl Div for DoubleDouble {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * first.into();
        let second = rest.high / other.high;
        let rest = rest - other * second.into();
        Self::normalized(first, second) + (rest.high / other.high).into()
    }
}

/// The sum and what rounding took from it.
fn exact_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// The product and what rounding took from it.
fn exact_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let (a_high, a_low) = split(a);
    let (b_high, b_low) = split(b);
    let error = a_low * b_low - (product - a_high * b_high - a_low * b_high - a_high * b_low);
    (product, error)
}

/// Two halves of 26 bits each, whose products are exact.
fn split(value: f64) -> (f64, f64) {
    const SPLITTER: f64 = (1u32 << 27) as f64 + 1.0;
    let scaled = SPLITTER * value;
    let high = scaled - (scaled - value);
    (high, value - high)
}
