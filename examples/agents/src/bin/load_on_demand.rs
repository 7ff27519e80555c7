//! A loader: the model begins with one tool, and loads the others when it needs them.
//! Hundreds of tools can wait behind it without costing a token.
//!
//! Run it with `cargo run --bin load_on_demand`.

use std::error::Error;

use schemars::JsonSchema;
use serde::Deserialize;
use toolstile::agent::ScriptedLlm;
use toolstile::{FunctionTool, Host, ToolResponse};

/// What `load_tools` takes.
#[derive(Deserialize, JsonSchema)]
struct Load {
    /// The names of the tools to load.
    names: Vec<String>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let load = FunctionTool::with_context(
        "load_tools",
        "Loads tools. There are: calculator (arithmetic), notes (what was written down).",
        async |load: Load, context| {
            // All or nothing; a wrong name comes back as an error that the model reads.
            let added = context.tools().map_err(|error| error.to_string());
            let added = added.and_then(|t| t.add_names(&load.names).map_err(|e| e.to_string()));
            match added {
                Ok(()) => ToolResponse::success(format!("loaded {}", load.names.join(", "))),
                Err(error) => ToolResponse::error(error),
            }
        },
    )?;
    let host = Host::builder().plugin_dir("").tool(load).build().await?;
    let model = ScriptedLlm::new()
        .call("calculator", r#"{"expression": "6 * 7"}"#)
        .call("load_tools", r#"{"names": ["calculator"]}"#)
        .call("calculator", r#"{"expression": "6 * 7"}"#)
        .text("It is 42.");
    let agent = host.agent().model(model).shown(["load_tools"]).build()?;
    toolstile_example_agents::print(&agent.run("What is 6 times 7?").await?)?;
    Ok(())
}
