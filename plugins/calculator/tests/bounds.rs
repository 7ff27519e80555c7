//! The work of every expression is bounded: the worst that fit into the limits
//! end in a result or in the error of a limit.

use toolstile_plugin_calculator::limits::{MAX_CHARACTERS, MAX_INTEGER_DIGITS};
use toolstile_plugin_calculator::{Number, evaluate};

fn kind(expression: &str) -> &'static str {
    match evaluate(expression) {
        Ok(_) => "number",
        Err(error) => error.kind(),
    }
}

fn text(expression: &str) -> String {
    evaluate(expression).map_or_else(|error| error.to_string(), |number| number.to_string())
}

#[test]
fn powers_are_refused_before_they_are_computed() {
    assert_eq!(kind("9**9**9**9"), "too_large");
    assert_eq!(kind("2**(10**999)"), "too_large");
    assert_eq!(kind("(10**999)**(10**999)"), "too_large");
    assert_eq!(kind("(10**999)**-(10**999)"), "overflow");
    assert_eq!(text("(-1)**(10**999 + 1)"), "-1");
    assert_eq!(text("0**(10**999)"), "0");
}

#[test]
fn power_limit_is_exact() {
    assert_eq!(text("10**999").len(), 1000);
    assert_eq!(kind("10**1000"), "too_large");
    assert_eq!(kind("2**3321"), "number");
    assert_eq!(kind("2**3322"), "too_large");
    assert_eq!(kind("(10**999*10)**1"), "too_large");
    assert_eq!(text("(10**999*10)**0"), "1");
}

#[test]
fn digits_of_round_cost_nothing() {
    assert_eq!(text("round(12345, -30000000)"), "0");
    assert_eq!(text("round(10**999, -(10**20))"), "0");
    assert_eq!(text("round(15, 10**999)"), "15");
    assert_eq!(text("round(1.5, 10**999)"), "1.5");
    assert_eq!(text("round(-1.5, -(10**999))"), "-0.0");
}

#[test]
fn intermediate_integers_are_bounded() {
    let product = |factors: usize| vec!["10**999"; factors].join("*");
    assert_eq!(kind(&product(4)), "number");
    assert_eq!(kind(&product(5)), "too_large");
    assert_eq!(kind(&format!("{} // {}", product(5), product(5))), "too_large");
    let largest = format!("10**303*{}", product(4));
    assert_eq!(text(&largest).len(), MAX_INTEGER_DIGITS as usize);
    assert_eq!(kind(&format!("{largest}*10")), "too_large");
    assert_eq!(kind(&format!("-{largest}*10 // 10")), "too_large");
}

#[test]
fn as_many_operations_as_fit_stay_in_bounds() {
    // Long divisions, logarithms and large angles, as many as the complexity allows.
    let quotients = format!("10**999*10**999*10**999{}", "//3".repeat(60));
    assert!(matches!(evaluate(&quotients), Ok(Number::Integer(_))));
    let powers = vec!["1.1**1.1"; 33].join("+");
    assert!(matches!(evaluate(&powers), Ok(Number::Float(_))));
    let nested = format!("{}1e300{}", "sin(".repeat(66), ")".repeat(66));
    assert!(matches!(evaluate(&nested), Ok(Number::Float(_))));
}

#[test]
fn nothing_nests_without_bound() {
    let repeated = |part: &str| part.repeat(MAX_CHARACTERS / part.len());
    for opening in ["(", "[", "{", "abs(", "-(", "x[", "lambda:("] {
        assert_eq!(kind(&repeated(opening)), "syntax", "{opening}");
    }
    for prefix in ["-", "not ", "~", "+-", "2**", "2**-", "lambda:", "1 if 1 else "] {
        let expression = format!("{}1", repeated(prefix).split_off(prefix.len()));
        assert_eq!(kind(&expression), "too_complex", "{prefix}");
    }
}
