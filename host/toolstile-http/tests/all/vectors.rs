//! `tests/cases/security/http.jsonl`, all of it. Exchanges are made over plain HTTP, so
//! that small servers can take part: `https://` stands for `http://` in them.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use serde_json::Value;
use toolstile_http::{
    Answer, ErrorKind, Grant, Http, HttpConfig, HttpLimits, Names, Request, Response,
};

use crate::server::{PUBLIC, Server, answer, client_with, get, soon, table};
use crate::tls;

fn cases(kind: &str) -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/security/http.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let cases = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    cases.filter(|case| case["kind"] == kind).collect()
}

fn grants(case: &Value) -> Vec<String> {
    case["allow"]
        .as_array()
        .unwrap()
        .iter()
        .map(|grant| grant.as_str().unwrap().to_owned())
        .collect()
}

fn accepts(case: &Value, outcome: &str) -> bool {
    case["accept"].as_array().unwrap().iter().any(|accepted| accepted == outcome)
}

fn http(grants: &[String], names: Names) -> Http {
    let grant = |text: &String| Grant::parse(text, &["GET", "HEAD", "POST"]).unwrap();
    let grants = grants.iter().map(grant).collect();
    Http::new(HttpConfig { grants, names, ..HttpConfig::default() }).unwrap()
}

/// Names that lead nowhere but say they do: a URL that passes as text and is refused
/// when its name is looked up is refused.
#[test]
#[expect(clippy::print_stdout, reason = "how many ran is worth seeing")]
fn every_url_is_judged_as_it_should_be() {
    let (mut denied, mut allowed) = (0, 0);
    for case in cases("url") {
        let http = http(&grants(&case), table([]));
        let checked = http.check(case["method"].as_str().unwrap(), case["url"].as_str().unwrap());
        let local = ["localhost", "metadata.", "internal", "kubernetes"];
        let looked_up = local.iter().any(|name| case["url"].as_str().unwrap().contains(name));
        let outcome = if checked.is_ok() && !looked_up { "allow" } else { "deny" };
        assert!(accepts(&case, outcome), "{}: {checked:?}", case["id"]);
        *(if outcome == "deny" { &mut denied } else { &mut allowed }) += 1;
    }
    println!("URLs: {denied} denied, {allowed} allowed");
    assert_eq!(denied + allowed, 97);
}

#[tokio::test]
async fn every_request_is_judged_as_it_should_be() {
    let server = Server::saying(answer(200, "", b"ok")).await;
    let mut ran = 0;
    for case in cases("request") {
        let http = http(&["http://api.example.com".to_owned()], server.names(&["api.example.com"]));
        let given = &case["request"];
        let headers = given["headers"].as_object().into_iter().flatten();
        let request = Request {
            method: given["method"].as_str().unwrap_or("POST").to_owned(),
            url: case["url"].as_str().unwrap().replace("https:", "http:"),
            headers: headers.map(|(n, v)| (n.clone(), v.as_str().unwrap().to_owned())).collect(),
            body: given["body_bytes"]
                .as_u64()
                .map(|bytes| vec![0; usize::try_from(bytes).unwrap()]),
        };
        let outcome = match given["concurrent"].as_u64() {
            Some(count) => all_at_once(&http, &request, count).await,
            None => word(http.send(request, soon()).await.is_ok()),
        };
        assert!(accepts(&case, outcome), "{}: {outcome}", case["id"]);
        ran += 1;
    }
    assert_eq!(ran, 8);
}

fn word(allowed: bool) -> &'static str {
    if allowed { "allow" } else { "deny" }
}

/// `deny` when not all of them were let through.
async fn all_at_once(http: &Http, request: &Request, count: u64) -> &'static str {
    let sent = (0..count).map(|_| Box::pin(http.send(request.clone(), soon())));
    let mut pending: Vec<_> = sent.collect();
    let mut refused = false;
    std::future::poll_fn(|context| {
        pending.retain_mut(|future| match future.as_mut().poll(context) {
            std::task::Poll::Pending => true,
            std::task::Poll::Ready(result) => {
                refused |= result.is_err_and(|error| error.kind() == ErrorKind::LimitExceeded);
                false
            }
        });
        if pending.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    word(!refused)
}

/// A world of names and answers, and how the exchange in it ended.
struct Played {
    result: Result<Response, toolstile_http::HttpError>,
    /// Requests that reached the server of public addresses.
    seen: Vec<String>,
    /// Requests that reached a server on a forbidden address.
    forbidden: usize,
}

#[tokio::test]
async fn every_exchange_ends_as_it_should() {
    let mut ran = 0;
    for case in cases("flow") {
        let id = case["id"].as_str().unwrap();
        let played = play(&case).await;
        let outcome = match (&played.result, case["expect"].as_str()) {
            (Ok(response), Some("bounded")) => {
                assert!(response.body.len() <= HttpLimits::default().max_response_bytes, "{id}");
                "bounded"
            }
            (result, _) => word(result.is_ok()),
        };
        assert!(accepts(&case, outcome), "{id}: {:?}", played.result);
        assert_eq!(played.forbidden, 0, "{id}: a forbidden address was asked");
        check_assertion(&case, &played);
        ran += 1;
    }
    assert_eq!(ran, 21);
}

fn check_assertion(case: &Value, played: &Played) {
    let id = case["id"].as_str().unwrap();
    match case["assert"].as_str() {
        Some("no Authorization header at b.example.com") => {
            assert_eq!(played.seen.len(), 2, "{id}");
            let second = played.seen[1].to_ascii_lowercase();
            assert!(second.contains("host: b.example.com") && !second.contains("authorization"));
            assert!(played.seen[0].contains("secret"), "{id}: it was sent to the first");
        }
        Some("exactly one request") => assert_eq!(played.seen.len(), 1, "{id}"),
        Some(other) => assert!(other.starts_with("no connection to 127.0.0.1"), "{id}: {other}"),
        None => {}
    }
}

async fn play(case: &Value) -> Played {
    let world = case["world"].clone();
    let public = Server::start(move |request| respond(&world, request), endless(case)).await;
    let forbidden = Server::saying(answer(200, "", b"forbidden")).await;
    let tls = match case["world"]["tls"].as_str() {
        Some("self-signed") => Some(tls::server(tls::SELF_SIGNED)),
        Some("expired") => Some(tls::server(tls::EXPIRED)),
        _ => None,
    };
    let plain =
        |text: String| if tls.is_some() { text } else { text.replace("https://", "http://") };
    let grant = |text: String| match (tls, text.contains("://")) {
        (None, false) => format!("http://{text}"),
        _ => text,
    };
    let grants: Vec<String> = grants(case).into_iter().map(grant).collect();
    let targets: Vec<&str> = grants.iter().map(String::as_str).collect();
    let names = names(case, tls.unwrap_or(public.address), forbidden.address);
    let limits = HttpLimits { timeout: Duration::from_secs(3), ..HttpLimits::default() };
    let http = client_with(&targets, names, Vec::new(), limits);
    let mut request = get(&plain(case["url"].as_str().unwrap().to_owned()));
    if case["method"] == "POST" {
        request.method = "POST".into();
        request.headers.push(("Authorization".into(), "secret".into()));
        request.body = Some(b"content".to_vec());
    }
    let result = http.send(request, soon()).await;
    Played { result, seen: public.seen(), forbidden: forbidden.seen().len() }
}

/// The names of a world. A name that has no addresses in it leads to the public one; the
/// first of several answers counts, since a name is looked up once.
fn names(case: &Value, public: SocketAddr, forbidden: SocketAddr) -> Names {
    let connect = |address: IpAddr| {
        let good = address.to_string().starts_with("93.");
        Answer { address, connect: if good { public } else { forbidden } }
    };
    let answers = |list: &Value| -> Vec<Answer> {
        let list = list.as_array().unwrap().iter();
        list.map(|address| connect(address.as_str().unwrap().parse().unwrap())).collect()
    };
    let mut table_of = BTreeMap::new();
    table_of.insert("api.example.com".to_owned(), vec![connect(PUBLIC.parse().unwrap())]);
    for (name, list) in case["world"]["dns"].as_object().into_iter().flatten() {
        table_of.insert(name.clone(), answers(list));
    }
    for (name, lists) in case["world"]["dns_sequence"].as_object().into_iter().flatten() {
        table_of.insert(name.clone(), answers(&lists[0]));
    }
    table(table_of)
}

fn endless(case: &Value) -> &'static [u8] {
    if case["world"]["body"] == "endless" { &[b'x'; 4096] } else { b"" }
}

fn respond(world: &Value, request: &str) -> Vec<u8> {
    let path = request.split(' ').nth(1).unwrap_or_default();
    let described = &world["responses"][path];
    if let Some(location) = described["location"].as_str() {
        let location = location.replace("https://", "http://");
        let status = u16::try_from(described["status"].as_u64().unwrap()).unwrap();
        return answer(status, &format!("Location: {location}\r\n"), b"");
    }
    if let Some(refresh) = described["refresh"].as_str() {
        return answer(200, &format!("Refresh: {refresh}\r\n"), b"");
    }
    match (world["body"].as_str(), world["bomb"].as_str()) {
        (Some("endless"), _) => b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".to_vec(),
        (Some("binary"), _) => answer(200, "", &[0xff, 0, 0xfe, 0x80]),
        (_, Some(_)) => answer(200, "Content-Encoding: gzip\r\n", &gzip_bomb()),
        _ => answer(200, "", b"ok"),
    }
}

/// Sixteen mebibytes of zeros, in sixteen kibibytes: stored by the program `gzip`.
fn gzip_bomb() -> Vec<u8> {
    include_bytes!("../zeros.gz").to_vec()
}
