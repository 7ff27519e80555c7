//! Credentials, redirects, limits.

use std::time::{Duration, Instant};

use toolstile_http::{
    Credential, ErrorKind, Grant, HttpError, HttpLimits, Place, Request, SecretValue,
};

use crate::server::{Server, answer, client, client_with, get, names_to, soon};

const SECRET: &str = "s3cret/of mine";

fn credential(target: &str, place: Place, value: Option<&str>) -> Credential {
    Credential {
        grant: Grant::parse(target, &["GET"]).unwrap(),
        secret: "key".into(),
        value: value.map(SecretValue::new),
        place,
    }
}

fn in_header() -> Place {
    Place::Header { name: "Authorization".into(), prefix: "Bearer ".into() }
}

fn in_query() -> Place {
    Place::Query { name: "api_key".into() }
}

#[tokio::test]
async fn credentials_go_to_their_target_only() {
    let server = Server::start(
        |request| match request.starts_with("GET /leave ") {
            true => answer(302, "Location: http://b.example/\r\n", b""),
            false => answer(200, "", b"ok"),
        },
        b"",
    )
    .await;
    let names = server.names(&["a.example", "b.example"]);
    let credentials = vec![
        credential("http://a.example/", in_header(), Some(SECRET)),
        credential("http://a.example/query", in_query(), Some(SECRET)),
    ];
    let targets = ["http://a.example", "http://b.example"];
    let http = client_with(&targets, names, credentials, HttpLimits::default());
    for url in [
        "http://a.example/x",
        "http://a.example/query?q=1",
        "http://b.example/",
        "http://a.example/leave",
    ] {
        http.send(get(url), soon()).await.unwrap();
    }
    let seen = server.seen();
    assert!(seen[0].to_ascii_lowercase().contains(&format!("authorization: bearer {SECRET}")));
    assert!(seen[1].starts_with("GET /query?q=1&api_key=s3cret%2Fof+mine "), "{}", seen[1]);
    assert!(!seen[2].contains("s3cret"));
    assert!(seen[3].contains("s3cret") && !seen[4].contains("s3cret"), "{}", seen[4]);
}

#[tokio::test]
async fn a_secret_is_in_no_message() {
    let server = Server::saying("no HTTP at all").await;
    let names = server.names(&["a.example"]);
    for place in [in_header(), in_query()] {
        let credentials = vec![credential("http://a.example/", place, Some(SECRET))];
        let http =
            client_with(&["http://a.example"], names.clone(), credentials, HttpLimits::default());
        let error = http.send(get("http://a.example/"), soon()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        let shown = format!("{error} {error:?} {http:?}");
        assert!(!shown.contains("s3cret"), "{shown}");
    }
}

#[tokio::test]
async fn without_its_secret_a_target_is_not_asked() {
    let server = Server::saying(answer(200, "", b"")).await;
    let credentials = vec![credential("http://a.example/", in_header(), None)];
    let names = server.names(&["a.example"]);
    let http = client_with(&["http://a.example"], names, credentials, HttpLimits::default());
    let error = http.send(get("http://a.example/"), soon()).await.unwrap_err();
    assert_eq!(error, HttpError::NoSecret("key".into()));
    assert_eq!(server.seen().len(), 0);
}

#[tokio::test]
async fn redirects_change_the_method_as_the_specification_says() {
    for (status, method, expected) in [
        (301, "POST", "GET"),
        (302, "POST", "GET"),
        (303, "POST", "GET"),
        (303, "HEAD", "HEAD"),
        (307, "POST", "POST"),
        (308, "POST", "POST"),
        (302, "HEAD", "HEAD"),
    ] {
        let server = Server::start(
            move |request| match request.contains(" /start ") {
                true => answer(status, "Location: /end\r\n", b""),
                false => answer(200, "", b""),
            },
            b"",
        )
        .await;
        let http = client(&["http://a.example"], server.names(&["a.example"]));
        let url = "http://a.example/start".to_owned();
        let request = Request { method: method.into(), url, headers: Vec::new(), body: None };
        http.send(request, soon()).await.unwrap();
        let seen = server.seen();
        assert!(
            seen[1].starts_with(&format!("{expected} /end ")),
            "{status} {method}: {}",
            seen[1]
        );
    }
}

#[tokio::test]
async fn redirects_end() {
    let server = Server::saying(answer(302, "Location: /\r\n", b"")).await;
    let http = client(&["http://a.example"], server.names(&["a.example"]));
    let error = http.send(get("http://a.example/"), soon()).await.unwrap_err();
    assert_eq!(error, HttpError::TooManyRedirects(5));
    assert_eq!(server.seen().len(), 6);
}

#[tokio::test]
async fn an_answer_is_cut_at_the_limit_and_not_before() {
    for (length, truncated) in [(100, false), (101, true)] {
        let server = Server::saying(answer(200, "", &vec![b'x'; length])).await;
        let limits = HttpLimits { max_response_bytes: 100, ..HttpLimits::default() };
        let names = server.names(&["a.example"]);
        let http = client_with(&["http://a.example"], names, Vec::new(), limits);
        let response = http.send(get("http://a.example/"), soon()).await.unwrap();
        assert_eq!((response.body.len(), response.truncated), (100, truncated));
    }
}

#[tokio::test]
async fn a_slow_server_is_left_at_the_deadline() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nxx";
    for answer in ["", head] {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let silent = listener.local_addr().unwrap();
        let holder = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::io::AsyncReadExt::read(&mut stream, &mut [0; 1024]).await.unwrap();
            tokio::io::AsyncWriteExt::write_all(&mut stream, answer.as_bytes()).await.unwrap();
            tokio::time::sleep(Duration::from_secs(60)).await;
        });
        let names = names_to(silent, &["a.example"]);
        let http = client(&["http://a.example"], names);
        let started = Instant::now();
        let deadline = started + Duration::from_millis(200);
        let error = http.send(get("http://a.example/"), deadline).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
        assert!(started.elapsed() < Duration::from_secs(5));
        holder.abort();
    }
}

#[tokio::test]
async fn a_granted_address_may_be_private() {
    let server = Server::saying(answer(200, "", b"here")).await;
    let url = format!("http://{}", server.address);
    let http = client(&[&url], crate::server::table([]));
    let response = http.send(get(&format!("{url}/x")), soon()).await.unwrap();
    assert_eq!(response.body, b"here");
    let other = http.send(get("http://127.0.0.2/"), soon()).await.unwrap_err();
    assert_eq!(other.kind(), ErrorKind::Denied);
}
