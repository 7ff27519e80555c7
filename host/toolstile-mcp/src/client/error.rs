//! Why a server's tools are not there.

use std::time::Duration;

/// Why a server cannot be used just now. Names the cause; whoever shows it names the
/// server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The program cannot be started.
    #[error("`{command}` cannot be started: {reason}")]
    Spawn {
        /// The program.
        command: String,
        /// Why.
        reason: String,
    },
    /// The server cannot be reached, or does not speak the protocol.
    #[error("it does not answer as an MCP server: {0}")]
    Connect(String),
    /// It wants to know who asks, or that more is granted to whoever does.
    #[error(
        "it wants authorization: `bearer` names the secret with a token for it; with \
         `oauth = {{}}` in its place, `toolstile login` gets one"
    )]
    Unauthorized {
        /// What it answered (RFC 9110, section 11.6.1).
        challenge: Option<String>,
    },
    /// It did not answer in time.
    #[error("it gave no valid answer to `{method}` within {} s (`timeout`)", .limit.as_secs_f64())]
    TimedOut {
        /// The request.
        method: &'static str,
        /// How long it was waited for.
        limit: Duration,
    },
    /// It answered an error.
    #[error("it answered `{method}` with an error: {message}")]
    Answered {
        /// The request.
        method: &'static str,
        /// Its words, cleaned.
        message: String,
    },
    /// It lists more than is taken.
    #[error("it lists more than {max} {what}")]
    TooMuch {
        /// What.
        what: &'static str,
        /// How many are taken.
        max: usize,
    },
    /// Its list has no end.
    #[error("its list of tools repeats the cursor of a page")]
    Endless,
    /// The connection ended.
    #[error("the connection ended")]
    Ended,
}

impl ClientError {
    /// Whether a server wants authorization, by what the library says of its answer; `None`
    /// where it does not.
    pub(crate) fn unauthorized(challenge: Option<&str>, required: bool) -> Option<Self> {
        let challenge = challenge.map(str::to_owned);
        (required || challenge.is_some()).then_some(Self::Unauthorized { challenge })
    }
}
