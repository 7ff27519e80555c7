//! Floats as decimal text, in the notation of Python's `repr`.

use std::fmt;

/// Decimal exponents from which to which a float is written without exponent.
const PLAIN_EXPONENTS: std::ops::Range<i32> = -4..16;

/// Writes the shortest digits that read back as the same float: with an
/// exponent of two digits or more below 1e-4 and from 1e16 on, else with a
/// decimal point and at least one digit behind it.
pub(crate) fn write(value: f64, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    let text = shortest(value.abs());
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return formatter.write_str(&text);
    };
    if value.is_sign_negative() {
        formatter.write_str("-")?;
    }
    let exponent: i32 = exponent.parse().map_err(|_| fmt::Error)?;
    if PLAIN_EXPONENTS.contains(&exponent) {
        return write_plain(&mantissa.replace('.', ""), exponent, formatter);
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    write!(formatter, "{mantissa}e{sign}{:02}", exponent.abs())
}

/// The shortest digits, in the form `1.25e-7`. Where two texts of that length
/// are equally near, the even one: `std` does so only when it is told the
/// number of digits.
fn shortest(value: f64) -> String {
    let any = format!("{value:e}");
    let mantissa = any.split('e').next().unwrap_or_default();
    let decimals = mantissa.len().saturating_sub(2);
    let nearest = format!("{value:.decimals$e}");
    match nearest.parse() == Ok(value) {
        true => nearest,
        false => any,
    }
}

/// Writes `d.ddd * 10^exponent`, whose digits are `digits`, without exponent.
fn write_plain(digits: &str, exponent: i32, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    let Ok(exponent) = usize::try_from(exponent) else {
        let zeros = exponent.unsigned_abs() as usize - 1;
        return write!(formatter, "0.{}{digits}", "0".repeat(zeros));
    };
    match digits.split_at_checked(exponent + 1) {
        Some((whole, fraction)) if !fraction.is_empty() => {
            write!(formatter, "{whole}.{fraction}")
        }
        _ => write!(formatter, "{digits:0<0$}.0", exponent + 1),
    }
}

#[cfg(test)]
mod tests {
    use crate::number::Number;

    /// The nearest texts of the same length are equally near: the even one wins.
    #[test]
    fn ties_between_texts_go_to_the_even_one() {
        assert_eq!(Number::Float(2160841883483628.0 + 0.25).to_string(), "2160841883483628.2");
        assert_eq!(Number::Float(2160841883483628.0 + 0.75).to_string(), "2160841883483628.8");
        assert_eq!(Number::Float(-2f64.powi(-25)).to_string(), "-2.9802322387695312e-08");
    }

    /// Below a power of two floats are denser: the nearest text of the shortest
    /// length may belong to a neighbour.
    #[test]
    fn every_power_of_two_reads_back() {
        for exponent in -1074..1024 {
            let value = crate::rounding::scale(1.0, exponent);
            assert_eq!(Number::Float(value).to_string().parse(), Ok(value));
        }
    }
}
