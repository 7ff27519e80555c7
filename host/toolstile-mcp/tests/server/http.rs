//! Over HTTP: who gets in, and what is refused before the protocol looks at it.

use std::num::NonZeroU32;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use toolstile_core::ToolResponse;
use toolstile_mcp::server::http::{BearerToken, HttpConfig};
use toolstile_mcp::server::{ServeError, Served};

use crate::calling::endless;
use crate::native::Native;
use crate::support::{executor, server, soon};

const TOKEN: &str = "correct horse battery";

struct Site {
    address: String,
    stop: oneshot::Sender<()>,
    served: tokio::task::JoinHandle<Result<(), ServeError>>,
}

async fn site(tools: Vec<Native>, config: HttpConfig) -> Site {
    let server = server(Served::tools(executor(tools)));
    let listening = server.serve_http(config).await.unwrap();
    let address = listening.address().to_string();
    let (stop, stopped) = oneshot::channel::<()>();
    let served = tokio::spawn(listening.serve(async {
        let _ = stopped.await;
    }));
    Site { address, stop, served }
}

/// Headers of a request of 2026-07-28, and its body.
fn request(method: &str, mut parameters: Value) -> (Vec<(String, String)>, String) {
    parameters["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "progressToken": "t",
    });
    let mut headers = vec![
        ("MCP-Protocol-Version".to_owned(), "2026-07-28".to_owned()),
        ("Mcp-Method".to_owned(), method.to_owned()),
    ];
    if let Some(name) = parameters["name"].as_str() {
        headers.push(("Mcp-Name".to_owned(), name.to_owned()));
    }
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters});
    (headers, body.to_string())
}

impl Site {
    /// Sends a request with these headers in place of or beside the usual ones.
    async fn begin(
        &self,
        headers: &[(&str, &str)],
        (own, body): (Vec<(String, String)>, String),
    ) -> TcpStream {
        let usual = [
            ("Host", self.address.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Connection", "close"),
        ];
        let mut text = "POST /mcp HTTP/1.1\r\n".to_owned();
        let replaced = |name: &str| headers.iter().any(|(other, _)| *other == name);
        let usual = usual.into_iter().filter(|(name, _)| !replaced(name));
        let own = own.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in usual.chain(own).chain(headers.iter().copied()) {
            text += &format!("{name}: {value}\r\n");
        }
        text += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        let mut stream = TcpStream::connect(&self.address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        stream
    }

    /// The status, and everything that came.
    async fn send(
        &self,
        headers: &[(&str, &str)],
        request: (Vec<(String, String)>, String),
    ) -> (u16, String) {
        let mut stream = self.begin(headers, request).await;
        let mut answer = Vec::new();
        soon(stream.read_to_end(&mut answer)).await.unwrap();
        let answer = String::from_utf8(answer).unwrap();
        (answer[9..12].parse().unwrap(), answer)
    }

    async fn status(&self, headers: &[(&str, &str)]) -> u16 {
        self.send(headers, request("tools/list", json!({}))).await.0
    }

    async fn raw(&self, body: &str) -> (u16, String) {
        let (headers, _) = request("tools/list", json!({}));
        self.send(&[], (headers, body.to_owned())).await
    }
}

fn protected() -> HttpConfig {
    HttpConfig { tokens: vec![BearerToken::new(TOKEN).unwrap()], ..HttpConfig::default() }
}

#[tokio::test]
async fn only_this_server_is_meant_by_host_and_origin() {
    let site = site(vec![], HttpConfig::default()).await;
    let (address, port) = (site.address.clone(), site.address.split_once(':').unwrap().1);
    assert_eq!(site.status(&[]).await, 200);
    assert_eq!(site.status(&[("Host", &format!("localhost:{port}"))]).await, 200);
    assert_eq!(site.status(&[("Host", "evil.example")]).await, 403);
    assert_eq!(site.status(&[("Host", "127.0.0.1:1")]).await, 403);
    assert_eq!(site.status(&[("Host", &address), ("Host", "evil.example")]).await, 400);
    assert_eq!(site.status(&[("Origin", &format!("http://{address}"))]).await, 200);
    for origin in [
        "http://evil.example",
        "null",
        "http://127.0.0.1:1",
        &format!("http://{address}.evil.example"),
    ] {
        assert_eq!(site.status(&[("Origin", origin)]).await, 403, "{origin}");
    }
}

#[tokio::test]
async fn what_is_no_message_is_called_so() {
    let site = site(vec![], HttpConfig { max_body_bytes: 4096, ..HttpConfig::default() }).await;
    let (_, good) = request("tools/list", json!({}));
    for (body, code) in [
        ("{\"jsonrpc\": ".to_owned(), "-32700"),
        (format!("[{good}]"), "-32600"),
        (good.replace("\"id\":1", "\"id\":null"), "-32600"),
    ] {
        let (status, answer) = site.raw(&body).await;
        assert_eq!(status, 400, "{body}");
        assert!(answer.contains(code), "{body} {answer}");
    }
    let long = good.replace("\"id\":1", &format!("\"id\":1,\"x\":\"{}\"", "a".repeat(5000)));
    assert_eq!(site.raw(&long).await.0, 413);
}

#[tokio::test]
async fn without_a_good_token_nobody_gets_in() {
    let site = site(vec![], protected()).await;
    let (status, answer) = site.send(&[], request("tools/list", json!({}))).await;
    assert_eq!(status, 401);
    assert!(answer.to_ascii_lowercase().contains("www-authenticate: bearer"), "{answer}");
    for wrong in
        [format!("Bearer {TOKEN}x"), format!("Basic {TOKEN}"), "Bearer".into(), "Bearer ".into()]
    {
        assert_eq!(site.status(&[("Authorization", &wrong)]).await, 401, "{wrong}");
    }
    assert_eq!(site.status(&[("Authorization", &format!("Bearer {TOKEN}"))]).await, 200);
}

#[tokio::test]
async fn an_address_that_others_reach_needs_a_token() {
    let open = || "0.0.0.0:0".parse().unwrap();
    let server = server(Served::tools(executor(vec![])));
    let unprotected = server.serve_http(HttpConfig { address: open(), ..HttpConfig::default() });
    assert!(matches!(unprotected.await, Err(ServeError::Unprotected(_))));
    assert!(server.serve_http(HttpConfig { address: open(), ..protected() }).await.is_ok());
    assert!(matches!(BearerToken::new("short"), Err(ServeError::WeakToken(5))));
    assert!(!format!("{:?}", protected()).contains(TOKEN));
}

#[tokio::test]
async fn too_many_requests_are_refused() {
    let rate = NonZeroU32::new(2).unwrap();
    let site =
        site(vec![], HttpConfig { local_requests_per_second: rate, ..HttpConfig::default() }).await;
    let mut refused = 0;
    for _ in 0..50 {
        refused += usize::from(site.status(&[]).await == 429);
    }
    assert!(refused > 0);
}

#[tokio::test]
async fn a_load_from_this_machine_is_no_flood() {
    let site = site(vec![], HttpConfig::default()).await;
    for _ in 0..500 {
        assert_eq!(site.status(&[]).await, 200);
    }
}

#[tokio::test]
async fn sessions_are_counted() {
    let rate = NonZeroU32::new(10_000).unwrap();
    let site =
        site(vec![], HttpConfig { local_requests_per_second: rate, ..HttpConfig::default() }).await;
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "tester", "version": "1"},
    }});
    for _ in 0..256 {
        assert_eq!(site.send(&[], (vec![], hello.to_string())).await.0, 200);
    }
    assert_eq!(site.send(&[], (vec![], hello.to_string())).await.0, 503);
    assert_eq!(site.status(&[]).await, 200);
}

#[tokio::test]
async fn a_call_that_runs_keeps_its_place_until_its_client_goes_away() {
    let (tool, mut says) = endless();
    let site = site(vec![tool], HttpConfig { max_requests: 1, ..HttpConfig::default() }).await;
    let call = json!({"name": "endless", "arguments": {}});
    let mut stream = site.begin(&[], request("tools/call", call)).await;
    assert_eq!(soon(says.recv()).await, Some("running"));
    // The answer has begun.
    let mut begun = String::new();
    while !begun.contains("notifications/progress") {
        let mut some = [0; 256];
        let read = soon(stream.read(&mut some)).await.unwrap();
        assert_ne!(read, 0, "the answer ended: {begun}");
        begun += &String::from_utf8_lossy(&some[..read]);
    }
    assert_eq!(site.status(&[]).await, 503);
    drop(stream);
    assert_eq!(soon(says.recv()).await, Some("stopped"));
}

#[tokio::test]
async fn a_call_stops_when_the_server_does() {
    let (tool, mut says) = endless();
    let site = site(vec![tool], HttpConfig::default()).await;
    let call = json!({"name": "endless", "arguments": {}});
    let stream = site.begin(&[], request("tools/call", call)).await;
    assert_eq!(soon(says.recv()).await, Some("running"));
    site.stop.send(()).unwrap();
    assert_eq!(soon(says.recv()).await, Some("stopped"));
    drop(stream);
    soon(site.served).await.unwrap().unwrap();
}

#[tokio::test]
async fn an_approval_of_one_principal_is_no_good_for_another() {
    let other = "another horse battery";
    let tokens = [TOKEN, other].map(|token| BearerToken::new(token).unwrap()).into();
    let schema = json!({"type": "object", "properties": {}});
    let mut tool = Native::new("risky", "Risky.", schema, |_, _| {
        Box::pin(async { ToolResponse::success("it ran") })
    });
    tool.definition.confirm = toolstile_core::ConfirmRule::Always;
    let site = site(vec![tool], HttpConfig { tokens, ..HttpConfig::default() }).await;
    let call = |extra: Value| {
        let mut parameters = json!({"name": "risky", "arguments": {}});
        parameters.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let (headers, body) = request("tools/call", parameters);
        (
            headers,
            body.replace("clientCapabilities\":{}", "clientCapabilities\":{\"elicitation\":{}}"),
        )
    };
    let as_first = [("Authorization", format!("Bearer {TOKEN}"))];
    let as_first: Vec<_> = as_first.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let as_other = format!("Bearer {other}");
    let (_, asked) = site.send(&as_first, call(json!({}))).await;
    let state = asked.split("\"requestState\":\"").nth(1).and_then(|rest| rest.split('"').next());
    let decision = json!({"confirm": {"action": "accept", "content": {"decision": "approve"}}});
    let approved = json!({"requestState": state.unwrap(), "inputResponses": decision});
    let (_, stolen) = site.send(&[("Authorization", &as_other)], call(approved.clone())).await;
    assert!(stolen.contains("-32602") && !stolen.contains("it ran"), "{stolen}");
    let (_, own) = site.send(&as_first, call(approved)).await;
    assert!(own.contains("it ran"), "{own}");
}
