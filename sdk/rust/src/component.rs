//! The component around the tools: `export!`, and the two functions of the
//! contract as it calls them.

use serde_json::{Map, Value};

use crate::bindings::exports::toolstile::plugin::tool as wit;
use crate::{Tool, ToolResponse};

/// Makes one tool. Tools are made when they are asked for, not all for each call.
pub type MakeTool = fn() -> Box<dyn Tool>;

/// `list-tools` of the contract.
pub fn list_tools(tools: &[MakeTool]) -> Vec<wit::ToolDefinition> {
    tools.iter().map(|make| define(make().as_ref()).into()).collect()
}

fn define(tool: &dyn Tool) -> crate::ToolDefinition {
    crate::ToolDefinition { name: tool.name().to_owned(), ..tool.definition() }
}

/// `call-tool` of the contract. `arguments` is the text of a JSON object.
pub fn call_tool(tools: &[MakeTool], name: &str, arguments: &str) -> wit::ToolResponse {
    let tool = tools.iter().map(|make| make()).find(|tool| tool.name() == name);
    let response = match tool {
        Some(tool) => call(tool.as_ref(), arguments),
        None => ToolResponse::error(format!("there is no tool `{name}` in this plugin")),
    };
    response.into()
}

fn call(tool: &dyn Tool, arguments: &str) -> ToolResponse {
    match serde_json::from_str::<Map<String, Value>>(arguments) {
        Ok(arguments) => tool.call(arguments),
        Err(error) => ToolResponse::error(format!("the arguments are no JSON object: {error}")),
    }
}

/// Exports tools from the plugin: once in a crate, with every tool it offers.
///
/// Each item is the path of a `#[tool]` function or of a type that implements
/// [`Tool`] and `Default`.
///
/// ```
/// # mod plugin {
/// use toolstile_sdk::{export, tool};
///
/// /// Answers `pong`.
/// #[tool]
/// fn ping() -> &'static str {
///     "pong"
/// }
///
/// export!(ping);
/// # }
/// ```
///
/// The exports exist in WebAssembly only; elsewhere the tools are ordinary Rust,
/// ready for unit tests.
#[macro_export]
macro_rules! export {
    ($($tool:path),+ $(,)?) => {
        const _: () = {
            struct ToolstilePlugin;

            // A tool that is listed twice would implement this twice.
            trait ToolstileListedOnce {}
            $(impl ToolstileListedOnce for $tool {})+

            const TOOLSTILE_TOOLS: &[$crate::__private::MakeTool] = &[
                $(|| ::std::boxed::Box::new(<$tool as ::core::default::Default>::default())),+
            ];

            impl $crate::bindings::exports::toolstile::plugin::tool::Guest for ToolstilePlugin {
                fn list_tools() -> ::std::vec::Vec<
                    $crate::bindings::exports::toolstile::plugin::tool::ToolDefinition,
                > {
                    $crate::__private::list_tools(TOOLSTILE_TOOLS)
                }

                fn call_tool(
                    name: ::std::string::String,
                    arguments: ::std::string::String,
                ) -> $crate::bindings::exports::toolstile::plugin::tool::ToolResponse {
                    $crate::__private::call_tool(TOOLSTILE_TOOLS, &name, &arguments)
                }
            }

            // In native code nothing exports the tools; so that they do not count
            // as unused there, name them.
            let _ = TOOLSTILE_TOOLS;

            #[cfg(target_family = "wasm")]
            $crate::bindings::export_component!(ToolstilePlugin with_types_in $crate::bindings);
        };
    };
}
