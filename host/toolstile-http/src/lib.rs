//! HTTP requests to granted hosts only.
//!
//! A URL is judged as text ([`Http::check_url`]): one canonical form, a granted scheme,
//! host, port and path. Then its name is looked up once, every address is judged, and
//! the connection goes to an address that was judged. Redirects pass all of it again.
//! Credentials are put in last, for the target that they are meant for, and are in no
//! message and no answer.
//!
//! Start reading at [`Http::send`].

mod address;
mod client;
mod credential;
mod error;
mod exchange;
mod grant;
mod header;
mod names;
mod target;

pub use client::{Http, HttpConfig, HttpLimits, SetupError, client_builder, default_tls_provider};
pub use credential::{Credential, Place, SecretValue};
pub use error::{ErrorKind, HttpError};
pub use exchange::{Request, Response};
pub use grant::{Grant, GrantError};
pub use names::{Answer, Names};
pub use target::CheckedUrl;
