//! One parameter of a tool function.

use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Error, Expr, FnArg, Ident, Pat, PatType, Result, Type};

use crate::{docs, types};

/// A parameter: an argument that the model gives.
pub(crate) struct Parameter {
    /// Its identifier, without `r#`.
    pub(crate) name: String,
    pub(crate) ty: Type,
    /// Empty when nobody wrote one.
    pub(crate) description: String,
    pub(crate) presence: Presence,
}

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
        Ok(Self {
            name: ident.unraw().to_string(),
            ty: argument.ty.as_ref().clone(),
            description: docs::prose(&argument.attrs),
            presence: Presence::parse(argument)?,
        })
    }
}

impl Presence {
    fn parse(argument: &PatType) -> Result<Self> {
        let mut default = None;
        for attribute in argument.attrs.iter().filter(|attribute| is_arg(attribute)) {
            attribute.parse_nested_meta(|meta| read_default(&meta, &mut default))?;
        }
        match (default, types::is_option(&argument.ty)) {
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

/// Whether the attribute is for `#[tool]`, and so not for the function that
/// remains.
pub(crate) fn is_ours(attribute: &Attribute) -> bool {
    is_arg(attribute) || attribute.path().is_ident("doc")
}

fn is_arg(attribute: &Attribute) -> bool {
    attribute.path().is_ident("arg")
}

fn read_default(meta: &ParseNestedMeta, default: &mut Option<Expr>) -> Result<()> {
    if !meta.path.is_ident("default") {
        return Err(meta.error("`#[arg]` has one option: `default = …`"));
    }
    if !meta.input.peek(syn::Token![=]) {
        return Err(meta.error("a default is a Rust expression: `#[arg(default = …)]`"));
    }
    match default.replace(meta.value()?.parse()?) {
        None => Ok(()),
        Some(_) => Err(meta.error("`default` is given twice")),
    }
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
