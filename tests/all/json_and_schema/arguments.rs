//! Texts that are, or are not, accepted as the arguments of a call.

use serde_json::{Value, json};
use toolstile::core::{ArgumentsError, ArgumentsText};
use toolstile::{Arguments, JsonLimits};

fn read(text: &str) -> Result<Value, ArgumentsError> {
    let text = ArgumentsText::from(text);
    Arguments::read(&text, JsonLimits::ARGUMENTS).map(|arguments| arguments.into_object().into())
}

#[test]
fn no_text_is_understood_in_two_ways() {
    for text in [
        // One key twice, at any depth, in any spelling.
        r#"{"a":1,"a":1}"#,
        r#"{"":1,"":2}"#,
        r#"{"a":{"b":[{"c":1,"\u0063":2}]}}"#,
        r#"{"\u0061":1,"a":2}"#,
        r#"{"\ud83d\ude00":1,"😀":2}"#,
        r#"{"a\/b":1,"a/b":2}"#,
        r#"{"é":1,"\u00e9":2}"#,
        // More or less than one value.
        "{} {}",
        "{}x",
        "{}\0",
        "{}//x",
        "/**/{}",
        "\u{feff}{}",
        "{}\u{feff}",
        "{\u{feff}}",
        "\u{a0}",
        "\u{a0}{}",
        "\u{2003}",
        // Surrogates that stand alone.
        r#"{"a":"\ud800"}"#,
        r#"{"a":"\udc00"}"#,
        r#"{"a":"\ud800\u0041"}"#,
        r#"{"a":"\udc00\ud800"}"#,
        r#"{"\ud800":1}"#,
        // What is JSON elsewhere only.
        "{'a':1}",
        "{a:1}",
        r#"{"a":1,}"#,
        r#"{"a":[1,]}"#,
        r#"{,}"#,
        r#"{"a":undefined}"#,
        r#"{"a":True}"#,
        r#"{"a":NaN}"#,
        r#"{"a":-Infinity}"#,
        r#"{"a":"x"#,
        "{\"a\":\"\n\"}",
        "{\"a\":\"\u{1}\"}",
        r#"{"a":"\x41"}"#,
        r#"{"a":"\u12"}"#,
    ] {
        assert!(read(text).is_err(), "{text:?}");
    }
}

#[test]
fn numbers_are_exact_or_refused() {
    for number in [
        "1e400",
        "1E400",
        "-1e400",
        "1e+309",
        "1e999999999999",
        "0.1e1000",
        "01",
        "-01",
        "+1",
        ".5",
        "5.",
        "0x10",
        "1_000",
        "--1",
        "1e",
        "1e+",
        "18446744073709551616",
        "-9223372036854775809",
        "99999999999999999999",
        "-99999999999999999999",
    ] {
        assert!(read(&format!("{{\"n\":{number}}}")).is_err(), "{number}");
    }
    for (number, value) in [
        ("-0", json!(0)),
        ("-0.0", json!(0)),
        ("-0e9", json!(0)),
        ("5.0", json!(5)),
        ("1e2", json!(100)),
        ("1E2", json!(100)),
        ("1e308", json!(1e308)),
        ("-1.5e-7", json!(-1.5e-7)),
        ("9007199254740993", json!(9_007_199_254_740_993_u64)),
        ("18446744073709551615", json!(u64::MAX)),
        ("-9223372036854775808", json!(i64::MIN)),
    ] {
        assert_eq!(read(&format!("{{\"n\":{number}}}")), Ok(json!({ "n": value })), "{number}");
    }
}

#[test]
fn digits_inside_strings_and_keys_are_text() {
    let text = r#"{"99999999999999999999":"99999999999999999999 \" 1e400","a":"\\"}"#;
    let read = read(text).unwrap();
    assert_eq!(read["99999999999999999999"], "99999999999999999999 \" 1e400");
}

#[test]
fn only_an_object_is_accepted() {
    for text in ["null", "[]", "[{}]", "1", "true", "\"{}\"", "\"\""] {
        let refused = read(text).unwrap_err();
        assert!(matches!(refused, ArgumentsError::NotAnObject(_)), "{text}: {refused}");
    }
    for value in [json!(null), json!([]), json!("x")] {
        let value = ArgumentsText::Value(value);
        assert!(Arguments::read(&value, JsonLimits::ARGUMENTS).is_err());
    }
    for text in ["", " ", "\r\n\t ", "{}", " { } "] {
        assert_eq!(read(text), Ok(json!({})), "{text:?}");
    }
}

/// `levels` objects, one inside the other.
fn nested(levels: usize) -> String {
    format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels))
}

#[test]
fn size_is_bounded_in_every_direction() {
    let limits = JsonLimits::ARGUMENTS;
    assert!(read(&nested(limits.depth)).is_ok() && read(&nested(limits.depth + 1)).is_err());
    for levels in [128, 5_000, 100_000] {
        assert!(read(&nested(levels)).is_err());
        assert!(read(&format!("{{\"a\":{}", "[".repeat(levels))).is_err());
    }
    let wide = |items: usize| format!("{{\"a\":[{}]}}", vec!["1"; items].join(","));
    assert!(read(&wide(limits.nodes - 2)).is_ok() && read(&wide(limits.nodes - 1)).is_err());
    let long = |bytes: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(bytes - 8));
    assert!(read(&long(limits.bytes)).is_ok() && read(&long(limits.bytes + 1)).is_err());
}

#[test]
fn values_of_the_embedding_program_meet_the_same_bounds() {
    let read = |value| Arguments::read(&ArgumentsText::Value(value), JsonLimits::ARGUMENTS);
    let deep = (0..40).fold(json!(1), |inner, _| json!({ "a": inner }));
    assert!(read(deep).is_err());
    assert!(read(json!({"a": vec![1; 20_000]})).is_err());
    assert!(read(json!({"a": 1})).is_ok());
}
