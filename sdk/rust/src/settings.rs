//! What the operator wrote for the plugin: settings, and the wording of texts.
//! Always granted, and empty without an entry in the configuration. In native
//! code there is nothing: every setting is `None`, every text its default.

use std::fmt::{self, Display};
use std::str::FromStr;

use crate::bindings::toolstile::plugin::settings;

/// The setting of this name, from `[plugin.NAME.settings]`.
#[must_use]
pub fn get(name: &str) -> Option<String> {
    if cfg!(target_family = "wasm") { settings::get(name) } else { None }
}

/// The setting of this name as a value: a number, say, or a [`NonZero`] one.
///
/// [`NonZero`]: std::num::NonZero
///
/// # Errors
///
/// What is there cannot be read. The mistake is the operator's, so the text says
/// which setting it is.
pub fn parse<T>(name: &'static str) -> Result<Option<T>, InvalidSetting>
where
    T: FromStr<Err: Display>,
{
    get(name).map(|value| read(name, &value)).transpose()
}

fn read<T: FromStr<Err: Display>>(name: &'static str, value: &str) -> Result<T, InvalidSetting> {
    let invalid = |error: T::Err| InvalidSetting { name, reason: error.to_string() };
    value.trim().parse().map_err(invalid)
}

/// A setting that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSetting {
    /// The setting.
    pub name: &'static str,
    /// What is wrong with its value.
    pub reason: String,
}

impl Display for InvalidSetting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, reason } = self;
        write!(formatter, "the operator's setting `{name}` of this plugin is wrong: {reason}")
    }
}

impl std::error::Error for InvalidSetting {}

/// The operator's wording of the text `name`, or else `default`.
#[must_use]
pub fn text(name: &str, default: &str) -> String {
    let wording = if cfg!(target_family = "wasm") { settings::text(name) } else { None };
    wording.unwrap_or_else(|| default.to_owned())
}

/// A text that people or models read, and that the operator may word otherwise,
/// for example in another language. [`texts!`](crate::texts) declares a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// What the operator's wording is looked up by.
    pub name: &'static str,
    /// The wording without one. `{word}` stands for a value.
    pub default: &'static str,
}

impl Text {
    /// The text as it stands.
    #[must_use]
    pub fn plain(&self) -> String {
        text(self.name, self.default)
    }

    /// The text with values in place of their `{word}`. A word without a value
    /// stays as it is written, and so does a brace.
    #[must_use]
    pub fn with(&self, values: &[(&str, &dyn Display)]) -> String {
        fill(&self.plain(), values)
    }
}

/// In one pass, so that a value with braces in it is no placeholder.
fn fill(template: &str, values: &[(&str, &dyn Display)]) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        filled += before;
        rest = match placeholder(after, values) {
            Some((value, after)) => {
                filled += &value.to_string();
                after
            }
            None => {
                filled.push('{');
                after
            }
        };
    }
    filled + rest
}

/// The value that `text` names up to the next `}`, and what follows.
fn placeholder<'a, 'v>(
    text: &'a str,
    values: &[(&str, &'v dyn Display)],
) -> Option<(&'v dyn Display, &'a str)> {
    let (word, after) = text.split_once('}')?;
    let (_, value) = values.iter().find(|(name, _)| *name == word)?;
    Some((*value, after))
}

/// Declares the texts of a plugin: a constant for each, and `ALL` of them, so
/// that none is missing from the list that translators go by.
///
/// ```
/// mod texts {
///     toolstile_sdk::texts! {
///         /// There is no such note.
///         MISSING = "missing": "there is no note `{path}`";
///         /// Nothing was asked for.
///         EMPTY = "empty": "say what to look for";
///     }
/// }
///
/// assert_eq!(texts::MISSING.with(&[("path", &"a.md")]), "there is no note `a.md`");
/// assert_eq!(texts::EMPTY.plain(), "say what to look for");
/// assert_eq!(texts::ALL.len(), 2);
/// ```
#[macro_export]
macro_rules! texts {
    ($($(#[$attribute:meta])* $constant:ident = $name:literal : $default:literal;)+) => {
        $(
            $(#[$attribute])*
            pub const $constant: $crate::settings::Text =
                $crate::settings::Text { name: $name, default: $default };
        )+

        /// All texts of this plugin, in the order of their declaration.
        pub const ALL: &[$crate::settings::Text] = &[$($constant),+];
    };
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    #[test]
    fn values_stand_where_their_words_stood() {
        let values: &[(&str, &dyn Display)] = &[("a", &1), ("b", &"{a}")];
        assert_eq!(fill("{a}, {b} and {a}", values), "1, {a} and 1");
        assert_eq!(fill("no words", values), "no words");
    }

    #[test]
    fn what_names_no_value_stays_as_it_is() {
        let values: &[(&str, &dyn Display)] = &[("a", &1)];
        assert_eq!(fill("{c} {", values), "{c} {");
        assert_eq!(fill("{ {a} } {{a}}", values), "{ 1 } {1}");
    }

    #[test]
    fn a_setting_that_cannot_be_read_is_named() {
        assert_eq!(read::<u8>("n", " 7 "), Ok(7));
        let error = read::<NonZeroUsize>("max_read_chars", "0").expect_err("zero is none");
        assert_eq!(
            error.to_string(),
            "the operator's setting `max_read_chars` of this plugin is wrong: \
             number would be zero for non-zero type"
        );
    }

    #[test]
    fn in_native_code_the_operator_wrote_nothing() {
        assert_eq!(get("n"), None);
        assert_eq!(parse::<u8>("n"), Ok(None));
        assert_eq!(text("n", "default"), "default");
    }
}
