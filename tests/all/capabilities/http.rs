//! Requests of a plugin: where they may go, and what they carry without its knowing.

use serde_json::json;
use std::sync::Arc;
use toolstile::{Host, MemorySink, Status};

use super::server::Server;
use super::{Person, Place, refusal, text};

/// A plugin that may ask one local server, with a secret in the header and one in the
/// query.
fn config(server: &str) -> String {
    format!(
        "
        [secrets]
        header = {{ command = ['printf', 'header-secret-1'] }}
        query = {{ command = ['printf', 'query secret/2'] }}
        absent = {{ env = 'TOOLSTILE_TEST_ABSENT' }}
        [plugin.reach]
        confirm = 'never'
        [plugin.reach.grants.http]
        allow = ['{server}/open', {{ url = '{server}/query', methods = ['GET'] }}, '{server}/absent']
        [[plugin.reach.grants.http.credentials]]
        secret = 'header'
        for = '{server}/open'
        header = 'Authorization'
        prefix = 'Bearer '
        [[plugin.reach.grants.http.credentials]]
        secret = 'query'
        for = '{server}/query'
        query = 'key'
        [[plugin.reach.grants.http.credentials]]
        secret = 'absent'
        for = '{server}/absent'
        header = 'Authorization'
        "
    )
}

/// A server that sends back all that it was sent.
async fn echo() -> Server {
    Server::start(|seen| {
        (200, "X-Echo: header-secret-1\r\n", format!("{}\n{}", seen.line, seen.head))
    })
    .await
}

async fn host(server: &Server, audit: &Arc<MemorySink>) -> Host {
    let place = Place::with_config(&config(&server.url));
    let builder = place.builder().audit(Arc::clone(audit) as Arc<_>);
    builder.build().await.expect("a host")
}

#[tokio::test]
async fn a_secret_reaches_the_server_and_nobody_else() {
    let (server, audit) =
        (echo().await, Arc::new(MemorySink::with_detail(toolstile::ArgumentDetail::Full)));
    let host = host(&server, &audit).await;
    let url = format!("{}/open/a", server.url);
    let answer = text(&host, "reach_send", json!({"method": "GET", "url": url})).await;
    assert!(server.seen()[0].head.contains("authorization: bearer header-secret-1"));
    assert!(
        answer.contains("bearer [secret header]") && answer.contains("x-echo: [secret header]"),
        "{answer}"
    );
    let url = format!("{}/query?a=b", server.url);
    let answer = text(&host, "reach_send", json!({"method": "GET", "url": url})).await;
    assert!(server.seen()[1].line.contains("key=query"), "{:?}", server.seen()[1]);
    assert!(!answer.contains("secret/2") && !answer.contains("secret%2F2"), "{answer}");
    // A secret that comes in through the arguments is kept out of the record.
    host.call("reach_setting", json!({"name": "header-secret-1"})).await;
    let records = serde_json::to_string(&audit.records()).unwrap();
    assert!(
        !records.contains("header-secret-1") && records.contains("[secret header]"),
        "{records}"
    );
}

#[tokio::test]
async fn requests_go_where_they_are_granted_and_nowhere_else() {
    let (server, audit) = (echo().await, Arc::new(MemorySink::default()));
    let host = host(&server, &audit).await;
    for (method, url) in [
        ("GET", format!("{}/other", server.url)),
        ("GET", format!("{}/opener", server.url)),
        ("POST", format!("{}/open", server.url)),
        ("GET", "http://127.0.0.1:1/open".to_owned()),
        ("GET", "https://example.com/".to_owned()),
        ("GET", "file:///etc/hostname".to_owned()),
        ("GET", format!("{}/open/../other", server.url)),
    ] {
        let response =
            host.call("reach_send", json!({"method": method, "url": url})).await.response();
        assert_eq!(response.status, Status::Error, "{method} {url}: {}", response.text);
    }
    assert_eq!(server.seen().len(), 0);
}

#[tokio::test]
async fn a_marked_url_is_judged_at_the_schema_gate() {
    let (server, audit) = (echo().await, Arc::new(MemorySink::default()));
    let host = host(&server, &audit).await;
    let good = host.call("fetch", json!({"url": format!("{}/open", server.url)})).await;
    assert_eq!(good.response().status, Status::Success, "{}", good.model_text());
    for url in ["https://example.com/", "http://user@127.0.0.1/", "no URL"] {
        let (gate, message) = refusal(&host.call("fetch", json!({"url": url})).await);
        assert_eq!(gate, "schema", "{url}");
        assert!(message.contains("/url: "), "{message}");
    }
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_secret_that_is_not_set_is_named() {
    let (server, audit) = (echo().await, Arc::new(MemorySink::default()));
    let host = host(&server, &audit).await;
    let url = format!("{}/absent", server.url);
    let answer = text(&host, "reach_send", json!({"method": "GET", "url": url})).await;
    assert!(answer.contains("`absent`"), "{answer}");
    assert_eq!(server.seen().len(), 0);
}

#[tokio::test]
async fn settings_are_read_by_name() {
    let place = Place::with_config("[plugin.reach.settings]\nunits = 'metric'\n");
    let host = place.host(&Person::who_declines()).await;
    assert_eq!(text(&host, "reach_setting", json!({"name": "units"})).await, "metric");
    assert_eq!(text(&host, "reach_setting", json!({"name": "other"})).await, "none");
}
