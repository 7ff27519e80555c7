//! A small HTTP/1.1 server with an answer for each request.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the server answers.
#[derive(Clone)]
pub(crate) struct Answer {
    status: &'static str,
    headers: Vec<(&'static str, String)>,
    content: Content,
}

#[derive(Clone)]
enum Content {
    Whole(String),
    /// Longer by its header than it is.
    Cut(String),
    /// Chunk by chunk; without the last, empty chunk where it is not whole.
    Chunks {
        pieces: Vec<String>,
        whole: bool,
    },
}

impl Answer {
    pub(crate) fn json(value: &Value) -> Self {
        Self::status("200 OK", &value.to_string())
    }

    pub(crate) fn status(status: &'static str, content: &str) -> Self {
        let headers = vec![("content-type", "application/json".to_owned())];
        Self { status, headers, content: Content::Whole(content.to_owned()) }
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The same, broken off within the content.
    pub(crate) fn cut(mut self) -> Self {
        self.content = match self.content {
            Content::Whole(text) => Content::Cut(text[..text.len() / 2].to_owned()),
            Content::Chunks { pieces, .. } => Content::Chunks { pieces, whole: false },
            cut @ Content::Cut(_) => cut,
        };
        self
    }

    /// Server-sent events, each split between two chunks.
    pub(crate) fn events(events: &[String]) -> Self {
        let mut pieces = Vec::new();
        for event in events {
            let mut middle = event.len() / 2;
            while !event.is_char_boundary(middle) {
                middle += 1;
            }
            pieces.push(event[..middle].to_owned());
            pieces.push(event[middle..].to_owned());
        }
        Self::pieces("text/event-stream", pieces)
    }

    /// JSON values, one a line.
    pub(crate) fn lines(values: &[Value]) -> Self {
        let pieces = values.iter().map(|value| format!("{value}\n")).collect();
        Self::pieces("application/x-ndjson", pieces)
    }

    fn pieces(content_type: &str, pieces: Vec<String>) -> Self {
        let headers = vec![("content-type", content_type.to_owned())];
        Self { status: "200 OK", headers, content: Content::Chunks { pieces, whole: true } }
    }
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// The server; it ends with the test's runtime.
pub(crate) struct Server {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    pub(crate) async fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let mut answers: VecDeque<Answer> = answers.into_iter().collect();
        let log = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Some(answer) = answers.pop_front() {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read(&mut stream).await;
                log.lock().unwrap().push(request);
                write(&mut stream, answer).await;
            }
        });
        Self { url, seen }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// The last request.
    pub(crate) fn last(&self) -> Seen {
        self.seen().last().unwrap().clone()
    }
}

async fn read(stream: &mut TcpStream) -> Seen {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "the request broke off");
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap();
    let mut lines = head.lines();
    let target = lines.next().unwrap().split(' ').nth(1).unwrap().to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.map_or(0, |(_, value)| value.parse().unwrap());
    while bytes.len() < head_end + 4 + length {
        assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "the request broke off");
    }
    let body = serde_json::from_slice(&bytes[head_end + 4..]).unwrap_or_default();
    Seen { target, headers, body }
}

async fn write(stream: &mut TcpStream, answer: Answer) {
    let mut text = format!("HTTP/1.1 {}\r\nconnection: close\r\n", answer.status);
    for (name, value) in &answer.headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    match answer.content {
        Content::Whole(content) => {
            text.push_str(&format!("content-length: {}\r\n\r\n{content}", content.len()));
        }
        Content::Cut(content) => {
            text.push_str(&format!("content-length: {}\r\n\r\n{content}", content.len() + 10));
        }
        Content::Chunks { pieces, whole } => {
            text.push_str("transfer-encoding: chunked\r\n\r\n");
            for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
                text.push_str(&format!("{:x}\r\n{piece}\r\n", piece.len()));
            }
            if whole {
                text.push_str("0\r\n\r\n");
            }
        }
    }
    stream.write_all(text.as_bytes()).await.unwrap();
    stream.shutdown().await.ok();
}
