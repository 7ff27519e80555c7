//! Authorization by OAuth 2.1 (MCP 2026-07-28, "Authorization"). The protocol is the
//! library's; what is here is who the client is, where its credentials are kept, and how a
//! person logs in.

mod login;
mod redirect;
mod store;

use std::path::PathBuf;

use rmcp::transport::auth::{
    AuthClient, AuthError, AuthorizationManager, InMemoryCredentialStore, OAuthClientConfig,
};
use serde::Deserialize;
use url::Url;

pub use login::{Login, LoginError, forget};
pub use redirect::Redirect;
use store::FileStore;

use super::clean::one_line;
use super::error::ClientError;

/// Characters of an error that are shown.
const MAX_ERROR: usize = 500;

/// `oauth` of `[[mcp]]`: who this client is to the server that issues its tokens. Without
/// anything it registers itself (RFC 7591).
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table, for example `{}`")]
pub struct OAuthConfig {
    /// The client, where it has been registered beforehand.
    pub client_id: Option<String>,
    /// The name of the secret that belongs to `client_id`.
    pub client_secret: Option<String>,
    /// The `https` URL of a document that describes the client, for servers that read one
    /// (Client ID Metadata Documents).
    pub client_metadata_url: Option<String>,
    /// Scopes that are asked for, in place of those that the server names.
    pub scopes: Vec<String>,
    /// The loopback port that the browser is sent back to. Without it, any that is free.
    pub redirect_port: Option<u16>,
    /// Where credentials are kept; set by the host. Without it, in memory.
    #[serde(skip)]
    pub dir: Option<PathBuf>,
}

/// What a client says of itself, checked.
#[derive(Clone)]
pub(crate) struct OAuth {
    pub(crate) client_id: Option<String>,
    pub(crate) client_secret: Option<String>,
    pub(crate) client_metadata_url: Option<String>,
    pub(crate) scopes: Vec<String>,
    pub(crate) redirect_port: u16,
    store: Store,
}

/// Where the credentials for one server are.
#[derive(Clone)]
enum Store {
    File(FileStore),
    Memory(InMemoryCredentialStore),
}

impl OAuth {
    /// For the server `namespace` at `url`. `client_secret` is the secret's value.
    pub(crate) fn new(
        config: &OAuthConfig,
        client_secret: Option<String>,
        namespace: &str,
        url: &Url,
    ) -> Self {
        let store = match &config.dir {
            Some(dir) => Store::File(FileStore::of(dir, namespace, url)),
            None => Store::Memory(InMemoryCredentialStore::new()),
        };
        Self {
            client_id: config.client_id.clone(),
            client_secret,
            client_metadata_url: config.client_metadata_url.clone(),
            scopes: config.scopes.clone(),
            redirect_port: config.redirect_port.unwrap_or(0),
            store,
        }
    }

    /// What answers challenges of the server at `url`, still without credentials. It refuses
    /// to be led to addresses that the server itself is not at: private ones and loopback.
    async fn manager(&self, url: &Url) -> Result<AuthorizationManager, AuthError> {
        toolstile_http::default_tls_provider();
        let mut manager = AuthorizationManager::new(url.as_str()).await?;
        match &self.store {
            Store::File(store) => manager.set_credential_store(store.clone()),
            Store::Memory(store) => manager.set_credential_store(store.clone()),
        }
        Ok(manager)
    }

    /// A client that sends the token of whoever logged in, and nothing before that.
    pub(crate) async fn client(
        &self,
        url: &Url,
        client: reqwest::Client,
    ) -> Result<AuthClient<reqwest::Client>, ClientError> {
        let manager = self.ready(url).await.map_err(|error| ClientError::Connect(words(&error)))?;
        Ok(AuthClient::new(client, manager))
    }

    async fn ready(&self, url: &Url) -> Result<AuthorizationManager, AuthError> {
        let mut manager = self.manager(url).await?;
        let logged_in = manager.initialize_from_store().await?;
        if let (true, Some(id), Some(secret)) = (logged_in, &self.client_id, &self.client_secret) {
            // What is stored has no secret; a token is renewed with it.
            let client = OAuthClientConfig::new(id, url.as_str()).with_client_secret(secret);
            manager.configure_client(client)?;
        }
        Ok(manager)
    }
}

/// An error in few words: a server's own are part of it.
fn words(error: &AuthError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    one_line(&text, MAX_ERROR)
}
