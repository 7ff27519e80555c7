//! The signatures, each in a module of its own, as all are called `f`. Where
//! Python has no docstring the description is `D.`; the bodies do not matter.

/// Several modules with one tool `f` each.
macro_rules! signatures {
    ($($module:ident: $(#[$attribute:meta])* fn f($($parameters:tt)*);)*) => {
        $(pub(crate) mod $module {
            #[allow(unused_imports, reason = "not every signature needs them")]
            use super::types::*;

            $(#[$attribute])*
            #[toolstile_sdk::tool]
            #[allow(unused_variables, reason = "only the signature matters")]
            pub(crate) fn f($($parameters)*) -> String {
                String::new()
            }
        })*
    };
}

mod types {
    pub(super) use std::collections::BTreeMap;
    pub(super) use toolstile_sdk::schemars::JsonSchema;
    pub(super) use toolstile_sdk::serde::Deserialize;
    pub(super) use toolstile_sdk::serde_json::{Map, Value};

    #[derive(Deserialize, JsonSchema)]
    #[serde(crate = "toolstile_sdk::serde", rename_all = "lowercase")]
    #[schemars(crate = "toolstile_sdk::schemars")]
    pub(crate) enum Word {
        X,
        Y,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(crate = "toolstile_sdk::serde", untagged)]
    #[schemars(crate = "toolstile_sdk::schemars")]
    #[expect(dead_code, reason = "only its schema is looked at")]
    pub(crate) enum Either {
        Integer(i64),
        Text(String),
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(crate = "toolstile_sdk::serde")]
    #[schemars(crate = "toolstile_sdk::schemars")]
    #[expect(dead_code, reason = "only its schema is looked at")]
    pub(crate) struct Model {
        pub(crate) x: i64,
    }
}

signatures! {
    documented:
    /// Shout a phrase.
    ///
    /// # Arguments
    ///
    /// * `text` - The phrase.
    fn f(text: String);

    scalars:
    /// D.
    fn f(s: String, i: i64, n: f64, b: bool);

    bare:
    /// D.
    fn f(l: Vec<Value>, t: Vec<Value>, d: Map<String, Value>);

    list:
    /// D.
    fn f(l: Vec<String>);

    map:
    /// D.
    fn f(d: BTreeMap<String, i64>);

    tuple:
    /// D.
    fn f(t: (i64, String));

    typing:
    /// D.
    fn f(l: Vec<i64>, d: BTreeMap<String, Value>);

    option:
    /// D.
    fn f(a: Option<String>);

    option_integer:
    /// D.
    fn f(a: Option<i64>);

    default_text:
    /// D.
    fn f(#[arg(default = "")] a: String);

    default_false:
    /// D.
    fn f(#[arg(default = false)] a: bool);

    default_zero:
    /// D.
    fn f(#[arg(default = 0)] a: i64);

    annotated:
    /// Count trees in a park for some seasons.
    fn f(
        /// park name
        park: String,
        #[arg(default = 3)] seasons: i64,
    );

    annotated_and_listed:
    /// Do.
    ///
    /// # Arguments
    ///
    /// * `park` - from docstring
    fn f(
        /// from annotated
        park: String,
    );

    option_described:
    /// D.
    fn f(
        /// maybe
        a: Option<String>,
    );

    words:
    /// D.
    fn f(a: Word);

    union:
    /// D.
    fn f(a: Either);

    any:
    /// D.
    fn f(a: Value);

    two:
    /// D.
    fn f(a: String, #[arg(default = 1)] b: i64);

    none:
    /// Ping.
    fn f();

    paragraphs:
    /// First line
    /// second line.
    ///
    /// Second paragraph.
    fn f(a: String);

    continued:
    /// Desc.
    ///
    /// # Arguments
    ///
    /// * `a` - first line
    ///   continued: here
    /// * `b` - second
    ///
    /// # Returns
    ///
    /// x
    fn f(a: String, #[arg(default = 1)] b: i64);

    parameters_heading:
    /// Desc.
    ///
    /// # Parameters
    ///
    /// * `a` - the a
    fn f(a: String);

    numpy:
    /// Desc.
    ///
    /// Parameters
    /// ----------
    /// a : str
    ///     the a
    fn f(a: String);

    sphinx:
    /// Desc.
    ///
    /// :param a: the a
    fn f(a: String);

    chinese:
    /// 统计树木。
    ///
    /// # Arguments
    ///
    /// * `park` - 公园名（如：北园）
    /// * `seasons` - 季节数
    fn f(park: String, #[arg(default = 1)] seasons: i64);

    nested:
    /// D.
    fn f(m: Model);

    reserved:
    /// D.
    fn f(schema: String, r#type: String, name: String);
}
