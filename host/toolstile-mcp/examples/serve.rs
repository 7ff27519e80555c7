//! Serves a few tools to MCP clients.
//!
//! `serve` speaks over standard input and output, `serve --http 127.0.0.1:8700` over HTTP;
//! the URL goes to standard error.

#![expect(clippy::print_stderr, reason = "standard output belongs to the protocol")]

mod native;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use native::Native;
use serde_json::{Value, json};
use toolstile_core::{
    Attachment, CallContext, ConfirmRule, Progress, ToolExecutor, ToolRegistry, ToolResponse,
    ToolSchema, ToolTraits,
};
use toolstile_mcp::server::http::HttpConfig;
use toolstile_mcp::server::{McpServer, Served, ServerName};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let registry = Arc::new(ToolRegistry::default());
    for tool in [echo(), add(), erase(), count(), picture()] {
        registry.register(tool.registered())?;
    }
    let executor = ToolExecutor::builder(registry).build();
    let name = ServerName { name: "example".to_owned(), version: "1.0.0".to_owned() };
    let server = McpServer::new(name, Served::tools(executor));
    let stop = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => server.serve_stdio(stop).await?,
        ["--http", address] => {
            let config = HttpConfig { address: address.parse()?, ..HttpConfig::default() };
            let listening = server.serve_http(config).await?;
            eprintln!("{}", listening.url());
            listening.serve(stop).await?;
        }
        _ => return Err("usage: serve [--http ADDRESS]".into()),
    }
    Ok(())
}

fn echo() -> Native {
    let schema = json!({
        "type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"],
    });
    let mut tool = Native::new("echo", "Gives its text back.", schema, |arguments, _| {
        Box::pin(async move { ToolResponse::success(text(&arguments, "text")) })
    });
    tool.definition.traits = ToolTraits { read_only: true, ..ToolTraits::default() };
    tool
}

fn add() -> Native {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
        "required": ["a", "b"],
    });
    let mut tool = Native::new("add", "Adds two numbers.", schema, |arguments, _| {
        Box::pin(async move {
            let term = |name: &str| arguments[name].as_f64().unwrap_or_default();
            let sum = term("a") + term("b");
            ToolResponse::success(format!("{sum}")).with_data(json!({"sum": sum}))
        })
    });
    let output = json!({
        "type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"],
    });
    tool.definition.title = Some("Addition".to_owned());
    tool.definition.output_schema = Some(ToolSchema::compile_any(output).expect("a schema"));
    tool
}

/// Erases nothing: what counts is that a person is asked.
fn erase() -> Native {
    let schema = json!({
        "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"],
    });
    let mut tool = Native::new("erase", "Erases a thing for good.", schema, |arguments, _| {
        Box::pin(
            async move { ToolResponse::success(format!("erased {}", text(&arguments, "name"))) },
        )
    });
    tool.definition.traits = ToolTraits { destructive: true, ..ToolTraits::default() };
    tool.definition.confirm = ConfirmRule::Always;
    tool
}

fn count() -> Native {
    let schema = json!({
        "type": "object",
        "properties": {"to": {"type": "integer", "minimum": 1, "maximum": 600}},
        "required": ["to"],
    });
    Native::new("count", "Counts, ten numbers in a second.", schema, |arguments, context| {
        Box::pin(counted(arguments["to"].as_u64().unwrap_or_default(), context))
    })
}

async fn counted(to: u64, context: CallContext) -> ToolResponse {
    for step in 1..=to {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let message = Some(format!("at {step}"));
        context.report(&Progress { done: step as f64, total: Some(to as f64), message });
    }
    ToolResponse::success(format!("counted to {to}"))
}

fn picture() -> Native {
    let schema = json!({"type": "object", "properties": {}});
    Native::new("picture", "A red dot.", schema, |_, _| {
        Box::pin(async {
            let mut answer = ToolResponse::success("A red dot:");
            let data = RED_DOT.to_vec();
            answer.attachments.push(Attachment::Image { mime_type: "image/gif".to_owned(), data });
            answer
        })
    })
}

/// One red pixel.
const RED_DOT: &[u8] =
    b"GIF89a\x01\0\x01\0\x80\0\0\xff\0\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

fn text(arguments: &Value, name: &str) -> String {
    arguments[name].as_str().unwrap_or_default().to_owned()
}
