//! A small HTTP server, and names that lead to it.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use toolstile_http::{Answer, Credential, Grant, Http, HttpConfig, HttpLimits, Names, Request};

/// A public address: names that lead here pass.
pub(crate) const PUBLIC: &str = "93.184.216.34";

/// Answers each request with raw bytes, and keeps what it was asked.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// `answer` makes the bytes of an answer out of a request's head; what it sends
    /// afterwards, again and again, is `endless`.
    pub(crate) async fn start(
        answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static,
        endless: &'static [u8],
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer) = (Arc::clone(&seen), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&kept), Arc::clone(&answer), endless));
            }
        });
        Self { address, seen }
    }

    /// One that answers everything with these bytes.
    pub(crate) async fn saying(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::start(move |_| answer.clone(), b"").await
    }

    /// What was asked: head and content of each request.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    /// Names that are said to have a public address and lead to this server.
    pub(crate) fn names(&self, names: &[&str]) -> Names {
        names_to(self.address, names)
    }
}

/// Names that are said to have a public address and lead to this one.
pub(crate) fn names_to(connect: SocketAddr, names: &[&str]) -> Names {
    let address: IpAddr = PUBLIC.parse().unwrap();
    let answer = vec![Answer { address, connect }];
    table(names.iter().map(|name| ((*name).to_owned(), answer.clone())))
}

pub(crate) fn table(names: impl IntoIterator<Item = (String, Vec<Answer>)>) -> Names {
    Names::Table(Arc::new(names.into_iter().collect::<BTreeMap<_, _>>()))
}

async fn serve(
    mut stream: TcpStream,
    kept: Arc<Mutex<Vec<String>>>,
    answer: Arc<impl Fn(&str) -> Vec<u8>>,
    endless: &[u8],
) {
    let Some(request) = read(&mut stream).await else { return };
    let bytes = answer(&request);
    kept.lock().unwrap().push(request);
    let mut sent = stream.write_all(&bytes).await;
    while sent.is_ok() && !endless.is_empty() {
        sent = stream.write_all(endless).await;
    }
}

async fn read(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let mut part = [0; 4096];
        let count = stream.read(&mut part).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&part[..count]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
        });
        if body.len() >= length.unwrap_or(0) {
            return Some(text.into_owned());
        }
    }
}

/// An answer with content.
pub(crate) fn answer(status: u16, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n"
    );
    [head.as_bytes(), body].concat()
}

/// A client for plain HTTP to these targets, all methods.
pub(crate) fn client(targets: &[&str], names: Names) -> Http {
    client_with(targets, names, Vec::new(), HttpLimits::default())
}

pub(crate) fn client_with(
    targets: &[&str],
    names: Names,
    credentials: Vec<Credential>,
    limits: HttpLimits,
) -> Http {
    let grant = |target: &&str| Grant::parse(target, &["GET", "HEAD", "POST"]).unwrap();
    let grants = targets.iter().map(grant).collect();
    Http::new(HttpConfig { grants, credentials, limits, names }).unwrap()
}

pub(crate) fn get(url: &str) -> Request {
    Request { method: "GET".into(), url: url.into(), ..Request::default() }
}

pub(crate) fn soon() -> Instant {
    Instant::now() + Duration::from_secs(5)
}
