//! What resources and prompts have in common: bounds, and what an error of a guest means.

use toolstile_core::{FailureKind, OfferError, Redactor, ToolError, escape_invisible};

use crate::bindings::types::{Error, ErrorKind};
use crate::limits::PluginLimits;

/// Bytes of a name, a title or a media type, and of a description.
const MAX_TEXT: usize = 4096;

/// A text of a listing with what is invisible shown; `None` when it is too long.
#[expect(
    clippy::option_option,
    reason = "outside: whether it is good; inside: whether it is there"
)]
pub(crate) fn short(text: Option<String>) -> Option<Option<String>> {
    match text {
        Some(text) if text.len() > MAX_TEXT => None,
        text => Some(text.map(|text| escape_invisible(&text).into_owned())),
    }
}

/// An error that a guest answered.
pub(crate) fn refused(error: Error, redactor: &Redactor) -> OfferError {
    let message = escape_invisible(&redactor.owned(error.message)).into_owned();
    match error.kind {
        ErrorKind::NotFound => OfferError::NotFound(message),
        _ => OfferError::Refused(message),
    }
}

/// Whether an answer keeps to the plugin's limit.
pub(crate) fn check_size(
    sizes: impl Iterator<Item = usize>,
    limits: &PluginLimits,
) -> Result<(), OfferError> {
    let (bytes, max) = (sizes.sum::<usize>() as u64, limits.response_bytes);
    if bytes <= max {
        return Ok(());
    }
    let detail = format!("the answer has {bytes} bytes, at most {max} (`response_bytes`)");
    Err(OfferError::Failed(ToolError::new(FailureKind::HostData, detail)))
}
