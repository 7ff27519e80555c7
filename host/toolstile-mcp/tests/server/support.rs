//! A client that speaks raw JSON-RPC, and the tools that it meets.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::task::JoinHandle;
use toolstile_core::{ToolExecutor, ToolRegistry};
use toolstile_mcp::server::{McpServer, ServeError, Served, ServerName};

use crate::native::Native;

/// Only a test that fails waits so long.
const LONG: Duration = Duration::from_secs(60);

/// The two eras of the protocol.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Era {
    Handshake,
    Stateless,
}

pub(crate) const ERAS: [Era; 2] = [Era::Handshake, Era::Stateless];

pub(crate) fn registry(tools: Vec<Native>) -> Arc<ToolRegistry> {
    let registry = Arc::new(ToolRegistry::default());
    for tool in tools {
        registry.register(tool.registered()).unwrap();
    }
    registry
}

pub(crate) fn executor(tools: Vec<Native>) -> ToolExecutor {
    ToolExecutor::builder(registry(tools)).build()
}

pub(crate) fn server(served: Served) -> McpServer {
    McpServer::new(ServerName { name: "tested".into(), version: "1".into() }, served)
}

/// One connection, over a pipe.
pub(crate) struct Client {
    lines: tokio::io::Lines<BufReader<tokio::io::ReadHalf<DuplexStream>>>,
    writer: tokio::io::WriteHalf<DuplexStream>,
    era: Era,
    capabilities: Value,
    next_id: u64,
    /// What came and was not an answer that somebody waited for.
    pub(crate) others: Vec<Value>,
    pub(crate) served: JoinHandle<Result<(), ServeError>>,
}

impl Client {
    /// Connects; a client with a handshake has shaken hands.
    pub(crate) async fn connect(server: &McpServer, era: Era, capabilities: Value) -> Self {
        let mut client = Self::silent(server, era, capabilities);
        if era == Era::Handshake {
            let parameters = json!({
                "protocolVersion": "2025-11-25", "capabilities": client.capabilities,
                "clientInfo": {"name": "tester", "version": "1"},
            });
            let answer = client.request("initialize", parameters).await;
            assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
            client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        }
        client
    }

    /// Connects and says nothing.
    pub(crate) fn silent(server: &McpServer, era: Era, capabilities: Value) -> Self {
        let (here, there) = tokio::io::duplex(1 << 16);
        let server = server.clone();
        let served = tokio::spawn(async move {
            server.serve_stream(tokio::io::split(there), std::future::pending()).await
        });
        let (reader, writer) = tokio::io::split(here);
        let lines = BufReader::new(reader).lines();
        Self { lines, writer, era, capabilities, next_id: 1, others: Vec::new(), served }
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// The next message of the server.
    pub(crate) async fn next(&mut self) -> Value {
        let line = tokio::time::timeout(LONG, self.lines.next_line()).await.expect("a message");
        serde_json::from_str(&line.unwrap().expect("the server is there")).unwrap()
    }

    /// Sends a request and gives its number.
    pub(crate) async fn begin(&mut self, method: &str, mut parameters: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        if self.era == Era::Stateless {
            let meta = &mut parameters["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "tester", "version": "1"});
            meta["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        }
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters});
        self.send(message).await;
        id
    }

    /// Waits for an answer; everything else goes to `others`.
    pub(crate) async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().await;
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.others.push(message);
        }
    }

    pub(crate) async fn request(&mut self, method: &str, parameters: Value) -> Value {
        let id = self.begin(method, parameters).await;
        self.answer(id).await
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// Waits for a message of this method, a request or a notification.
    pub(crate) async fn await_method(&mut self, method: &str) -> Value {
        loop {
            let message = self.next().await;
            if message["method"] == method {
                return message;
            }
            self.others.push(message);
        }
    }

    /// Goes away.
    pub(crate) async fn close(self) -> Result<(), ServeError> {
        drop((self.lines, self.writer));
        tokio::time::timeout(LONG, self.served).await.expect("the server ends").unwrap()
    }
}

/// Waits for something that a tool tells.
pub(crate) async fn soon<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(LONG, future).await.expect("it happens")
}

/// The text of an answer's first block.
pub(crate) fn first_text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"))
}
