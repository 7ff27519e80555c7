//! One parameter of a tool function.

use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::parse::Parse;
use syn::{Attribute, Error, Expr, FnArg, Ident, LitStr, Pat, PatType, Result, Token, Type};

use crate::{docs, types};

/// A parameter: an argument that the model gives.
pub(crate) struct Parameter {
    /// Its identifier, without `r#`.
    pub(crate) name: String,
    pub(crate) ty: Type,
    /// Empty when nobody wrote one.
    pub(crate) description: String,
    pub(crate) presence: Presence,
    /// One of [`FORMATS`].
    pub(crate) format: Option<LitStr>,
}

/// The formats of a string that the host checks against the plugin's grant
/// before anybody is asked.
const FORMATS: [&str; 3] = ["shell-command", "notes-path", "http-url"];

/// What happens when a call does not give the argument.
pub(crate) enum Presence {
    /// The call is refused.
    Required,
    /// The parameter, an `Option`, is `None`.
    Optional,
    /// The parameter has this value.
    Default(Expr),
}

impl Parameter {
    pub(crate) fn parse(argument: &FnArg) -> Result<Self> {
        let argument = typed(argument)?;
        let ident = plain_name(&argument.pat)?;
        types::check_parameter(&argument.ty)?;
        let options = Options::parse(&argument.attrs)?;
        Ok(Self {
            name: ident.unraw().to_string(),
            ty: argument.ty.as_ref().clone(),
            description: docs::prose(&argument.attrs),
            presence: Presence::new(options.default, &argument.ty)?,
            format: options
                .format
                .map(|format| checked_format(format, &argument.ty))
                .transpose()?,
        })
    }
}

impl Presence {
    fn new(default: Option<Expr>, ty: &Type) -> Result<Self> {
        match (default, types::is_option(ty)) {
            (Some(default), true) => Err(Error::new_spanned(
                default,
                "an `Option` is `None` when absent: take the type inside of it, or no default",
            )),
            (Some(default), false) => Ok(Self::Default(default)),
            (None, true) => Ok(Self::Optional),
            (None, false) => Ok(Self::Required),
        }
    }
}

/// What an author said in `#[arg(…)]`.
#[derive(Default)]
struct Options {
    default: Option<Expr>,
    format: Option<LitStr>,
}

impl Options {
    fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut options = Self::default();
        for attribute in attributes.iter().filter(|attribute| is_arg(attribute)) {
            attribute.parse_nested_meta(|meta| options.add(&meta))?;
        }
        Ok(options)
    }

    fn add(&mut self, meta: &ParseNestedMeta) -> Result<()> {
        if meta.path.is_ident("default") {
            let expected = "a default is a Rust expression: `#[arg(default = …)]`";
            return set(&mut self.default, "default", meta, expected);
        }
        if meta.path.is_ident("format") {
            let expected = "a format is a text: `#[arg(format = \"…\")]`";
            return set(&mut self.format, "format", meta, expected);
        }
        Err(meta.error("`#[arg]` has two options: `default = …` and `format = \"…\"`"))
    }
}

fn set<T: Parse>(
    slot: &mut Option<T>,
    option: &str,
    meta: &ParseNestedMeta,
    expected: &str,
) -> Result<()> {
    if !meta.input.peek(Token![=]) {
        return Err(meta.error(expected));
    }
    match slot.replace(meta.value()?.parse()?) {
        None => Ok(()),
        Some(_) => Err(meta.error(format!("`{option}` is given twice"))),
    }
}

/// A misspelt format would be one that nobody checks.
fn checked_format(format: LitStr, ty: &Type) -> Result<LitStr> {
    if !types::is_text(ty) {
        let message = "a format is for a text: take a `String` or an `Option<String>`";
        return Err(Error::new_spanned(ty, message));
    }
    match FORMATS.contains(&format.value().as_str()) {
        true => Ok(format),
        false => Err(Error::new(
            format.span(),
            format!("the host knows no such format; there are: `{}`", FORMATS.join("`, `")),
        )),
    }
}

/// Whether the attribute is for `#[tool]`, and so not for the function that
/// remains.
pub(crate) fn is_ours(attribute: &Attribute) -> bool {
    is_arg(attribute) || attribute.path().is_ident("doc")
}

fn is_arg(attribute: &Attribute) -> bool {
    attribute.path().is_ident("arg")
}

fn typed(argument: &FnArg) -> Result<&PatType> {
    match argument {
        FnArg::Typed(argument) => Ok(argument),
        FnArg::Receiver(receiver) => Err(Error::new_spanned(
            receiver,
            "a tool has no `self`: write a free function, or implement `toolstile_sdk::Tool` for the type",
        )),
    }
}

fn plain_name(pattern: &Pat) -> Result<Ident> {
    match pattern {
        Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
            Ok(name.ident.clone())
        }
        _ => Err(Error::new_spanned(
            pattern,
            "an argument needs a name: write `name: Type` and take it apart in the body",
        )),
    }
}
