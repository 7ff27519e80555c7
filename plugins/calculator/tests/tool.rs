//! The tool around [`evaluate`](toolstile_plugin_calculator::evaluate): what the
//! model and programs get to see.

use toolstile_plugin_calculator::{CalcError, calculator};
use toolstile_sdk::serde_json::{Map, Value, json};
use toolstile_sdk::{Status, Tool, ToolResponse};

fn calculate(expression: &str) -> ToolResponse {
    let arguments = Map::from_iter([("expression".to_owned(), Value::from(expression))]);
    calculator {}.call(arguments)
}

#[test]
fn results_come_as_text_and_as_data() {
    for (expression, text, data) in [
        ("(3 + 4) * 5", "35", json!(35)),
        ("7 / 2", "3.5", json!(3.5)),
        ("1e21", "1e+21", json!(1e21)),
        ("2**53 - 1", "9007199254740991", json!(9_007_199_254_740_991_u64)),
        ("-2**53", "-9007199254740992", json!("-9007199254740992")),
    ] {
        let response = calculate(expression);
        assert_eq!((response.status, response.text.as_str()), (Status::Success, text));
        assert_eq!(response.data, Some(data), "{expression}");
    }
}

#[test]
fn definition_says_what_the_data_is() {
    let definition = calculator {}.definition();
    assert_eq!(definition.name, "calculator");
    assert_eq!(definition.input_schema["required"], json!(["expression"]));
    let traits = definition.traits;
    assert!(traits.read_only && traits.idempotent && traits.supports_parallel);
    assert!(!traits.requires_confirmation && !traits.external_content);
    let forms = &definition.output_schema.expect("there is an output schema")["anyOf"];
    assert_eq!(forms[0]["type"], "number");
    assert_eq!(forms[1]["type"], "string");
}

#[test]
fn description_states_the_limits() {
    use toolstile_plugin_calculator::limits::*;

    let description = calculator {}.definition().description;
    for limit in [MAX_CHARACTERS, MAX_COMPLEXITY, 4300, 1000] {
        assert!(description.contains(&limit.to_string()), "{limit}");
    }
    assert_eq!((MAX_INTEGER_DIGITS, MAX_POWER_DIGITS), (4300, 1000));
}

/// An expression for each error, and what the model reads.
const ERRORS: [(&str, &str, &str); 29] = [
    (" ", "empty", "the expression is empty: give one such as `(3 + 4) * 5`"),
    (
        "2 +",
        "syntax",
        "cannot read the expression at character 4: expected a number, a name or `(`, found the end",
    ),
    (
        "2pi",
        "syntax",
        "cannot read the expression at character 2: a number cannot be followed by `p`: a product needs `*`, as in `2 * pi`",
    ),
    (
        "6 ÷ 2",
        "syntax",
        "cannot read the expression at character 3: unexpected `÷`: write `/` for a quotient",
    ),
    (
        "(1",
        "syntax",
        "cannot read the expression at character 3: expected `,` or `)`, found the end",
    ),
    (
        "007",
        "syntax",
        "cannot read the expression at character 1: an integer cannot start with 0: leave leading zeros out",
    ),
    (
        "x + 1",
        "bad_name",
        "`x` is not a known constant: only `pi` and `e` are, variables do not exist",
    ),
    (
        "tan(1)",
        "bad_function",
        "`tan` is not a known function: there are `sqrt(x)`, `abs(x)`, `round(x[, digits])`, `log(x[, base])`, `sin(x)` and `cos(x)`",
    ),
    (
        "2(3)",
        "bad_function",
        "only a function can be called, by its plain name as in `sqrt(4)`: a product needs `*`, as in `2 * (3)`",
    ),
    (
        "1,000",
        "unsupported_construct",
        "a comma outside of a call is not arithmetic: only numbers, `pi`, `e`, parentheses, function calls and `+ - * / // % **` are allowed; write numbers without thousands separators, as 1000 or 1_000",
    ),
    (
        "1 < 2",
        "unsupported_construct",
        "a comparison is not arithmetic: only numbers, `pi`, `e`, parentheses, function calls and `+ - * / // % **` are allowed",
    ),
    (
        "2^3",
        "bad_operator",
        "`^` is not an arithmetic operator: there are `+ - * / // % **` (a power is `**`, not `^`)",
    ),
    ("~5", "bad_unary", "`~` cannot stand before a number: only `+` and `-` can"),
    (
        "True",
        "bad_constant",
        "`True` is not a real number: only integers and decimal numbers are allowed",
    ),
    (
        "\"a\"",
        "bad_constant",
        "a text is not a real number: only integers and decimal numbers are allowed",
    ),
    (
        "2 + 3j",
        "bad_constant",
        "an imaginary number is not a real number: only integers and decimal numbers are allowed",
    ),
    (
        "round(1.5, digits=1)",
        "keyword_arguments",
        "arguments cannot be given by name: write `round` with plain values in order",
    ),
    ("sqrt(1, 2)", "arity", "`sqrt` takes one number, not 2"),
    (
        "round(1.5, 0.5)",
        "wrong_argument_type",
        "the number of digits of `round` must be an integer, as in `round(3.14159, 2)`",
    ),
    (
        "1 % 0",
        "division_by_zero",
        "division by zero: the right side of `/`, `//` or `%`, a zero under a negative power or the logarithm of the base is zero",
    ),
    ("sqrt(-1)", "domain", "`sqrt` is not defined for this argument: it must not be negative"),
    (
        "log(0)",
        "domain",
        "`log` is not defined for this argument: number and base must be greater than 0",
    ),
    (
        "(-8) ** 0.5",
        "domain",
        "a power of a negative number is not defined for this argument: its exponent must be an integer, as in `(-8) ** 3`",
    ),
    (
        "1e308 * 10",
        "not_finite",
        "the result is not a finite number: floats reach to about 1.8e308, integers without a decimal point reach further",
    ),
    (
        "10**400 * 1.0",
        "overflow",
        "an integer is too large to become a float (above about 1.8e308): stay with integers, `//` instead of `/`",
    ),
    ("10.0 ** 400", "overflow", "the result is too large for a float (above about 1.8e308)"),
    (
        "10**400 / 3",
        "too_large",
        "the quotient is too large for a float (above about 1.8e308): `//` divides exactly",
    ),
    ("10**1000", "too_large", "the power is too large: it may have 1000 digits at most"),
    (
        "10**999*10**999*10**999*10**999*10**999",
        "too_large",
        "an integer is too large: it may have 4300 digits at most",
    ),
];

#[test]
fn errors_say_what_would_be_right() {
    for (expression, kind, text) in ERRORS {
        let response = calculate(expression);
        assert_eq!((response.status, response.data), (Status::Error, None), "{expression}");
        assert_eq!(response.text, text, "{expression}");
        let error: CalcError = toolstile_plugin_calculator::evaluate(expression).expect_err(kind);
        assert_eq!(error.kind(), kind, "{expression}");
    }
}

#[test]
fn limits_are_named_when_they_are_passed() {
    assert_eq!(
        calculate(&"9".repeat(1001)).text,
        "the expression has 1001 characters, at most 1000 are allowed: split it into several calls"
    );
    assert_eq!(
        calculate(&format!("1{}", "+1".repeat(67))).text,
        "the expression has complexity 203, at most 200 is allowed (a number counts 1, a constant \
         or an operator 2, a call 3): split it into several calls"
    );
    assert_eq!(
        calculate(&"(".repeat(201)).text,
        "cannot read the expression at character 201: brackets can be nested 200 deep at most"
    );
}
