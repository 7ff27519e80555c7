//! What went wrong, in the few kinds that a caller can act upon.

use std::time::{Duration, SystemTime};

use http::header::RETRY_AFTER;
use http::{HeaderMap, StatusCode};
use rig_core::http_client;
use rig_core::{ProviderError, ProviderResponseError};
use serde_json::Value;
use toolstile_agent::ModelError;

use crate::transport::TransportError;

/// Characters of the provider's own words.
const MAX_DETAIL: usize = 500;

/// Turns errors into [`ModelError`]s that never show the key.
#[derive(Clone, Default)]
pub(crate) struct Failures {
    key: Option<String>,
}

impl Failures {
    pub(crate) fn new(key: Option<String>) -> Self {
        Self { key }
    }

    pub(crate) fn map(&self, error: ProviderError) -> ModelError {
        match error {
            ProviderError::Truncated => ModelError::Interrupted {
                detail: "the stream ended without its end event".to_owned(),
            },
            ProviderError::Http(error) => self.transport(&error),
            ProviderError::ProviderResponse(response)
            | ProviderError::InvalidAuthentication(response)
            | ProviderError::CacheExpired { response, .. } => self.response(&response),
            ProviderError::Json(error) => self.malformed(&error.to_string()),
            ProviderError::Response(text) => self.malformed(&text),
            ProviderError::Request(error) => self.refused(&error.to_string()),
            ProviderError::UnsupportedOption(option) => self.refused(&option.to_string()),
            ProviderError::Provider(text) => ModelError::Unavailable { detail: self.detail(&text) },
            other => self.malformed(&other.to_string()),
        }
    }

    /// The same for an answer that came as a whole: where that has no end, it is no
    /// answer of the kind that was asked for.
    pub(crate) fn map_whole(&self, error: ProviderError) -> ModelError {
        match error {
            ProviderError::Truncated => self.malformed("it holds no reply"),
            other => self.map(other),
        }
    }

    pub(crate) fn refused(&self, text: &str) -> ModelError {
        ModelError::Refused { detail: self.detail(text) }
    }

    fn malformed(&self, text: &str) -> ModelError {
        ModelError::Malformed { detail: self.detail(text) }
    }

    fn transport(&self, error: &http_client::Error) -> ModelError {
        let inner = match error {
            http_client::Error::Instance(inner) => inner.downcast_ref::<TransportError>(),
            _ => None,
        };
        let detail = self.detail(&inner.map_or_else(|| error.to_string(), ToString::to_string));
        match (inner, error) {
            (Some(TransportError::CutOff(_)), _) | (None, http_client::Error::StreamEnded) => {
                ModelError::Interrupted { detail }
            }
            (Some(TransportError::NoAnswer(_)), _) | (None, http_client::Error::Instance(_)) => {
                ModelError::Unavailable { detail }
            }
            (Some(TransportError::Multipart), _) => ModelError::Refused { detail },
            _ => ModelError::Malformed { detail },
        }
    }

    fn response(&self, response: &ProviderResponseError) -> ModelError {
        let said = self.detail(&words(response));
        let status = response.status.filter(|status| !status.is_success());
        match status.or_else(|| told_status(&response.body)) {
            Some(status) => {
                let detail = format!("{status}: {said}");
                by_status(status, &response.body, response.headers.as_ref(), detail)
            }
            None => by_code(response, said),
        }
    }

    /// Masked first, then cut: the other way round a part of a key could stay.
    fn detail(&self, text: &str) -> String {
        let masked = match &self.key {
            Some(key) => text.replace(key.as_str(), "***"),
            None => text.to_owned(),
        };
        match masked.char_indices().nth(MAX_DETAIL) {
            Some((end, _)) => format!("{}…", &masked[..end]),
            None => masked,
        }
    }
}

fn by_status(
    status: StatusCode,
    body: &str,
    headers: Option<&HeaderMap>,
    detail: String,
) -> ModelError {
    match status.as_u16() {
        429 => ModelError::RateLimited { retry_after: headers.and_then(retry_after), detail },
        401 | 403 => ModelError::Unauthorized { detail },
        // How the Gemini API says that it does not know a key.
        400 if body.contains("API_KEY_INVALID") => ModelError::Unauthorized { detail },
        408 | 500..=599 => ModelError::Unavailable { detail },
        _ => ModelError::Refused { detail },
    }
}

/// The status that a failure names in its content while it came with that of success, as
/// it does in the midst of a stream.
fn told_status(body: &str) -> Option<StatusCode> {
    let body: Value = serde_json::from_str(body).ok()?;
    let code = body.pointer("/error/code")?.as_u64()?;
    let status = StatusCode::from_u16(u16::try_from(code).ok()?).ok()?;
    (status.is_client_error() || status.is_server_error()).then_some(status)
}

/// A failure that came with the status of success and names a word.
fn by_code(response: &ProviderResponseError, detail: String) -> ModelError {
    let code = response.machine_code().unwrap_or_default().to_ascii_lowercase();
    let is = |words: &[&str]| words.iter().any(|word| code.contains(word));
    if response.refusal {
        ModelError::Refused { detail }
    } else if is(&["rate_limit", "resource_exhausted"]) {
        ModelError::RateLimited {
            retry_after: response.headers.as_ref().and_then(retry_after),
            detail,
        }
    } else if is(&["authentication", "permission", "invalid_api_key", "unauthenticated"]) {
        ModelError::Unauthorized { detail }
    } else if is(&["overloaded", "api_error", "server_error", "unavailable", "internal", "timeout"])
        || response.transient == Some(true)
    {
        ModelError::Unavailable { detail }
    } else {
        ModelError::Refused { detail }
    }
}

/// The provider's sentence, or all that it sent where there is none.
fn words(response: &ProviderResponseError) -> String {
    let body: Option<Value> = serde_json::from_str(&response.body).ok();
    let sentence = body.as_ref().and_then(|body| {
        ["/error/message", "/0/error/message", "/message", "/error"]
            .iter()
            .find_map(|pointer| body.pointer(pointer)?.as_str())
    });
    sentence.unwrap_or(&response.body).trim().to_owned()
}

/// `Retry-After`: seconds, or a date of HTTP.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}
