//! The client against servers that misbehave: every way ends in a named outcome, in
//! bounded time, and leaves no process behind.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

#[path = "../../examples/native/mod.rs"]
mod native;

mod forms;
mod login;
mod pins;
mod processes;
mod servers;

use std::sync::Arc;

use serde_json::{Value, json};
use toolstile_core::{Call, Completion, ToolExecutor, ToolRegistry};
use toolstile_mcp::client::{Check, McpClient, McpServerConfig, ServerConfirm, ServerState};

/// A server that misbehaves in one way.
fn evil(mode: &str) -> McpServerConfig {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/evil.py");
    let mut server = McpServerConfig::stdio("evil", "python3");
    server.args = Some(vec![script.to_owned(), mode.to_owned()]);
    server.confirm = ServerConfirm::Never;
    server.timeout = 2.0;
    server
}

fn start(config: &McpServerConfig, check: Option<Check>) -> McpClient {
    McpClient::start(config.check(|_| None).unwrap(), check)
}

/// The tools of a server that is ready, behind the gates.
fn gates(state: &ServerState) -> ToolExecutor {
    let ServerState::Ready { tools, .. } = state else { panic!("{state:?}") };
    let registry = Arc::new(ToolRegistry::default());
    for tool in tools {
        registry.register(tool.clone()).unwrap();
    }
    ToolExecutor::builder(registry).build()
}

async fn call(executor: &ToolExecutor, tool: &str, arguments: Value) -> Completion {
    executor.execute(Call::new(tool, arguments)).await
}

async fn call_t(state: &ServerState) -> Completion {
    call(&gates(state), "evil_t", json!({})).await
}

fn reason(state: &ServerState) -> &str {
    match state {
        ServerState::Down { reason, .. } | ServerState::Quarantined { reason, .. } => reason,
        state => panic!("{state:?}"),
    }
}

/// Whether the interpreter of the misbehaving server is there.
#[expect(clippy::print_stdout, reason = "says what did not run")]
fn python(test: &str) -> bool {
    let there = std::process::Command::new("python3").arg("--version").output().is_ok();
    if !there {
        println!("SKIPPED {test}: there is no python3");
    }
    there
}
