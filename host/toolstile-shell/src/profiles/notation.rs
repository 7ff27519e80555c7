//! The short notation of options and operands in policy files.
//!
//! Options are written as a manual writes them: `-n --line-number`, `-f --file=FILE`,
//! `-j N`, `--color[=WHEN]`, with a reason behind a colon. Operands are a row of
//! placeholders: `PATTERN FILE...`, `[FILE]`. A placeholder says what its word is
//! checked for.

use crate::verdict::Verdict;

/// An option with all its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OptionRule {
    /// `-n`, `--line-number`, `-name`.
    pub(crate) names: Vec<String>,
    pub(crate) value: Value,
    pub(crate) standing: Verdict,
    pub(crate) reason: Option<String>,
}

/// Whether an option has a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// It is a flag.
    None,
    /// Attached, or the next word.
    Required(Kind),
    /// Attached or absent.
    Optional(Kind),
}

/// What a value or an operand is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text that the program only looks at.
    Text,
    /// The same, but it may begin with a dash when it is a word of its own.
    Free,
    /// It names a file or a directory.
    Path,
    /// One of these words.
    OneOf(Vec<String>),
    /// Text behind this character.
    Prefixed(char),
    /// The same by its plain name: no address (`file:/x`), no option with a plus sign (`+c`).
    LocalFile,
    /// Text that sets no variable: it holds no `=`.
    Target,
    /// Another repository of git: a name or a URL, but no helper program (`ext::`).
    Remote,
    /// A little program, judged by its own grammar.
    Script(Language),
}

/// The languages of little programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Sed,
    Awk,
    Jq,
    Sql,
}

/// The operands of a program: so many words, each of a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) required: Vec<Operand>,
    pub(crate) optional: Vec<Operand>,
    /// Any number of words behind the others.
    pub(crate) rest: Option<Operand>,
}

/// One place among the operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Operand {
    /// As the policy writes it, for messages.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// A word in this place needs a person: `!NEW-BRANCH`.
    pub(crate) asks: bool,
}

impl Operand {
    fn parse(notation: &str) -> Result<Self, String> {
        let name = notation.trim_start_matches('!');
        let asks = name.len() < notation.len();
        Ok(Self { name: name.to_owned(), kind: Kind::parse(name)?, asks })
    }
}

impl Kind {
    fn parse(placeholder: &str) -> Result<Self, String> {
        if let Some(rest) = placeholder.strip_prefix('+') {
            return if rest.is_empty() { Err(bad(placeholder)) } else { Ok(Self::Prefixed('+')) };
        }
        if placeholder.chars().any(|c| c.is_ascii_lowercase()) {
            return Ok(Self::OneOf(placeholder.split('|').map(str::to_owned).collect()));
        }
        let is_name =
            |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "_-,:|@".contains(c);
        match placeholder {
            "FILE" | "DIR" | "PATH" => Ok(Self::Path),
            "PATTERN" | "RE" | "TEXT" => Ok(Self::Free),
            "LOCAL-FILE" => Ok(Self::LocalFile),
            "TARGET" => Ok(Self::Target),
            "REMOTE" => Ok(Self::Remote),
            "SED" => Ok(Self::Script(Language::Sed)),
            "AWK" => Ok(Self::Script(Language::Awk)),
            "JQ" => Ok(Self::Script(Language::Jq)),
            "SQL" => Ok(Self::Script(Language::Sql)),
            text if !text.is_empty() && text.chars().all(is_name) => Ok(Self::Text),
            _ => Err(bad(placeholder)),
        }
    }
}

fn bad(placeholder: &str) -> String {
    format!("`{placeholder}` is no placeholder; write one such as `FILE`, `TEXT` or `auto|never`")
}

impl OptionRule {
    /// Reads one line of an `options`, `confirm` or `refuse` list.
    pub(crate) fn parse(line: &str, standing: Verdict) -> Result<Self, String> {
        let (notation, reason) = match line.split_once(": ") {
            Some((notation, reason)) => (notation, Some(reason.trim().to_owned())),
            None => (line, None),
        };
        let (mut names, mut value) = (Vec::new(), Value::None);
        for token in notation.split_whitespace() {
            match token.starts_with('-') {
                true => {
                    let (name, attached) = split_value(token)?;
                    names.push(option_name(name)?);
                    value = if attached == Value::None { value } else { attached };
                }
                false => value = Value::Required(Kind::parse(token)?),
            }
        }
        match names.is_empty() {
            true => Err(format!("`{line}` names no option; write one such as `-f --file=FILE`")),
            false => Ok(Self { names, value, standing, reason }),
        }
    }
}

/// `--file=FILE` → the name and the value; `--color[=WHEN]` → an optional one.
fn split_value(token: &str) -> Result<(&str, Value), String> {
    if let Some((name, rest)) = token.split_once('[') {
        let kind = rest.strip_suffix(']').map(|kind| kind.trim_start_matches('='));
        let kind = kind.ok_or_else(|| format!("`{token}` has no `]`"))?;
        return Ok((name, Value::Optional(Kind::parse(kind)?)));
    }
    match token.split_once('=') {
        Some((name, kind)) => Ok((name, Value::Required(Kind::parse(kind)?))),
        None => Ok((token, Value::None)),
    }
}

fn option_name(name: &str) -> Result<String, String> {
    let body = name.trim_start_matches('-');
    match body.is_empty() || name.len() - body.len() > 2 {
        true => Err(format!("`{name}` is no option")),
        false => Ok(name.to_owned()),
    }
}

impl Shape {
    /// Reads the value of an `operands` key.
    pub(crate) fn parse(notation: &str) -> Result<Self, String> {
        let mut shape = Self::default();
        for token in notation.split_whitespace() {
            if shape.rest.is_some() {
                return Err(format!("nothing can stand behind `...` in `{notation}`"));
            }
            let bare: String = token.replace(['[', ']'], "");
            match (bare.strip_suffix("..."), token.starts_with('[')) {
                (Some(name), _) => shape.rest = Some(Operand::parse(name)?),
                (None, true) => shape.optional.push(Operand::parse(&bare)?),
                (None, false) if shape.optional.is_empty() => {
                    shape.required.push(Operand::parse(&bare)?);
                }
                (None, false) => {
                    return Err(format!("`{token}` stands behind an optional operand"));
                }
            }
        }
        Ok(shape)
    }

    /// The operand at this place, when there can be one.
    pub(crate) fn at(&self, index: usize) -> Option<&Operand> {
        self.required.iter().chain(&self.optional).nth(index).or(self.rest.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(line: &str) -> OptionRule {
        OptionRule::parse(line, Verdict::Allow).expect("a good line")
    }

    #[test]
    fn options_are_read_as_manuals_write_them() {
        assert_eq!(rule("-n --line-number").names, ["-n", "--line-number"]);
        assert_eq!(rule("-f --file=FILE").value, Value::Required(Kind::Path));
        assert_eq!(rule("-j N").value, Value::Required(Kind::Text));
        assert_eq!(rule("-U[=N]").value, Value::Optional(Kind::Text));
        assert_eq!(rule("-o --output=FILE: writes").reason.as_deref(), Some("writes"));
        let literals = Kind::OneOf(vec!["auto".to_owned(), "never".to_owned()]);
        assert_eq!(rule("--color=auto|never").value, Value::Required(literals));
    }

    #[test]
    fn operands_are_a_row_of_placeholders() {
        let shape = Shape::parse("PATTERN FILE...").expect("good");
        assert_eq!(shape.at(0).map(|o| o.kind.clone()), Some(Kind::Free));
        assert_eq!(shape.at(7).map(|o| o.kind.clone()), Some(Kind::Path));
        let shape = Shape::parse("[FILE]").expect("good");
        assert_eq!((shape.required.len(), shape.at(1)), (0, None));
    }

    #[test]
    fn bad_notation_says_what_is_wrong() {
        for line in ["", "file", "-", "---x", "-f --file=", "--x[=N"] {
            assert!(OptionRule::parse(line, Verdict::Allow).is_err(), "{line}");
        }
        for shape in ["FILE... X", "[A] B", "(X)"] {
            assert!(Shape::parse(shape).is_err(), "{shape}");
        }
    }
}
