//! The options of `#[tool(…)]`.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::parse::{ParseStream, Parser};
use syn::{Error, Ident, LitStr, Result, Token};

/// The flags of `toolstile_sdk::Traits`, by field name.
const TRAITS: [&str; 7] = [
    "requires_confirmation",
    "external_content",
    "supports_parallel",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
];

const TEXTS: [&str; 4] = ["name", "title", "output_schema", "confirm_when"];

/// What an author said in `#[tool(…)]`.
#[derive(Default)]
pub(crate) struct ToolAttribute {
    pub(crate) name: Option<LitStr>,
    pub(crate) title: Option<LitStr>,
    /// JSON text of an object.
    pub(crate) output_schema: Option<LitStr>,
    /// JSON text of an object.
    pub(crate) confirm_when: Option<LitStr>,
    /// Fields of `toolstile_sdk::Traits` that are true.
    traits: Vec<Ident>,
}

impl ToolAttribute {
    pub(crate) fn parse(input: ParseStream) -> Result<Self> {
        let mut attribute = Self::default();
        syn::meta::parser(|meta| attribute.add(&meta)).parse2(input.parse()?)?;
        attribute.imply_confirmation();
        Ok(attribute)
    }

    /// The fields of `toolstile_sdk::Traits` with their values.
    pub(crate) fn traits(&self) -> impl Iterator<Item = TokenStream> {
        TRAITS.iter().map(|name| {
            let field = Ident::new(name, Span::call_site());
            let value = self.traits.contains(&field);
            quote!(#field: #value,)
        })
    }

    fn add(&mut self, meta: &ParseNestedMeta) -> Result<()> {
        let option = meta.path.require_ident()?;
        match option.to_string().as_str() {
            "name" => set(&mut self.name, option, checked_name(meta.value()?.parse()?)?),
            "title" => set(&mut self.title, option, meta.value()?.parse()?),
            "output_schema" => {
                set(&mut self.output_schema, option, schema(meta, "the answer's data")?)
            }
            "confirm_when" => set(&mut self.confirm_when, option, schema(meta, "the arguments")?),
            known if TRAITS.contains(&known) => self.add_trait(option, meta),
            unknown => Err(meta.error(unknown_option(unknown))),
        }
    }

    fn add_trait(&mut self, flag: &Ident, meta: &ParseNestedMeta) -> Result<()> {
        if meta.input.peek(Token![=]) {
            return Err(meta.error(format!("`{flag}` is a flag: it has no value")));
        }
        if self.traits.contains(flag) {
            return Err(given_twice(flag));
        }
        self.traits.push(flag.clone());
        Ok(())
    }

    fn imply_confirmation(&mut self) {
        let flag = Ident::new("requires_confirmation", Span::call_site());
        if self.confirm_when.is_some() && !self.traits.contains(&flag) {
            self.traits.push(flag);
        }
    }
}

/// Checks a tool's name against `^[a-zA-Z0-9_-]{1,64}$`.
pub(crate) fn checked_name(name: LitStr) -> Result<LitStr> {
    let text = name.value();
    let fits = |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
    if (1..=64).contains(&text.len()) && text.chars().all(fits) {
        return Ok(name);
    }
    let message = format!(
        "`{text}` is no tool name: it has to match `^[a-zA-Z0-9_-]{{1,64}}$`; \
         choose another with `#[tool(name = \"…\")]`"
    );
    Err(Error::new(name.span(), message))
}

/// The value of an option that is a JSON Schema of `subject`. `true` and `false`,
/// which are schemas too, say nothing that is worth an option.
fn schema(meta: &ParseNestedMeta, subject: &str) -> Result<LitStr> {
    let option = meta.path.require_ident()?;
    let expected = format!("`{option}` is a JSON Schema of {subject}, written as a JSON object");
    checked_object(meta.value()?.parse()?, &expected)
}

fn checked_object(text: LitStr, expected: &str) -> Result<LitStr> {
    match serde_json::from_str(&text.value()) {
        Ok(serde_json::Value::Object(_)) => Ok(text),
        Ok(_) => Err(Error::new(text.span(), expected)),
        Err(error) => Err(Error::new(text.span(), format!("{expected}: {error}"))),
    }
}

fn set(slot: &mut Option<LitStr>, option: &Ident, value: LitStr) -> Result<()> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(given_twice(option)),
    }
}

fn given_twice(option: &Ident) -> Error {
    Error::new(option.span(), format!("`{option}` is given twice"))
}

fn unknown_option(unknown: &str) -> String {
    let known = TRAITS.iter().chain(&TEXTS);
    let nearest = known.min_by_key(|known| strsim::damerau_levenshtein(unknown, known));
    format!("`#[tool]` has no option `{unknown}`; the nearest is `{}`", nearest.unwrap_or(&""))
}
