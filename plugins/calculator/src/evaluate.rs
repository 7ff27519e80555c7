//! From an expression to its number.

use crate::arithmetic;
use crate::error::CalcError;
use crate::functions::Function;
use crate::lexer::tokens;
use crate::limits::MAX_CHARACTERS;
use crate::number::Number;
use crate::parser::parse;
use crate::syntax::{BinaryOperator, Construct, Expression, UnaryOperator};

/// The value of an arithmetic expression, always finite.
///
/// Integers are exact; floats behave as IEEE 754 says. An infinite float may
/// come up on the way (`1 / 1e400` is 0.0), but never as the result.
///
/// # Errors
///
/// One of [`CalcError`], whose text tells the model what to change. The work is
/// bounded by [`crate::limits`] for every input.
///
/// ```
/// use toolstile_plugin_calculator::evaluate;
///
/// assert_eq!(evaluate("(3 + 4) * 5")?.to_string(), "35");
/// assert_eq!(evaluate("1 / 0").unwrap_err().kind(), "division_by_zero");
/// # Ok::<(), toolstile_plugin_calculator::CalcError>(())
/// ```
pub fn evaluate(expression: &str) -> Result<Number, CalcError> {
    let expression = expression.trim();
    let length = expression.chars().count();
    match length {
        0 => return Err(CalcError::Empty),
        _ if length > MAX_CHARACTERS => return Err(CalcError::TooLong { length }),
        _ => {}
    }
    match value_of(&parse(tokens(expression)?)?)? {
        Number::Float(float) if !float.is_finite() => Err(CalcError::NotFinite),
        number => Ok(number),
    }
}

fn value_of(expression: &Expression) -> Result<Number, CalcError> {
    match expression {
        Expression::Number(number) => Ok(number.clone()),
        Expression::Name(name) => constant(name),
        Expression::Unary { operator, operand } => unary(*operator, operand),
        Expression::Binary { operator, left, right } => binary(*operator, left, right),
        Expression::Call { function, arguments } => call(function, arguments),
        Expression::Constant(literal) => Err(CalcError::NotANumber { literal }),
        Expression::Foreign(construct) => Err(CalcError::UnsupportedConstruct {
            construct: construct.name(),
            hint: construct.hint(),
        }),
    }
}

fn constant(name: &str) -> Result<Number, CalcError> {
    match name {
        "pi" => Ok(Number::Float(std::f64::consts::PI)),
        "e" => Ok(Number::Float(std::f64::consts::E)),
        _ => Err(CalcError::UnknownName { name: name.to_owned() }),
    }
}

fn unary(operator: UnaryOperator, operand: &Expression) -> Result<Number, CalcError> {
    match operator {
        UnaryOperator::Plus => value_of(operand),
        UnaryOperator::Minus => value_of(operand).map(arithmetic::negate),
        UnaryOperator::Invert | UnaryOperator::Not => {
            Err(CalcError::UnaryOperator { operator: operator.symbol() })
        }
    }
}

fn binary(
    operator: BinaryOperator,
    left: &Expression,
    right: &Expression,
) -> Result<Number, CalcError> {
    let apply = match operator {
        BinaryOperator::Add => arithmetic::add,
        BinaryOperator::Subtract => arithmetic::subtract,
        BinaryOperator::Multiply => arithmetic::multiply,
        BinaryOperator::Divide => arithmetic::divide,
        BinaryOperator::FloorDivide => arithmetic::floor_divide,
        BinaryOperator::Modulo => arithmetic::modulo,
        BinaryOperator::Power => arithmetic::power,
        BinaryOperator::Other(operator) => return Err(CalcError::BinaryOperator { operator }),
    };
    let (left, right) = (value_of(left)?, value_of(right)?);
    apply(&left, &right)
}

fn call(function: &Expression, arguments: &[Expression]) -> Result<Number, CalcError> {
    let Expression::Name(name) = function else {
        return Err(CalcError::NotAFunction);
    };
    let Some(function) = Function::by_name(name) else {
        return Err(CalcError::UnknownFunction { name: name.clone() });
    };
    if arguments.contains(&Expression::Foreign(Construct::KeywordArgument)) {
        return Err(CalcError::KeywordArguments { function: function.name() });
    }
    let arguments: Vec<Number> = arguments.iter().map(value_of).collect::<Result<_, _>>()?;
    function.call(&arguments)
}
