//! What the sources are asked, and which of them.

use serde_json::{Value, json};
use toolstile_plugin_search::{Order, Provider};
use toolstile_sdk::http::Request;

const QUERY: &str = "a&b \"c\" é?";

fn request(provider: Provider) -> Request {
    provider.request(provider.endpoint(), QUERY, 7)
}

#[test]
fn queries_are_escaped() {
    let urls = Provider::ALL.map(|provider| request(provider).url);
    let expected = [
        "https://api.tavily.com/search",
        "https://html.duckduckgo.com/html/?q=a%26b+%22c%22+%C3%A9%3F",
        "https://api.search.brave.com/res/v1/web/search?q=a%26b+%22c%22+%C3%A9%3F&count=7",
        "https://serpapi.com/search.json?engine=google&q=a%26b+%22c%22+%C3%A9%3F",
    ];
    assert_eq!(urls, expected);
}

#[test]
fn tavily_is_asked_in_json() {
    let Request { method, headers, body, .. } = request(Provider::Tavily);
    assert_eq!(method, "POST");
    assert_eq!(headers, [("Content-Type".to_owned(), "application/json".to_owned())]);
    let body: Value = serde_json::from_slice(&body.expect("there is content")).expect("it is JSON");
    assert_eq!(body, json!({ "query": QUERY, "max_results": 7, "include_answer": true }));
}

#[test]
fn the_others_get_no_content_and_nobody_a_key() {
    for provider in Provider::ALL {
        let request = request(provider);
        assert_eq!(request.body.is_some(), provider == Provider::Tavily);
        let text = format!("{request:?}").to_lowercase();
        for word in ["api_key", "authorization", "x-subscription-token"] {
            assert!(!text.contains(word), "{provider:?}: {text}");
        }
    }
}

#[test]
fn another_endpoint_keeps_its_own_query() {
    let request = Provider::SerpApi.request("http://127.0.0.1:1/s?no_cache=true", "x", 1);
    assert_eq!(request.url, "http://127.0.0.1:1/s?no_cache=true&engine=google&q=x");
}

#[test]
fn sources_are_chosen_by_name() {
    assert_eq!(Order::default().0, Provider::ALL);
    let order: Order = " brave , tavily,brave".parse().expect("these are sources");
    assert_eq!(order.0, [Provider::Brave, Provider::Tavily]);
    for (names, wrong) in [("brave,bing", "`bing`"), ("", "``"), ("Brave", "`Brave`")] {
        let error = names.parse::<Order>().expect_err("this is no source").to_string();
        assert!(error.starts_with(wrong) && error.contains("`duckduckgo`"), "{error}");
    }
}

#[test]
fn each_source_has_a_setting_for_its_endpoint() {
    for provider in Provider::ALL {
        assert_eq!(provider.endpoint_setting(), format!("{}_url", provider.name()));
    }
}
