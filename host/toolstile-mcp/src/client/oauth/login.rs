//! A person logs in: asked for, sent to a browser, come back.

use rmcp::transport::auth::{
    AuthError, AuthorizationRequest, CredentialStore as _, OAuthState, WWWAuthenticateParams,
};
use url::Url;

use super::{OAuth, Store, words};
use crate::client::clean::clean;
use crate::client::config::{Auth, Checked, Transport, is_this_machine};

/// Characters of what a server says.
const MAX_WORDS: usize = 300;

/// A login that has begun: somebody is to open [`Login::url`] in a browser.
pub struct Login {
    state: OAuthState,
    url: Url,
    csrf: String,
    oauth: OAuth,
}

impl std::fmt::Debug for Login {
    /// Without what may be secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login").field("host", &self.url.host_str()).finish_non_exhaustive()
    }
}

/// Why nobody is logged in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoginError {
    /// The server is not configured for it.
    #[error("`{0}` is not reached with OAuth; `oauth = {{}}` beside its `url` sets that up")]
    NotConfigured(String),
    /// A page that no browser should be sent to.
    #[error("the server wants to send the browser to a page that is not `https`")]
    UnsafePage,
    /// Whoever was asked said no, or the server did.
    #[error("the login was refused: {0}")]
    Refused(String),
    /// The servers do not do what the protocol demands.
    #[error("{0}")]
    Failed(String),
}

impl From<AuthError> for LoginError {
    fn from(error: AuthError) -> Self {
        Self::Failed(words(&error))
    }
}

impl Login {
    /// Finds out who issues tokens for a server, and what it wants to know. `redirect` is
    /// where the browser comes back to. `challenge` is what the server answered
    /// ([`McpClient::take_challenge`](crate::client::McpClient::take_challenge)); `scopes` are asked
    /// for beside what was granted before and what the challenge names.
    ///
    /// # Errors
    /// [`LoginError`]
    pub async fn start(
        server: &Checked,
        redirect: &str,
        challenge: Option<&str>,
        scopes: &[String],
    ) -> Result<Self, LoginError> {
        let (url, oauth) = oauth_of(server)?;
        let mut request = AuthorizationRequest::new(redirect)
            .with_client_name("toolstile")
            .with_initial_scope_selection()
            .with_scopes(wanted(oauth, url, challenge, scopes).await?);
        if let Some(challenge) = challenge {
            request = request.with_challenge(challenge);
        }
        if let Some(id) = &oauth.client_id {
            request = request.with_preregistered_client(id);
        }
        if let Some(secret) = &oauth.client_secret {
            request = request.with_client_secret(secret);
        }
        if let Some(document) = &oauth.client_metadata_url {
            request = request.with_client_metadata_url(document);
        }
        let mut state = OAuthState::Unauthorized(oauth.manager(url).await?);
        state.start_authorization(request).await?;
        let page = state.get_authorization_url().await?;
        let page = Url::parse(&page).map_err(|_| LoginError::UnsafePage)?;
        if !may_be_opened(&page) {
            return Err(LoginError::UnsafePage);
        }
        let csrf = page.query_pairs().find(|(name, _)| name == "state");
        let csrf = csrf.map(|(_, value)| value.into_owned()).unwrap_or_default();
        Ok(Self { state, url: page, csrf, oauth: oauth.clone() })
    }

    /// The page to open: `https`, or on this machine.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// What the browser brings back, so that it is this login and no other.
    pub(super) fn state(&self) -> &str {
        &self.csrf
    }

    /// Ends the login with the address at which the browser came back. From then on calls
    /// go out with a token. Gives the scopes that were granted, as far as that was said.
    ///
    /// # Errors
    /// [`LoginError`]
    pub async fn finish(mut self, came_back_at: &str) -> Result<Vec<String>, LoginError> {
        if let Some(refusal) = refusal(came_back_at) {
            return Err(LoginError::Refused(refusal));
        }
        self.state.handle_callback_url(came_back_at).await?;
        Ok(self.oauth.granted().await?)
    }
}

/// Logs out of a server: what is stored for it is removed. Whether there was anything.
///
/// # Errors
/// [`LoginError`]
pub fn forget(server: &Checked) -> Result<bool, LoginError> {
    let (_, oauth) = oauth_of(server)?;
    match &oauth.store {
        Store::File(store) => store.remove().map_err(|error| LoginError::Failed(error.to_string())),
        Store::Memory(_) => Ok(false),
    }
}

fn oauth_of(server: &Checked) -> Result<(&Url, &OAuth), LoginError> {
    match &server.transport {
        Transport::Http { url, auth: Auth::Login(oauth), .. } => Ok((url, oauth)),
        _ => Err(LoginError::NotConfigured(server.namespace.to_string())),
    }
}

/// The scopes to ask for; none leaves the choice to what the server says. What was granted
/// before is kept when more is wanted (MCP 2026-07-28, "Scope Challenge Handling").
async fn wanted(
    oauth: &OAuth,
    url: &Url,
    challenge: Option<&str>,
    more: &[String],
) -> Result<Vec<String>, LoginError> {
    let challenge = challenge.map(|challenge| WWWAuthenticateParams::parse(challenge, url));
    let short = challenge.filter(WWWAuthenticateParams::is_insufficient_scope);
    if short.is_none() && more.is_empty() {
        return Ok(oauth.scopes.clone());
    }
    let mut scopes = oauth.granted().await?;
    let named = short.and_then(|challenge| challenge.scope).unwrap_or_default();
    let new = oauth.scopes.iter().chain(more).map(String::as_str).chain(named.split_whitespace());
    for scope in new {
        if !scopes.iter().any(|known| known == scope) {
            scopes.push(scope.to_owned());
        }
    }
    Ok(scopes)
}

impl OAuth {
    async fn granted(&self) -> Result<Vec<String>, AuthError> {
        let stored = match &self.store {
            Store::File(store) => store.load().await?,
            Store::Memory(store) => store.load().await?,
        };
        Ok(stored.map(|stored| stored.granted_scopes).unwrap_or_default())
    }
}

fn may_be_opened(page: &Url) -> bool {
    match page.scheme() {
        "https" => true,
        "http" => is_this_machine(page),
        _ => false,
    }
}

/// `error` and `error_description` (RFC 6749, section 4.1.2.1).
fn refusal(came_back_at: &str) -> Option<String> {
    let url = Url::parse(came_back_at).ok()?;
    let named = |wanted: &str| {
        let found = url.query_pairs().find(|(name, _)| name == wanted);
        found.map(|(_, value)| clean(&value, MAX_WORDS).0)
    };
    let error = named("error")?;
    Some(match named("error_description") {
        Some(description) => format!("{description} ({error})"),
        None => error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_that_a_browser_may_be_sent_to() {
        for (page, good) in [
            ("https://login.example/authorize?state=1", true),
            ("http://127.0.0.1:9/authorize", true),
            ("http://localhost:9/authorize", true),
            ("http://login.example/authorize", false),
            ("http://localhost.example/authorize", false),
            ("javascript:alert(1)", false),
            ("file:///etc/passwd", false),
            ("data:text/html,x", false),
        ] {
            assert_eq!(may_be_opened(&Url::parse(page).unwrap()), good, "{page}");
        }
    }

    #[test]
    fn a_refusal_is_told_in_the_words_of_the_server() {
        let came =
            "http://127.0.0.1/callback?error=access_denied&error_description=not+you&state=1";
        assert_eq!(refusal(came).unwrap(), "not you (access_denied)");
        assert_eq!(refusal("http://127.0.0.1/callback?code=1&state=1"), None);
    }
}
