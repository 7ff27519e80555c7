//! What was found, or why nothing was, as an answer.

use serde::Serialize;
use toolstile_sdk::ToolResponse;

use crate::fallback::{Failure, Found, Reason};
use crate::{Entry, texts};

/// The answer with results: at most `max_results` of them in the text, all of them
/// in the data.
pub fn found(found: &Found, max_results: usize) -> ToolResponse {
    let source = found.provider.label();
    let mut lines = vec![texts::SOURCE.with(&[("source", &source)])];
    if let Some(answer) = &found.answer.answer {
        lines.extend([texts::ANSWER.with(&[("answer", answer)]), String::new()]);
    }
    let shown = found.answer.results.iter().take(max_results);
    lines.extend(shown.enumerate().map(|(index, entry)| entry_lines(index + 1, entry)));
    ToolResponse::success(lines.join("\n")).with_data(Data::new(found))
}

fn entry_lines(number: usize, entry: &Entry) -> String {
    let [title, snippet, url] =
        [&entry.title, &entry.snippet, &entry.url].map(|part| part.as_deref().unwrap_or_default());
    format!("{number}. {title}\n   {snippet}\n   {url}")
}

/// What programs get.
#[derive(Serialize)]
struct Data<'a> {
    source: &'static str,
    answer: Option<&'a str>,
    results: &'a [Entry],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    degraded: Vec<String>,
}

impl<'a> Data<'a> {
    fn new(found: &'a Found) -> Self {
        let failure =
            |failure: &Failure| format!("{}: {}", failure.provider.label(), failure.reason.text());
        Self {
            source: found.provider.label(),
            answer: found.answer.answer.as_deref(),
            results: &found.answer.results,
            degraded: found.degraded.iter().map(failure).collect(),
        }
    }
}

/// The error where no source has results, with the reason of each.
pub fn nothing(failures: &[Failure]) -> ToolResponse {
    let all_denied = failures.iter().map(|failure| &failure.reason).all(Reason::is_denial);
    let head = if all_denied { texts::NONE_GRANTED } else { texts::ALL_FAILED };
    let lines = failures.iter().map(|Failure { provider, reason }| {
        texts::FAILURE.with(&[("source", &provider.label()), ("reason", &reason.text())])
    });
    let lines: Vec<String> = std::iter::once(head.plain()).chain(lines).collect();
    ToolResponse::error(lines.join("\n"))
}
