//! The sources: what each is asked, and how its answer is read. None of them ever
//! sees a key here: the host puts credentials into requests.

mod brave;
mod duckduckgo;
mod json;
mod serpapi;
mod tavily;

use std::fmt;
use std::str::FromStr;

use toolstile_sdk::http::{Request, Response};

use crate::{Answer, Reason};

/// A source of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// <https://docs.tavily.com/documentation/api-reference/endpoint/search>
    Tavily,
    /// The page for browsers without scripts; it needs no key.
    DuckDuckGo,
    /// <https://api-dashboard.search.brave.com/app/documentation/web-search/get-started>
    Brave,
    /// <https://serpapi.com/search-api>
    SerpApi,
}

impl Provider {
    /// All of them, in the order in which they are asked.
    pub const ALL: [Self; 4] = [Self::Tavily, Self::DuckDuckGo, Self::Brave, Self::SerpApi];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tavily => "tavily",
            Self::DuckDuckGo => "duckduckgo",
            Self::Brave => "brave",
            Self::SerpApi => "serpapi",
        }
    }

    /// Its name for people and models.
    pub fn label(self) -> &'static str {
        match self {
            Self::Tavily => "Tavily",
            Self::DuckDuckGo => "DuckDuckGo",
            Self::Brave => "Brave",
            Self::SerpApi => "SerpAPI",
        }
    }

    /// The setting that overrules [`Self::endpoint`].
    pub fn endpoint_setting(self) -> &'static str {
        match self {
            Self::Tavily => "tavily_url",
            Self::DuckDuckGo => "duckduckgo_url",
            Self::Brave => "brave_url",
            Self::SerpApi => "serpapi_url",
        }
    }

    /// Where it is asked, without a query.
    pub fn endpoint(self) -> &'static str {
        match self {
            Self::Tavily => "https://api.tavily.com/search",
            Self::DuckDuckGo => "https://html.duckduckgo.com/html/",
            Self::Brave => "https://api.search.brave.com/res/v1/web/search",
            Self::SerpApi => "https://serpapi.com/search.json",
        }
    }

    /// The request that asks `endpoint` for `count` results.
    pub fn request(self, endpoint: &str, query: &str, count: u8) -> Request {
        match self {
            Self::Tavily => tavily::request(endpoint, query, count),
            Self::DuckDuckGo => get(endpoint, &[("q", query)]),
            Self::Brave => {
                let parameters = [("q", query), ("count", &count.to_string())];
                get(endpoint, &parameters).with_header("Accept", "application/json")
            }
            Self::SerpApi => get(endpoint, &[("engine", "google"), ("q", query)]),
        }
    }

    /// What the response says.
    ///
    /// # Errors
    ///
    /// Why it says nothing: a status, a captcha, an unknown form. No results are no
    /// error here.
    pub fn read(self, response: &Response) -> Result<Answer, Reason> {
        if self == Self::DuckDuckGo && response.status == duckduckgo::CAPTCHA_STATUS {
            return Err(Reason::Captcha);
        }
        if response.status != 200 {
            return Err(Reason::Status(response.status));
        }
        match self {
            Self::Tavily => json::read(&response.body, &tavily::SHAPE),
            Self::DuckDuckGo => duckduckgo::read(&response.body),
            Self::Brave => json::read(&response.body, &brave::SHAPE),
            Self::SerpApi => json::read(&response.body, &serpapi::SHAPE),
        }
    }
}

fn get(endpoint: &str, parameters: &[(&str, &str)]) -> Request {
    let separator = if endpoint.contains('?') { '&' } else { '?' };
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish();
    Request::new("GET", format!("{endpoint}{separator}{query}"))
}

/// Which sources are asked, in order: the setting `providers`, names apart by commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order(pub Vec<Provider>);

impl Default for Order {
    fn default() -> Self {
        Self(Provider::ALL.to_vec())
    }
}

impl FromStr for Order {
    type Err = UnknownProvider;

    fn from_str(names: &str) -> Result<Self, UnknownProvider> {
        let mut order = Vec::new();
        for name in names.split(',').map(str::trim) {
            let known = Provider::ALL.into_iter().find(|provider| provider.name() == name);
            let provider = known.ok_or_else(|| UnknownProvider(name.to_owned()))?;
            if !order.contains(&provider) {
                order.push(provider);
            }
        }
        Ok(Self(order))
    }
}

/// A name that is no source's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownProvider(String);

impl fmt::Display for UnknownProvider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Provider::ALL.map(Provider::name).join("`, `");
        write!(formatter, "`{}` is no source, there are `{known}`, separated by commas", self.0)
    }
}

impl std::error::Error for UnknownProvider {}
