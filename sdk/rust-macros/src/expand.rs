//! The code that `#[tool]` adds to a function.
//!
//! Everything is named by its full path, so that nothing in the author's module
//! changes its meaning.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Ident, Lit, LitStr, ReturnType};

use crate::function::ToolFunction;
use crate::parameter::{Parameter, Presence};
use crate::types::is_string;

/// The function, and beside it the type that stands for the tool: a struct with
/// braces, since only such a one leaves the function's name to the function.
pub(crate) fn expand(function: &ToolFunction) -> TokenStream {
    let ToolFunction { item, name, .. } = function;
    let (ident, visibility) = (&item.sig.ident, &item.vis);
    let summary = format!("The tool `{}`.", name.value());
    let definition = definition(function);
    let call = call(function);
    quote! {
        #item

        #[doc = #summary]
        #[allow(non_camel_case_types, reason = "a tool has the name of its function")]
        #[derive(Clone, Copy, Debug, Default)]
        #visibility struct #ident {}

        impl ::toolstile_sdk::Tool for #ident {
            fn name(&self) -> &str {
                #name
            }

            fn definition(&self) -> ::toolstile_sdk::ToolDefinition {
                #definition
            }

            fn call(
                &self,
                arguments: ::toolstile_sdk::serde_json::Map<
                    ::std::string::String,
                    ::toolstile_sdk::serde_json::Value,
                >,
            ) -> ::toolstile_sdk::ToolResponse {
                #call
            }
        }
    }
}

fn definition(function: &ToolFunction) -> TokenStream {
    let ToolFunction { attribute, name, description, parameters, .. } = function;
    let title = option(attribute.title.as_ref().map(|title| quote!(#title.into())));
    let output_schema = option(attribute.output_schema.as_ref().map(parsed));
    let confirm_when = option(attribute.confirm_when.as_ref().map(parsed));
    let traits = attribute.traits();
    let properties = parameters.iter().map(property);
    quote! {
        ::toolstile_sdk::ToolDefinition {
            title: #title,
            output_schema: #output_schema,
            traits: ::toolstile_sdk::Traits {
                #(#traits)*
            },
            confirm_when: #confirm_when,
            ..::toolstile_sdk::ToolDefinition::new(
                #name,
                #description,
                ::toolstile_sdk::__private::InputSchema::new() #(#properties)* .finish(),
            )
        }
    }
}

fn option(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

fn parsed(json: &LitStr) -> TokenStream {
    quote! {
        ::toolstile_sdk::serde_json::from_str(#json).expect("`#[tool]` has parsed it before")
    }
}

/// The calls of the schema's builder for one parameter.
fn property(parameter: &Parameter) -> TokenStream {
    let Parameter { name, ty, description, .. } = parameter;
    let format = parameter.format.as_ref().map(|format| quote!(.with_format(#name, #format)));
    let added = match &parameter.presence {
        Presence::Required => quote!(.required::<#ty>(#name, #description)),
        Presence::Optional => quote!(.optional::<#ty>(#name, #description)),
        Presence::Default(default) => {
            let default = value(default, parameter);
            quote!(.with_default::<#ty>(#name, #description, #default))
        }
    };
    quote!(#added #format)
}

fn call(function: &ToolFunction) -> TokenStream {
    let signature = &function.item.sig;
    let ident = &signature.ident;
    let arguments = Ident::new("arguments", Span::mixed_site());
    let reads = function.parameters.iter().map(|parameter| read(&arguments, parameter));
    let binding = match function.parameters.is_empty() {
        true => quote!(_),
        false => quote!(#arguments),
    };
    // An error about the answer's type points at it.
    let respond = quote_spanned! {return_span(&signature.output)=>
        ::toolstile_sdk::__private::Answer(#ident(#(#reads),*)).respond()
    };
    quote! {
        #[allow(unused_imports, reason = "a `Result` has the method by itself")]
        use ::toolstile_sdk::__private::Respond as _;
        ::toolstile_sdk::__private::Arguments::run(arguments, |#binding| {
            ::core::result::Result::Ok(#respond)
        })
    }
}

/// Located at the return type, but still generated code in the eyes of lints.
fn return_span(output: &ReturnType) -> Span {
    match output {
        ReturnType::Default => Span::call_site(),
        ReturnType::Type(_, ty) => Span::call_site().located_at(ty.span()),
    }
}

/// The expression that reads one argument.
fn read(arguments: &Ident, parameter: &Parameter) -> TokenStream {
    let Parameter { name, ty, .. } = parameter;
    match &parameter.presence {
        Presence::Required => quote!(#arguments.required::<#ty>(#name)?),
        Presence::Optional => quote!(#arguments.optional::<#ty>(#name)?),
        Presence::Default(default) => {
            let default = value(default, parameter);
            quote!(#arguments.or_else::<#ty>(#name, || #default)?)
        }
    }
}

/// A default as a value of the parameter's type: a string literal serves for a
/// `String`.
fn value(default: &Expr, parameter: &Parameter) -> TokenStream {
    match default {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if is_string(&parameter.ty) => {
            quote!(::std::string::String::from(#text))
        }
        default => quote!(#default),
    }
}
