//! Tools of the embedding program: functions as tools, the registry of a running
//! host, and what models are shown of it.

mod functions; // what a function receives, answers, and does when it fails
mod listings; // catalog, descriptions and function-calling schemas
mod registration; // conflicts, batches, removal, calls at the same time

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolstile::{FunctionTool, Host, HostBuilder, HostConfig, Tool};

/// A builder of hosts that read and write nothing: no plugins, no cache.
fn builder() -> HostBuilder {
    let mut config = HostConfig::default();
    config.plugins.bundled = false;
    config.plugins.dir = "no-such-directory".into();
    config.runtime.cache = false;
    config.runtime.pooling = false;
    Host::builder().config(config)
}

async fn host(tool: impl Tool + 'static) -> Host {
    builder().tool(tool).build().await.expect("a host")
}

/// What the greeting tool takes.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Greeting {
    /// Whom to greet
    name: String,
    /// How often
    #[serde(default = "once")]
    times: u8,
    /// Shout it
    loud: Option<bool>,
}

fn once() -> u8 {
    1
}

/// A tool that greets, in an async closure.
fn greet() -> FunctionTool {
    let greet = async |greeting: Greeting| {
        let text = format!("hello {}; ", greeting.name).repeat(greeting.times.into());
        if greeting.loud == Some(true) { text.to_uppercase() } else { text }
    };
    FunctionTool::new("greet", "Greets somebody", greet).expect("a tool")
}

/// Arguments of a tool that takes none.
#[derive(Deserialize, JsonSchema)]
struct Nothing {}

/// A tool that answers its description.
fn constant(name: &str, answer: &'static str) -> FunctionTool {
    FunctionTool::new(name, answer, move |_: Nothing| std::future::ready(answer)).expect("a tool")
}
