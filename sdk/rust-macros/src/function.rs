//! A function that is to be a tool, with everything about it checked.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::{Error, FnArg, Item, ItemFn, LitStr, Result, Safety, Signature};

use crate::attribute::{ToolAttribute, checked_name};
use crate::docs::{Docs, DocumentedArgument};
use crate::parameter::{Parameter, is_ours};
use crate::types::check_return;

/// A function fit to be a tool.
pub(crate) struct ToolFunction {
    pub(crate) attribute: ToolAttribute,
    /// The function as the compiler is to see it.
    pub(crate) item: ItemFn,
    pub(crate) name: LitStr,
    pub(crate) description: String,
    pub(crate) parameters: Vec<Parameter>,
}

impl ToolFunction {
    pub(crate) fn parse(attribute: ToolAttribute, item: TokenStream) -> Result<Self> {
        let mut item = function(item)?;
        check_signature(&item.sig)?;
        let docs = Docs::parse(&item.attrs)?;
        if docs.description.is_empty() {
            return Err(Error::new_spanned(&item.sig.ident, WITHOUT_DESCRIPTION));
        }
        let parameters = item.sig.inputs.iter().map(Parameter::parse).collect::<Result<_>>()?;
        strip(&mut item);
        Ok(Self {
            name: tool_name(&attribute, &item.sig)?,
            parameters: described(parameters, docs.arguments)?,
            description: docs.description,
            attribute,
            item,
        })
    }
}

const WITHOUT_DESCRIPTION: &str = "a tool needs a description: write a doc comment that tells \
     the model what it does and when to use it";

/// The item with its parameters fit for the compiler, so that an error of ours
/// is not followed by one about each doc comment on a parameter.
pub(crate) fn without_parameter_attributes(item: TokenStream) -> TokenStream {
    match syn::parse2::<ItemFn>(item.clone()) {
        Ok(mut function) => {
            strip(&mut function);
            quote::quote!(#function)
        }
        Err(_) => item,
    }
}

fn strip(function: &mut ItemFn) {
    for argument in &mut function.sig.inputs {
        if let FnArg::Typed(argument) = argument {
            argument.attrs.retain(|attribute| !is_ours(attribute));
        }
    }
}

fn function(item: TokenStream) -> Result<ItemFn> {
    match syn::parse2(item)? {
        Item::Fn(function) => Ok(function),
        other => Err(Error::new_spanned(
            other,
            "`#[tool]` belongs on a function; for a type, implement `toolstile_sdk::Tool`",
        )),
    }
}

fn check_signature(signature: &Signature) -> Result<()> {
    if let Some(asyncness) = &signature.asyncness {
        return Err(Error::new_spanned(
            asyncness,
            "a tool is not `async`: the host waits for it, and its interfaces block; write `fn`",
        ));
    }
    if let Safety::Unsafe(token) = &signature.safety {
        return Err(Error::new_spanned(token, "a tool is not `unsafe`: the host calls it freely"));
    }
    if !signature.generics.params.is_empty() {
        return Err(Error::new_spanned(
            &signature.generics,
            "a tool has one schema: write concrete types instead of generic parameters",
        ));
    }
    if let Some(variadic) = &signature.variadic {
        let message = "a tool has a fixed list of arguments: take a `Vec<T>`";
        return Err(Error::new_spanned(variadic, message));
    }
    check_return(&signature.output)
}

fn tool_name(attribute: &ToolAttribute, signature: &Signature) -> Result<LitStr> {
    let ident = &signature.ident;
    match &attribute.name {
        Some(name) => Ok(name.clone()),
        None => checked_name(LitStr::new(&ident.unraw().to_string(), ident.span())),
    }
}

/// Gives each parameter without a doc comment its entry under `# Arguments`.
fn described(
    mut parameters: Vec<Parameter>,
    entries: Vec<DocumentedArgument>,
) -> Result<Vec<Parameter>> {
    for entry in entries {
        let parameter = parameters.iter_mut().find(|parameter| parameter.name == entry.name);
        match parameter {
            Some(parameter) if parameter.description.is_empty() => {
                parameter.description = entry.text;
            }
            Some(_) => {}
            None => {
                let message = format!("the function has no parameter `{}`", entry.name);
                return Err(Error::new(entry.span, message));
            }
        }
    }
    Ok(parameters)
}
