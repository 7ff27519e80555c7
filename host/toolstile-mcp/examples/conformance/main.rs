//! What the conformance suite of MCP (`@modelcontextprotocol/conformance`) wants to meet on
//! a server: `conformance 127.0.0.1:8701`. `tests/conformance/server.sh` runs the suite.

#![expect(clippy::print_stderr, reason = "whoever starts it wants to know the URL")]

mod asking;
mod offers;
mod tools;

#[path = "../native/mod.rs"]
mod native;

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use toolstile_core::{ToolExecutor, ToolRegistry};
use toolstile_mcp::server::http::HttpConfig;
use toolstile_mcp::server::{McpServer, Served, ServerName};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).ok_or("usage: conformance ADDRESS")?.parse()?;
    let registry = Arc::new(ToolRegistry::default());
    let more_prompts = Arc::new(AtomicBool::new(false));
    let answering = tools::all(&registry, &more_prompts).into_iter();
    for tool in answering.chain(asking::all()) {
        registry.register(tool.registered())?;
    }
    let served = Served {
        executor: ToolExecutor::builder(registry).build(),
        resources: Some(Arc::new(offers::Documents)),
        prompts: Some(Arc::new(offers::Beginnings { more: more_prompts })),
    };
    let name = ServerName { name: "conformance".to_owned(), version: "1.0.0".to_owned() };
    let config = HttpConfig { address, ..HttpConfig::default() };
    let listening = McpServer::new(name, served).serve_http(config).await?;
    eprintln!("{}", listening.url());
    let stop = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    Ok(listening.serve(stop).await?)
}
