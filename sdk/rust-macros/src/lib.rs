//! The `#[tool]` attribute of `toolstile-sdk`, which re-exports and documents it.
//!
//! The way of a function through this crate: its attribute is parsed
//! (`attribute`), its doc comment taken apart (`docs`), its parameters turned
//! into a description each (`parameter`), all of it checked (`function`) and
//! written out (`expand`). What cannot be a tool is a compile error that says
//! what to write instead; this crate never panics.

use proc_macro2::TokenStream;
use syn::parse::Parser;

use function::ToolFunction;

mod attribute;
mod docs;
mod expand;
mod function;
mod parameter;
mod types;

/// Makes a tool of a function.
///
/// The function stays what it was. Beside it comes a type of the same name, which
/// implements `toolstile_sdk::Tool` and `Default`; `export!` wants its path.
///
/// - The doc comment, up to the first heading, is the description for the model.
/// - Each parameter is an argument: its doc comment, or else its entry under
///   `# Arguments`, is the description, its type the schema. An `Option` may be
///   absent; `#[arg(default = …)]` gives a value to use instead;
///   `#[arg(format = "…")]` names what the host is to check a text as.
/// - Options in the attribute: `name = "…"` and `title = "…"`; the traits
///   `requires_confirmation`, `external_content`, `supports_parallel`,
///   `read_only`, `destructive`, `idempotent` and `open_world`;
///   `output_schema = r#"{…}"#`, a JSON Schema of the answer's data; and
///   `confirm_when = r#"{…}"#`, a JSON Schema of the arguments whose calls need
///   confirmation.
#[proc_macro_attribute]
pub fn tool(
    attribute: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    let item = TokenStream::from(item);
    match expand_tool(attribute.into(), item.clone()) {
        Ok(tokens) => tokens.into(),
        Err(error) => {
            let error = error.into_compile_error();
            let item = function::without_parameter_attributes(item);
            quote::quote!(#error #item).into()
        }
    }
}

fn expand_tool(attribute: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let attribute = attribute::ToolAttribute::parse.parse2(attribute)?;
    let function = ToolFunction::parse(attribute, item)?;
    Ok(expand::expand(&function))
}
