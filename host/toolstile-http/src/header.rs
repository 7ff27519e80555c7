//! Header fields of callers and of servers.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::error::HttpError;

/// Fields of one request, and of one answer that are handed over.
const MAX_FIELDS: usize = 64;
/// Bytes of one value.
const MAX_VALUE: usize = 8 * 1024;

/// Fields that say where a message goes, how long it is, or how it travels: the host's.
const HOSTS_OWN: [&str; 16] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "te",
    "trailer",
    "upgrade",
    "expect",
    "via",
    "forwarded",
    "accept-encoding",
    "http2-settings",
    "alt-used",
    "origin",
    "referer",
];
const HOSTS_OWN_PREFIX: [&str; 3] = ["proxy-", "x-forwarded-", "sec-"];

/// Fields that may go along to another origin.
const TRAVELLING: [&str; 5] =
    ["accept", "accept-language", "content-type", "content-language", "user-agent"];

/// The caller's fields, as they are sent.
pub(crate) fn of_caller(fields: &[(String, String)]) -> Result<HeaderMap, HttpError> {
    let refused = |name: &str, reason| {
        let name = name.chars().take(64).collect::<String>().escape_debug().to_string();
        HttpError::Header { name, reason }
    };
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        let lower = name.to_ascii_lowercase();
        let prefixed = HOSTS_OWN_PREFIX.iter().any(|prefix| lower.starts_with(prefix));
        if prefixed || HOSTS_OWN.contains(&lower.as_str()) {
            return Err(refused(name, "the host sets it by itself"));
        }
        if headers.len() == MAX_FIELDS || value.len() > MAX_VALUE {
            return Err(refused(name, "there are too many header fields, or one is too long"));
        }
        let field = HeaderName::try_from(name.as_str());
        let field = field.map_err(|_| refused(name, "it is no name of a header field"))?;
        let value = HeaderValue::try_from(value.as_str());
        let value =
            value.map_err(|_| refused(name, "its value has a character that none may have"))?;
        headers.append(field, value);
    }
    Ok(headers)
}

/// Leaves out what belongs to the origin that was asked first.
pub(crate) fn leave_origin(headers: &mut HeaderMap) {
    let names: Vec<HeaderName> = headers.keys().cloned().collect();
    for name in names.iter().filter(|name| !TRAVELLING.contains(&name.as_str())) {
        headers.remove(name);
    }
}

/// A server's fields, as they are handed over.
pub(crate) fn of_server(headers: &HeaderMap) -> Vec<(String, String)> {
    let field = |(name, value): (&HeaderName, &HeaderValue)| {
        let value = &value.as_bytes()[..value.len().min(MAX_VALUE)];
        (name.to_string(), String::from_utf8_lossy(value).into_owned())
    };
    headers.iter().take(MAX_FIELDS).map(field).collect()
}
