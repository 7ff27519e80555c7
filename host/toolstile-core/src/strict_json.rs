//! JSON read strictly and written canonically.
//!
//! Text that two readers could understand differently is refused: duplicate
//! keys, integers that a double cannot hold, more than one value. A gate that
//! sees one value while the tool sees another is no gate.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// How much JSON is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonLimits {
    /// Bytes of text.
    pub bytes: usize,
    /// Nesting of arrays and objects; the outermost value has depth 1.
    pub depth: usize,
    /// Values in all, containers and leaves.
    pub nodes: usize,
}

impl JsonLimits {
    /// For the arguments of a call: 256 KiB, 32 levels, 16,384 values.
    pub const ARGUMENTS: Self = Self { bytes: 256 * 1024, depth: 32, nodes: 16 * 1024 };
    /// For a schema: 128 KiB, 64 levels (a schema nests about twice as deep as what
    /// it describes), 8,192 values.
    pub const SCHEMA: Self = Self { bytes: 128 * 1024, depth: 64, nodes: 8 * 1024 };
    /// For the data of a response: 1 MiB, 32 levels, 65,536 values.
    pub const DATA: Self = Self { bytes: 1024 * 1024, depth: 32, nodes: 64 * 1024 };

    /// Checks a value that is parsed already.
    ///
    /// # Errors
    /// [`JsonError::TooDeep`] or [`JsonError::TooManyValues`]; bytes are not counted.
    pub fn check(&self, value: &Value) -> Result<(), JsonError> {
        let mut nodes = 0;
        self.count(value, 1, &mut nodes)
    }

    fn count(&self, value: &Value, depth: usize, nodes: &mut usize) -> Result<(), JsonError> {
        *nodes += 1;
        if *nodes > self.nodes {
            return Err(JsonError::TooManyValues { max: self.nodes });
        }
        let mut inner = |v| self.count(v, depth + 1, nodes);
        match value {
            Value::Array(_) | Value::Object(_) if depth > self.depth => {
                Err(JsonError::TooDeep { max: self.depth })
            }
            Value::Array(items) => items.iter().try_for_each(&mut inner),
            Value::Object(members) => members.values().try_for_each(&mut inner),
            _ => Ok(()),
        }
    }
}

/// Why a text is not accepted as JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// More text than allowed.
    #[error("the JSON text has {actual} bytes, at most {max} are accepted")]
    TooLong {
        /// Bytes given.
        actual: usize,
        /// Bytes accepted.
        max: usize,
    },
    /// Nested too deep.
    #[error("the JSON is nested deeper than {max} levels")]
    TooDeep {
        /// Levels accepted.
        max: usize,
    },
    /// Too many values.
    #[error("the JSON has more than {max} values")]
    TooManyValues {
        /// Values accepted.
        max: usize,
    },
    /// Not JSON, or JSON that readers understand differently.
    #[error("{0}")]
    Syntax(String),
}

/// Parses one JSON value, strictly.
///
/// Beyond RFC 8259: an object must not name a member twice (also not by an
/// escaped form), an integer must fit 64 bits. Numbers take their RFC 8785 form:
/// `5.0` and `5e0` are `5`, `-0` is `0`.
///
/// # Errors
/// [`JsonError`]; positions are given as line and column.
pub fn parse_json(text: &str, limits: JsonLimits) -> Result<Value, JsonError> {
    if text.len() > limits.bytes {
        return Err(JsonError::TooLong { actual: text.len(), max: limits.bytes });
    }
    refuse_big_integers(text)?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let mut budget = Budget { limits, nodes: 0, exceeded: None };
    let value = Strict { budget: &mut budget, depth: 1 }.deserialize(&mut deserializer);
    let value = value.and_then(|value| deserializer.end().map(|()| value));
    value.map_err(|error| {
        budget.exceeded.unwrap_or_else(|| JsonError::Syntax(format!("not valid JSON: {error}")))
    })
}

/// The RFC 8785 (JCS) form of a value: one text for one value.
///
/// Integers beyond 2^53 keep all their digits, where RFC 8785 would round them:
/// two definitions that differ in such a number must not look the same.
#[must_use]
pub fn canonical_json(value: &Value) -> String {
    let mut text = String::with_capacity(128);
    write_canonical(value, &mut text);
    text
}

fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            write_separated(items, text, write_canonical);
            text.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            text.push('{');
            write_separated(sorted, text, |(key, value), text| {
                write_canonical_string(key, text);
                text.push(':');
                write_canonical(value, text);
            });
            text.push('}');
        }
        Value::String(string) => write_canonical_string(string, text),
        // RFC 8785 section 3.2.2.3: as ECMAScript prints a double.
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(double) => text.push_str(ryu_js::Buffer::new().format(double)),
            None => text.push_str(&number.to_string()),
        },
        Value::Null | Value::Bool(_) => text.push_str(&value.to_string()),
    }
}

fn write_separated<T>(
    items: impl IntoIterator<Item = T>,
    text: &mut String,
    write: impl Fn(T, &mut String),
) {
    for (position, item) in items.into_iter().enumerate() {
        if position > 0 {
            text.push(',');
        }
        write(item, text);
    }
}

/// `serde_json` escapes as RFC 8785 section 3.2.2.2 demands.
fn write_canonical_string(string: &str, text: &mut String) {
    text.push_str(&Value::from(string).to_string());
}

/// `serde_json` turns an integer beyond 64 bits into the nearest double without a
/// word; such a literal is refused before it gets that far.
fn refuse_big_integers(text: &str) -> Result<(), JsonError> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = end_of_string(bytes, at),
            b'-' | b'0'..=b'9' => {
                let end = at + number_len(&bytes[at..]);
                check_integer(&text[at..end])?;
                at = end;
            }
            _ => at += 1,
        }
    }
    Ok(())
}

/// The index behind the string that opens at `start`.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

fn number_len(bytes: &[u8]) -> usize {
    let part = |b: &u8| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    bytes.iter().take_while(|b| part(b)).count()
}

fn check_integer(literal: &str) -> Result<(), JsonError> {
    let digits = literal.strip_prefix('-').unwrap_or(literal);
    let is_integer = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if !is_integer || literal.parse::<i64>().is_ok() || literal.parse::<u64>().is_ok() {
        return Ok(());
    }
    let shown: String = literal.chars().take(24).collect();
    let dots = if literal.len() > 24 { "…" } else { "" };
    Err(JsonError::Syntax(format!(
        "the integer {shown}{dots} does not fit 64 bits; write it as a string"
    )))
}

struct Budget {
    limits: JsonLimits,
    nodes: usize,
    exceeded: Option<JsonError>,
}

impl Budget {
    fn spend<E: de::Error>(&mut self, depth: usize, container: bool) -> Result<(), E> {
        self.nodes += 1;
        if self.nodes > self.limits.nodes {
            self.exceeded = Some(JsonError::TooManyValues { max: self.limits.nodes });
        } else if container && depth > self.limits.depth {
            self.exceeded = Some(JsonError::TooDeep { max: self.limits.depth });
        } else {
            return Ok(());
        }
        Err(E::custom("limit"))
    }
}

/// Builds a `Value` like serde_json's own visitor, but refuses duplicate keys and
/// counts what it builds.
struct Strict<'a> {
    budget: &'a mut Budget,
    depth: usize,
}

impl Strict<'_> {
    fn inner(&mut self) -> Strict<'_> {
        Strict { budget: self.budget, depth: self.depth + 1 }
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        self.budget.spend(self.depth, false).map(|()| Value::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value, E> {
        self.budget.spend(self.depth, false).map(|()| value.into())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        self.budget.spend(self.depth, false).map(|()| value.into())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        self.budget.spend(self.depth, false).map(|()| value.into())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        self.budget.spend(self.depth, false)?;
        canonical_number(value).ok_or_else(|| E::custom("a number must be finite"))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Value, E> {
        self.budget.spend(self.depth, false).map(|()| value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut access: A) -> Result<Value, A::Error> {
        self.budget.spend(self.depth, true)?;
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(self.inner())? {
            items.push(item);
        }
        Ok(items.into())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut access: A) -> Result<Value, A::Error> {
        self.budget.spend(self.depth, true)?;
        let mut members = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            if members.contains_key(&key) {
                return Err(de::Error::custom(format_args!(
                    "the key {key:?} appears twice in one object"
                )));
            }
            let value = access.next_value_seed(self.inner())?;
            members.insert(key, value);
        }
        Ok(members.into())
    }
}

/// A double as RFC 8785 would print it: whole numbers without a fraction.
fn canonical_number(value: f64) -> Option<Value> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= EXACT {
        // In range and whole: the conversion is exact.
        return Some(Value::from(value as i64));
    }
    Number::from_f64(value).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(text: &str) -> Result<Value, JsonError> {
        parse_json(text, JsonLimits::ARGUMENTS)
    }

    #[test]
    fn whole_doubles_become_integers() {
        assert_eq!(parse("[5.0, 5e0, -0, 0.5, 1e300]").unwrap(), json!([5, 5, 0, 0.5, 1e300]));
    }

    #[test]
    fn digits_inside_strings_are_not_numbers() {
        assert!(
            parse(r#"{"n": "123456789012345678901234567890 \" 99999999999999999999"}"#).is_ok()
        );
    }

    #[test]
    fn what_is_refused_says_why() {
        for (text, part) in [
            (r#"{"a":1,"\u0061":2}"#, "appears twice"),
            (r#"{"n":18446744073709551616}"#, "does not fit 64 bits"),
            (r#"{"a":1} {}"#, "trailing characters"),
            (r#"{"n":NaN}"#, "not valid JSON"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn canonical_form_keeps_large_integers_apart() {
        let a = canonical_json(&json!({"n": 9_007_199_254_740_993_u64}));
        let b = canonical_json(&json!({"n": 9_007_199_254_740_992_u64}));
        assert_ne!(a, b);
    }

    #[test]
    fn canonical_form_follows_rfc_8785() {
        // Keys by UTF-16 code units: U+1F600 (surrogates D83D DE00) before U+FB33.
        let value = json!({"\u{fb33}": 1, "\u{1f600}": 2, "b": 1e21, "a": 1e-7});
        assert_eq!(
            canonical_json(&value),
            "{\"a\":1e-7,\"b\":1e+21,\"\u{1f600}\":2,\"\u{fb33}\":1}"
        );
    }
}
