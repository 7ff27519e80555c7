//! Searches the web through several sources: a toolstile plugin.
//!
//! The way of a query: `provider` makes a request of it and reads the response,
//! `fallback` goes from one source to the next, `report` words the answer. All of
//! these run and are tested anywhere; this file is the tool around them and the one
//! place that asks the host.

mod answer;
mod fallback;
mod html;
mod provider;
pub mod report;
pub mod texts;

use toolstile_sdk::settings::{self, InvalidSetting};
use toolstile_sdk::{ToolResponse, export, http, schemars, tool};

pub use answer::{Answer, Entry, MAX_ENTRIES, MAX_TEXT, MAX_TITLE, MAX_URL};
pub use fallback::{Failure, Found, Reason, first_found};
pub use provider::{Order, Provider, UnknownProvider};

/// What a query may have at most, in characters (Unicode scalar values); the least
/// of what the sources take.
pub const MAX_QUERY: usize = 400;

/// How many results are asked for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(try_from = "u8")]
#[schemars(crate = "toolstile_sdk::schemars", with = "u8", extend("minimum" = 1, "maximum" = 20))]
pub struct MaxResults(u8);

impl TryFrom<u8> for MaxResults {
    type Error = &'static str;

    fn try_from(number: u8) -> Result<Self, Self::Error> {
        match number {
            1..=20 => Ok(Self(number)),
            _ => Err("it has to be at least 1 and at most 20"),
        }
    }
}

/// Searches the web and answers with titles, snippets and addresses of pages. Use
/// it for what may have changed lately or what you do not know.
///
/// Several sources are asked in turn until one has results. Snippets are short:
/// they say where to read on.
#[tool(
    title = "Web search",
    external_content,
    supports_parallel,
    read_only,
    open_world,
    output_schema = r#"{
        "type": "object",
        "properties": {
            "source": { "type": "string", "description": "Who has the results." },
            "answer": { "type": ["string", "null"], "description": "What the source itself concluded." },
            "results": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "title": { "type": ["string", "null"] },
                        "snippet": { "type": ["string", "null"] },
                        "url": { "type": ["string", "null"] }
                    },
                    "required": ["title", "snippet", "url"]
                },
                "description": "All results, also those beyond `max_results`."
            },
            "degraded": {
                "type": "array",
                "items": { "type": "string" },
                "description": "The sources that were asked before and failed, each with its reason."
            }
        },
        "required": ["source", "answer", "results"]
    }"#
)]
pub fn search(
    /// What to look for: a question or a few words, at most 400 characters.
    query: String,
    /// How many results to show, from 1 to 20.
    #[arg(default = MaxResults(5))]
    max_results: MaxResults,
) -> Result<ToolResponse, InvalidSetting> {
    let query = query.trim();
    if let Some(refusal) = refused(query) {
        return Ok(refusal);
    }
    let Order(providers) = settings::parse("providers")?.unwrap_or_default();
    let found = first_found(&providers, |provider| ask(provider, query, max_results));
    Ok(match found {
        Ok(found) => report::found(&found, max_results.0.into()),
        Err(failures) => report::nothing(&failures),
    })
}

/// The error for a query that no source should get.
fn refused(query: &str) -> Option<ToolResponse> {
    let characters = query.chars().count();
    let text = match characters {
        0 => texts::EMPTY_QUERY.plain(),
        1..=MAX_QUERY => return None,
        _ => texts::LONG_QUERY.with(&[("characters", &characters), ("max", &MAX_QUERY)]),
    };
    Some(ToolResponse::error(text))
}

fn ask(provider: Provider, query: &str, count: MaxResults) -> Result<Answer, Reason> {
    let endpoint = settings::get(provider.endpoint_setting());
    let endpoint = endpoint.as_deref().unwrap_or(provider.endpoint());
    let request = provider.request(endpoint, query, count.0);
    let response = http::send(&request).map_err(Reason::Host)?;
    provider.read(&response)
}

export!(search);
