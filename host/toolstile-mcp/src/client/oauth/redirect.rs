//! Where the browser comes back to: a loopback address of this machine (RFC 8252,
//! section 7.3).

use std::io;
use std::net::Ipv4Addr;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use url::Url;

use super::login::Login;

/// Listens for the browser until it is dropped.
#[derive(Debug)]
pub struct Redirect {
    listener: TcpListener,
    uri: Url,
}

#[derive(Clone)]
struct Waiting {
    state: String,
    told: mpsc::Sender<String>,
}

impl Redirect {
    /// Listens at a port of the loopback address; at any free one for 0.
    ///
    /// # Errors
    /// The port cannot be had.
    pub async fn listen(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let port = listener.local_addr()?.port();
        let uri = Url::parse(&format!("http://127.0.0.1:{port}/callback"));
        Ok(Self { listener, uri: uri.map_err(io::Error::other)? })
    }

    /// The redirect URI of the client.
    #[must_use]
    pub fn uri(&self) -> &str {
        self.uri.as_str()
    }

    /// Waits for the browser to come back from this login, and gives the address at which
    /// it did. Whoever comes with anything else is sent away.
    ///
    /// # Errors
    /// Nothing can be listened to any more.
    pub async fn wait(self, login: &Login) -> io::Result<String> {
        let (told, mut comes) = mpsc::channel(1);
        let waiting = Waiting { state: login.state().to_owned(), told };
        let routes = Router::new().route("/callback", get(came_back)).with_state(waiting);
        let back = |query: String| {
            let mut uri = self.uri.clone();
            uri.set_query(Some(&query));
            uri.into()
        };
        let (close, closed) = tokio::sync::oneshot::channel::<()>();
        let serving = axum::serve(self.listener, routes).with_graceful_shutdown(async {
            let _ = closed.await;
        });
        let serving = tokio::spawn(async move { serving.await });
        let query = comes.recv().await;
        // The browser still gets its page.
        let _ = close.send(());
        serving.await.map_err(io::Error::other)??;
        query.map(back).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

async fn came_back(State(waiting): State<Waiting>, uri: Uri) -> (StatusCode, &'static str) {
    let query = uri.query().unwrap_or_default();
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    if !pairs.any(|(name, value)| name == "state" && value == waiting.state) {
        return (StatusCode::BAD_REQUEST, "This is not the login that is waited for.\n");
    }
    // Whoever comes again has been heard.
    let _ = waiting.told.try_send(query.to_owned());
    (StatusCode::OK, "You can close this page and go back to the terminal.\n")
}
