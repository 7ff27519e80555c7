//! A host inside a program of your own: the bundled plugins, one Rust function as a
//! tool, and calls through all gates.
//!
//! Run it with `cargo run -p toolstile-example-embed`.

use std::error::Error;
use std::io::{Write as _, stdout};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use toolstile::{FunctionTool, Host, SchemaShape, Stop};

/// What `greet` takes: the doc comments are what the model reads.
#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// Who to greet.
    name: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let greet = FunctionTool::new("greet", "Greets somebody by name.", async |greet: Greet| {
        format!("Hello, {}!", greet.name)
    })?;
    // An empty plugin directory: the bundled plugins and `greet` are all there is.
    let host = Host::builder().plugin_dir("").tool(greet).build().await?;
    let mut out = stdout().lock();

    writeln!(out, "For a prompt:\n{}\n", host.catalog(None))?;
    let schemas = host.function_schemas(SchemaShape::OpenAi, Some(&["greet"]));
    writeln!(out, "For a function-calling model:\n{}\n", json!(schemas))?;

    for (tool, arguments) in [
        ("greet", r#"{"name": "Ada"}"#),
        ("calculator", r#"{"expression": "2 ** 10"}"#),
        ("calculator", r#"{"expression": 1024}"#),
    ] {
        let completion = host.call(tool, arguments).await;
        match &completion.result {
            Ok(answer) => writeln!(out, "{tool} answered: {}", answer.text)?,
            Err(Stop::Refused(refusal)) => writeln!(out, "{} refused: {refusal}", refusal.gate())?,
            Err(stop) => writeln!(out, "{tool} failed: {stop}")?,
        }
    }
    Ok(())
}
