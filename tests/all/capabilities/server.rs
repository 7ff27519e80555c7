//! A small HTTP server that answers what a test tells it to.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What a request looked like: its first line, its header and its content.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) line: String,
    pub(super) head: String,
    pub(super) body: String,
}

/// An answer: status, header lines, content.
pub(super) type Answer = (u16, &'static str, String);

/// A server on a free port of this machine, for as long as the test runs.
pub(super) struct Server {
    pub(super) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// Answers every request with what `answer` makes of it.
    pub(super) async fn start(answer: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer) = (Arc::clone(&seen), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&kept), Arc::clone(&answer)));
            }
        });
        Self { url, seen }
    }

    /// The requests so far.
    pub(super) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("no panic").clone()
    }
}

async fn serve(
    mut stream: TcpStream,
    kept: Arc<Mutex<Vec<Seen>>>,
    answer: Arc<impl Fn(&Seen) -> Answer>,
) {
    let Some(seen) = read(&mut stream).await else { return };
    let (status, header, body) = answer(&seen);
    kept.lock().expect("no panic").push(seen);
    let length = body.len();
    let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n");
    // A client that went away is its own business.
    let _ = stream.write_all(format!("{head}{header}\r\n{body}").as_bytes()).await;
}

async fn read(stream: &mut TcpStream) -> Option<Seen> {
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
            let line = head.lines().next()?.to_owned();
            return Some(Seen { line, head: head.to_ascii_lowercase(), body: body.to_owned() });
        }
    }
}
