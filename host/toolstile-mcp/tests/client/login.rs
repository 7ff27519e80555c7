//! Logging in to a server that wants to know who asks: its authorization server is played
//! here, the browser by an HTTP client.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect as SeeOther, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use toolstile_mcp::client::{
    Checked, Login, LoginError, McpClient, McpServerConfig, OAuthConfig, Redirect, ServerConfirm,
    ServerState, forget,
};

use super::{call, gates, reason};

/// What the authorization server is to do, and what it saw.
#[derive(Debug, Default)]
struct Seen {
    denies: bool,
    issuer: Option<String>,
    page: Option<String>,
    scopes: Vec<String>,
    exchanged: Vec<HashMap<String, String>>,
}

#[derive(Clone, Debug)]
struct Site {
    base: String,
    seen: Arc<Mutex<Seen>>,
}

impl Site {
    async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let site = Self { base, seen: Arc::default() };
        let routes = Router::new()
            .route("/mcp", post(answer))
            .route("/.well-known/oauth-protected-resource/mcp", get(resource))
            .route("/.well-known/oauth-authorization-server", get(issuer))
            .route("/register", post(register))
            .route("/authorize", get(authorize))
            .route("/token", post(token))
            .with_state(site.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        site
    }

    fn with(self, change: impl FnOnce(&mut Seen)) -> Self {
        change(&mut self.seen.lock().unwrap());
        self
    }

    fn server(&self, dir: &Path) -> Checked {
        let mut config = McpServerConfig::http("tickets", format!("{}/mcp", self.base));
        config.confirm = ServerConfirm::Never;
        config.oauth = Some(OAuthConfig { dir: Some(dir.to_owned()), ..OAuthConfig::default() });
        config.check(|_| None).unwrap()
    }
}

fn json_of(value: Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

fn pairs(text: &str) -> HashMap<String, String> {
    url::form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

async fn resource(State(site): State<Site>) -> Response {
    let base = site.base;
    json_of(json!({"resource": format!("{base}/mcp"), "authorization_servers": [base]}))
}

async fn issuer(State(site): State<Site>) -> Response {
    let base = site.base;
    let page = site.seen.lock().unwrap().page.clone();
    json_of(json!({
        "issuer": base,
        "authorization_endpoint": page.unwrap_or_else(|| format!("{base}/authorize")),
        "token_endpoint": format!("{base}/token"),
        "registration_endpoint": format!("{base}/register"),
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
    }))
}

async fn register(client: String) -> Response {
    let client: Value = serde_json::from_str(&client).unwrap();
    let redirects = client["redirect_uris"].clone();
    json_of(json!({"client_id": "registered", "redirect_uris": redirects}))
}

async fn authorize(State(site): State<Site>, uri: Uri) -> SeeOther {
    let asked = pairs(uri.query().unwrap_or_default());
    let mut seen = site.seen.lock().unwrap();
    seen.scopes.push(asked.get("scope").cloned().unwrap_or_default());
    let mut back = url::Url::parse(&asked["redirect_uri"]).unwrap();
    let issuer = seen.issuer.clone().unwrap_or(site.base);
    let answer = match seen.denies {
        true => [("error", "access_denied"), ("error_description", "not you")],
        false => [("code", "a-code"), ("iss", issuer.as_str())],
    };
    back.query_pairs_mut().extend_pairs(answer).append_pair("state", &asked["state"]);
    SeeOther::to(back.as_str())
}

async fn token(State(site): State<Site>, asked: String) -> Response {
    let asked = pairs(&asked);
    let mut seen = site.seen.lock().unwrap();
    seen.exchanged.push(asked);
    json_of(json!({
        "access_token": "good", "token_type": "Bearer", "expires_in": 3600,
        "scope": seen.scopes.last(),
    }))
}

/// An MCP server with a handshake that knows one token.
async fn answer(State(site): State<Site>, headers: HeaderMap, asked: String) -> Response {
    let asked: Value = serde_json::from_str(&asked).unwrap();
    let metadata = format!("{}/.well-known/oauth-protected-resource/mcp", site.base);
    let challenge = |rest: &str| {
        let value = format!("Bearer resource_metadata=\"{metadata}\", {rest}");
        [(header::WWW_AUTHENTICATE, value)]
    };
    if headers.get(header::AUTHORIZATION).is_none_or(|token| token != "Bearer good") {
        let challenge = challenge("scope=\"read\"");
        return (StatusCode::UNAUTHORIZED, challenge).into_response();
    }
    let granted = site.seen.lock().unwrap().scopes.last().cloned().unwrap_or_default();
    let result = match asked["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "s", "version": "1"},
        }),
        "tools/list" => json!({"tools": [
            {"name": "close", "description": "Closes.", "inputSchema": {"type": "object"}},
        ]}),
        "tools/call" if !granted.contains("write") => {
            let challenge = challenge("error=\"insufficient_scope\", scope=\"write\"");
            return (StatusCode::FORBIDDEN, challenge).into_response();
        }
        "tools/call" => json!({"content": [{"type": "text", "text": "closed"}]}),
        _ if asked.get("id").is_none() => return StatusCode::ACCEPTED.into_response(),
        _ => {
            let error = json!({"code": -32601, "message": "no such method"});
            let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "error": error});
            return json_of(answer);
        }
    };
    json_of(json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}))
}

/// Goes to the page as a browser does, which follows wherever it is sent.
async fn browse(page: &url::Url) -> reqwest::StatusCode {
    reqwest::get(page.clone()).await.unwrap().status()
}

async fn log_in(server: &Checked, challenge: Option<&str>) -> Result<Vec<String>, LoginError> {
    let redirect = Redirect::listen(0).await.unwrap();
    let login = Login::start(server, redirect.uri(), challenge, &[]).await?;
    let stranger = format!("{}?code=mine&state=guessed", redirect.uri());
    let page = login.url().clone();
    let browser = tokio::spawn(async move {
        let stranger = browse(&stranger.parse().unwrap()).await;
        (stranger, browse(&page).await)
    });
    let came_back = redirect.wait(&login).await.unwrap();
    let (stranger, browser) = browser.await.unwrap();
    assert_eq!((stranger.as_u16(), browser.as_u16()), (400, 200));
    login.finish(&came_back).await
}

#[tokio::test]
async fn a_login_lets_in_is_kept_is_widened_and_ends() {
    let dir = tempfile::tempdir().unwrap();
    let site = Site::start().await;
    let server = site.server(dir.path());
    let mut client = McpClient::start(server.clone(), None);
    let state = client.settled().await;
    assert!(reason(&state).contains("`toolstile login`"), "{state:?}");
    let challenge = client.take_challenge().unwrap();
    assert_eq!(log_in(&server, Some(&challenge)).await, Ok(vec!["read".to_owned()]));
    let mut states = client.state();
    client.relist();
    let ready = |state: &ServerState| matches!(state, ServerState::Ready { .. });
    let ready = states.wait_for(ready).await.unwrap().clone();

    let refused = call(&gates(&ready), "tickets_close", json!({})).await.response().text;
    assert!(refused.contains("it wants authorization"), "{refused}");
    let challenge = client.take_challenge().unwrap();
    let scopes = log_in(&server, Some(&challenge)).await.unwrap();
    assert_eq!(scopes, ["read", "write"], "what was granted before is asked for again");
    let closed = call(&gates(&ready), "tickets_close", json!({})).await.response().text;
    assert!(closed.contains("closed"), "{closed}");
    client.close().await;

    let later = McpClient::start(site.server(dir.path()), None);
    assert!(matches!(later.settled().await, ServerState::Ready { .. }));
    assert_eq!(forget(&server), Ok(true));
    let after = McpClient::start(site.server(dir.path()), None);
    assert!(reason(&after.settled().await).contains("it wants authorization"));
    for asked in &site.seen.lock().unwrap().exchanged {
        assert_eq!(asked["resource"], format!("{}/mcp", site.base), "RFC 8707");
        assert!(asked.contains_key("code_verifier"), "RFC 7636");
    }
}

#[tokio::test]
async fn a_login_that_is_refused_or_answered_by_somebody_else_lets_nobody_in() {
    let dir = tempfile::tempdir().unwrap();
    let denying = Site::start().await.with(|seen| seen.denies = true);
    let refused = log_in(&denying.server(dir.path()), None).await;
    assert_eq!(refused, Err(LoginError::Refused("not you (access_denied)".to_owned())));
    let other = Site::start().await.with(|seen| seen.issuer = Some("https://evil.example".into()));
    let Err(LoginError::Failed(error)) = log_in(&other.server(dir.path()), None).await else {
        panic!("an answer of another issuer is no answer (RFC 9207)")
    };
    assert!(error.contains("issuer mismatch"), "{error}");
    assert!(other.seen.lock().unwrap().exchanged.is_empty());
}

#[tokio::test]
async fn the_browser_is_not_sent_to_a_page_that_is_none() {
    let dir = tempfile::tempdir().unwrap();
    let page = Some("javascript:alert(1)//".to_owned());
    let site = Site::start().await.with(|seen| seen.page = page);
    let redirect = "http://127.0.0.1:1/callback";
    let begun = Login::start(&site.server(dir.path()), redirect, None, &[]).await;
    assert!(matches!(begun, Err(LoginError::UnsafePage)), "{begun:?}");
    let config = McpServerConfig::http("tickets", &site.base);
    let plain = Login::start(&config.check(|_| None).unwrap(), redirect, None, &[]).await;
    assert!(matches!(plain, Err(LoginError::NotConfigured(_))), "{plain:?}");
}
