//! The bundled `search` against a local server that answers as the four providers do.

use serde_json::{Value, json};
use toolstile::{Host, Status};

use super::server::{Seen, Server};
use super::{Person, Place};

const TAVILY: &str = r#"{"answer": "Forty-two.", "results": [
    {"title": "From Tavily", "url": "https://tavily.example/a", "content": "about it", "score": 0.9}
]}"#;
const DUCKDUCKGO: &str = r#"<html><body><div class="results"><div class="result results_links web-result">
    <h2 class="result__title"><a rel="nofollow" class="result__a"
      href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fduck.example%2Fa%3Fb%3D1&amp;rut=x">From <b>Duck</b> &amp; Go</a></h2>
    <a class="result__snippet" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fduck.example%2Fa%3Fb%3D1">said <b>so</b></a>
    </div></div></body></html>"#;
const BRAVE: &str = r#"{"web": {"results": [
    {"title": "From Brave", "url": "https://brave.example/a", "description": "it <strong>is</strong>"}
]}}"#;
const SERPAPI: &str = r#"{"organic_results": [
    {"position": 1, "title": "From SerpAPI", "link": "https://serp.example/a", "snippet": "it was"}
]}"#;

fn config(server: &str) -> String {
    let setting = |name| format!("{name}_url = '{server}/{name}'\n");
    let settings: String = ["tavily", "duckduckgo", "brave", "serpapi"].map(setting).concat();
    format!(
        "
        [secrets]
        tavily = {{ command = ['printf', 'tvly-secret-key'] }}
        serpapi = {{ command = ['printf', 'serp-secret-key'] }}
        [plugin.search.settings]
        {settings}
        [plugin.search.grants.http]
        allow = [
            {{ url = '{server}/tavily', methods = ['POST'] }},
            '{server}/duckduckgo', '{server}/brave', '{server}/serpapi',
        ]
        [[plugin.search.grants.http.credentials]]
        secret = 'tavily'
        for = '{server}/tavily'
        header = 'Authorization'
        prefix = 'Bearer '
        [[plugin.search.grants.http.credentials]]
        secret = 'serpapi'
        for = '{server}/serpapi'
        query = 'api_key'
        "
    )
}

/// A host whose providers are one server; `fails` says which of them are down.
async fn providers(fails: &'static [&'static str]) -> (Server, Host) {
    let server = Server::start(move |seen: &Seen| {
        let path = seen.line.split(' ').nth(1).unwrap_or_default();
        let name = path.trim_start_matches('/').split(['?', '/']).next().unwrap_or_default();
        if fails.contains(&name) {
            return (
                429,
                "Content-Type: application/json\r\n",
                "{\"error\": \"slow down\"}".into(),
            );
        }
        let (kind, body) = match name {
            "tavily" => ("Content-Type: application/json\r\n", TAVILY),
            "duckduckgo" => ("Content-Type: text/html; charset=UTF-8\r\n", DUCKDUCKGO),
            "brave" => ("Content-Type: application/json\r\n", BRAVE),
            "serpapi" => ("Content-Type: application/json\r\n", SERPAPI),
            _ => return (404, "", String::new()),
        };
        (200, kind, body.to_owned())
    })
    .await;
    let host = Place::with_config(&config(&server.url)).host(&Person::who_declines()).await;
    (server, host)
}

async fn search(host: &Host) -> (toolstile::ToolResponse, Value) {
    let response = host.call("search", json!({"query": " why \"it\" & more "})).await.response();
    let data = response.data.clone().unwrap_or_default();
    (response, data)
}

#[tokio::test]
async fn each_provider_answers_when_those_before_it_do_not() {
    for (fails, source, url) in [
        (&[][..], "Tavily", "https://tavily.example/a"),
        (&["tavily"][..], "DuckDuckGo", "https://duck.example/a?b=1"),
        (&["tavily", "duckduckgo"][..], "Brave", "https://brave.example/a"),
        (&["tavily", "duckduckgo", "brave"][..], "SerpAPI", "https://serp.example/a"),
    ] {
        let (server, host) = providers(fails).await;
        let (response, data) = search(&host).await;
        assert_eq!(response.status, Status::Success, "{}", response.text);
        assert_eq!((&data["source"], &data["results"][0]["url"]), (&json!(source), &json!(url)));
        assert!(response.text.contains(source) && response.text.contains(url), "{}", response.text);
        assert_eq!(data.get("degraded").map_or(0, |d| d.as_array().unwrap().len()), fails.len());
        assert_eq!(server.seen().len(), fails.len() + 1);
    }
}

#[tokio::test]
async fn keys_are_put_in_by_the_host() {
    let (server, host) = providers(&["tavily", "duckduckgo", "brave"]).await;
    search(&host).await;
    let seen = server.seen();
    assert!(seen[0].head.contains("authorization: bearer tvly-secret-key"), "{:?}", seen[0]);
    assert!(seen[0].body.contains("why \\\"it\\\" & more"), "{:?}", seen[0]);
    assert!(!seen[0].body.contains("secret-key"));
    assert!(seen[1].line.starts_with("GET ") && seen[1].line.contains("%22it%22"), "{:?}", seen[1]);
    assert!(seen[3].line.contains("api_key=serp-secret-key"), "{:?}", seen[3]);
    assert!(!seen[1].head.contains("secret-key") && !seen[2].head.contains("secret-key"));
}

#[tokio::test]
async fn when_all_fail_each_says_why() {
    let (_, host) = providers(&["tavily", "duckduckgo", "brave", "serpapi"]).await;
    let (response, _) = search(&host).await;
    assert_eq!(response.status, Status::Error);
    for source in ["Tavily", "DuckDuckGo", "Brave", "SerpAPI"] {
        assert!(response.text.contains(source), "{}", response.text);
    }
    assert!(!response.text.contains("secret-key"), "{}", response.text);
}

#[tokio::test]
async fn what_it_found_is_wrapped_as_the_text_of_strangers() {
    let (_, host) = providers(&[]).await;
    let completion = host.call("search", json!({"query": "x"})).await;
    assert!(completion.model_text().starts_with("[external content "));
}

#[tokio::test]
async fn without_a_grant_the_answer_names_the_line_that_grants() {
    let host = Place::with_config("").host(&Person::who_declines()).await;
    let (response, _) = search(&host).await;
    assert_eq!(response.status, Status::Error);
    assert!(response.text.contains("[plugin.search.grants.http]"), "{}", response.text);
}
