//! The functions that an expression can call.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use crate::elementary;
use crate::error::CalcError;
use crate::number::Number;
use crate::rounding::{nearest_integer, round_float, round_integer, scale};

type Result<T = Number> = std::result::Result<T, CalcError>;

/// A function, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Sqrt,
    Abs,
    Round,
    Log,
    Sin,
    Cos,
}

impl Function {
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        match name {
            "sqrt" => Some(Self::Sqrt),
            "abs" => Some(Self::Abs),
            "round" => Some(Self::Round),
            "log" => Some(Self::Log),
            "sin" => Some(Self::Sin),
            "cos" => Some(Self::Cos),
            _ => None,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sqrt => "sqrt",
            Self::Abs => "abs",
            Self::Round => "round",
            Self::Log => "log",
            Self::Sin => "sin",
            Self::Cos => "cos",
        }
    }

    pub(crate) fn call(self, arguments: &[Number]) -> Result {
        match (self, arguments) {
            (Self::Sqrt, [value]) => sqrt(value),
            (Self::Abs, [value]) => Ok(abs(value)),
            (Self::Round, [value]) => round(value),
            (Self::Round, [value, digits]) => round_to_digits(value, digits),
            (Self::Log, [value]) => Number::float(log(value)?),
            (Self::Log, [value, base]) => log_to_base(value, base),
            (Self::Sin, [angle]) => wave(self, angle, elementary::sine),
            (Self::Cos, [angle]) => wave(self, angle, elementary::cosine),
            _ => Err(self.arity_error(arguments.len())),
        }
    }

    fn arity_error(self, given: usize) -> CalcError {
        CalcError::Arity {
            function: self.name(),
            expected: match self {
                Self::Round => "a number and optionally a number of digits",
                Self::Log => "a number and optionally a base",
                _ => "one number",
            },
            given,
        }
    }
}

fn sqrt(value: &Number) -> Result {
    let value = value.to_float()?;
    match value < 0.0 {
        true => Err(CalcError::Domain { function: "`sqrt`", allowed: "it must not be negative" }),
        false => Number::float(value.sqrt()),
    }
}

fn abs(value: &Number) -> Number {
    match value {
        Number::Integer(value) => Number::Integer(value.abs()),
        Number::Float(value) => Number::Float(value.abs()),
    }
}

fn round(value: &Number) -> Result {
    match value {
        Number::Integer(_) => Ok(value.clone()),
        Number::Float(float) => {
            Number::integer(nearest_integer(*float).ok_or(CalcError::NotFinite)?)
        }
    }
}

fn round_to_digits(value: &Number, digits: &Number) -> Result {
    let Number::Integer(digits) = digits else {
        return Err(CalcError::DigitsNotInteger);
    };
    match value {
        Number::Integer(value) => Number::integer(round_integer(value, digits)),
        Number::Float(value) => {
            Number::float(round_float(*value, digits).ok_or(CalcError::FloatOverflow)?)
        }
    }
}

fn log(value: &Number) -> Result<f64> {
    let positive = match value {
        Number::Integer(value) => value.is_positive(),
        Number::Float(value) => *value > 0.0,
    };
    if !positive {
        return Err(CalcError::Domain {
            function: "`log`",
            allowed: "number and base must be greater than 0",
        });
    }
    match (value.to_float(), value) {
        (Err(_), Number::Integer(value)) => Ok(log_of_large_integer(value)),
        (float, _) => float.map(elementary::logarithm),
    }
}

/// For an integer that no float can hold: from its leading digits and its size.
fn log_of_large_integer(value: &BigInt) -> f64 {
    const LEADING_BITS: u64 = 1000;
    let dropped = value.bits().saturating_sub(LEADING_BITS);
    let leading = (value >> dropped).to_f64().unwrap_or(f64::INFINITY);
    let fraction = scale(leading, -(LEADING_BITS as i64));
    let size = (dropped + LEADING_BITS) as f64;
    elementary::logarithm(fraction) + std::f64::consts::LN_2 * size
}

fn log_to_base(value: &Number, base: &Number) -> Result {
    let (value, base) = (log(value)?, log(base)?);
    match base == 0.0 {
        true => Err(CalcError::DivisionByZero),
        false => Number::float(value / base),
    }
}

fn wave(function: Function, angle: &Number, compute: fn(f64) -> f64) -> Result {
    let angle = angle.to_float()?;
    match angle.is_finite() {
        true => Number::float(compute(angle)),
        false => Err(CalcError::Domain {
            function: match function {
                Function::Sin => "`sin`",
                _ => "`cos`",
            },
            allowed: "it must be finite",
        }),
    }
}
