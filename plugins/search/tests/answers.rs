//! Answers as the four sources give them: normal, empty, broken, refused.

use toolstile_plugin_search::{Answer, Entry, MAX_ENTRIES, Provider, Reason};
use toolstile_sdk::http::Response;

fn entry(title: &str, snippet: &str, url: &str) -> Entry {
    let part = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Entry { title: part(title), snippet: part(snippet), url: part(url) }
}

fn answer(answer: Option<&str>, results: &[Entry]) -> Answer {
    Answer { answer: answer.map(str::to_owned), results: results.to_vec() }
}

fn response(status: u16, body: &str) -> Response {
    Response { status, headers: Vec::new(), body: body.into(), truncated: false }
}

#[track_caller]
fn assert_read(provider: Provider, body: &str, expected: Result<Answer, Reason>) {
    assert_eq!(provider.read(&response(200, body)), expected);
}

const NOTHING: Answer = Answer { answer: None, results: Vec::new() };

#[test]
fn tavily() {
    let expected = [
        entry(
            "The A-0 system & its \"compiler\"",
            "Hopper's A-0 translated symbolic code <into> machine code.",
            "https://history.example.org/a-0?lang=en#hopper",
        ),
        entry(
            "Erster Compiler – Überblick",
            "第一个编译器 was written in 1952.",
            "http://compilers.example.com/first",
        ),
    ];
    let concluded = "Grace Hopper wrote the A-0 system, the first compiler, in 1952.";
    let read = |body, expected| assert_read(Provider::Tavily, body, expected);
    read(include_str!("answers/tavily_normal.json"), Ok(answer(Some(concluded), &expected)));
    let concluded = Some("I could not find anything.");
    read(include_str!("answers/tavily_empty.json"), Ok(answer(concluded, &[])));
    let partly = [
        entry("Only a title", "", ""),
        entry("", "Only a snippet", ""),
        entry("", "", "https://only.example/url"),
    ];
    read(include_str!("answers/tavily_missing_fields.json"), Ok(answer(None, &partly)));
    read(include_str!("answers/tavily_malformed.json"), Err(Reason::Unreadable));
    read(include_str!("answers/tavily_wrong_form.json"), Err(Reason::Unreadable));
}

#[test]
fn brave() {
    let expected = [
        entry(
            "Rust Programming Language",
            "A language empowering everyone to build reliable & efficient software.",
            "https://www.rust-lang.org/",
        ),
        entry(
            "What's new in \"Rust\" <2024>",
            "Nested markup stays text; 5 > 3 too.",
            "https://blog.example.org/rust?a=1&b=2",
        ),
    ];
    let read = |body, expected| assert_read(Provider::Brave, body, expected);
    read(include_str!("answers/brave_normal.json"), Ok(answer(None, &expected)));
    read(include_str!("answers/brave_empty.json"), Ok(NOTHING));
    let url = [entry("", "", "https://a.example/")];
    read(include_str!("answers/brave_missing_fields.json"), Ok(answer(None, &url)));
    read(include_str!("answers/brave_malformed.json"), Err(Reason::Unreadable));
}

#[test]
fn serpapi() {
    let expected = [
        entry(
            "K2 - the second-highest mountain",
            "At 8,611 metres above sea level, K2 is the second-highest mountain on Earth …",
            "https://peaks.example/k2",
        ),
        entry("Climbing K2", "A & B routes", "https://climb.example/?peak=k2&season=summer"),
    ];
    let read = |body, expected| assert_read(Provider::SerpApi, body, expected);
    read(include_str!("answers/serpapi_normal.json"), Ok(answer(Some("8,611 m"), &expected)));
    let boiling = [entry("Boiling", "100 °C", "https://boil.example/")];
    let concluded = Some("Water boils at 100 °C.");
    read(include_str!("answers/serpapi_snippet_answer.json"), Ok(answer(concluded, &boiling)));
    read(include_str!("answers/serpapi_empty.json"), Ok(NOTHING));
    let title = [entry("Only a title", "", "")];
    read(include_str!("answers/serpapi_missing_fields.json"), Ok(answer(None, &title)));
    read(include_str!("answers/serpapi_malformed.json"), Err(Reason::Unreadable));
}

#[test]
fn duckduckgo_without_its_advertisements() {
    let expected = [
        entry(
            "Rust Programming Language & tools",
            "A language empowering everyone — it's <fast>.",
            "https://www.rust-lang.org/?a=1&b=2",
        ),
        entry("Café ☕ 语言", "Nested blocks end here.", "https://direct.example/caf%C3%A9"),
        entry("Odd address", "", ""),
    ];
    let read = |body, expected| assert_read(Provider::DuckDuckGo, body, expected);
    read(include_str!("answers/duckduckgo_normal.html"), Ok(answer(None, &expected)));
    read(include_str!("answers/duckduckgo_only_ads.html"), Ok(NOTHING));
}

#[test]
fn duckduckgo_with_gaps() {
    let read = |body, expected| assert_read(Provider::DuckDuckGo, body, expected);
    read(include_str!("answers/duckduckgo_empty.html"), Ok(NOTHING));
    let cut_off = [
        entry("First title", "", "https://first.example/"),
        entry("Second", "Half a snip", "https://second.example/"),
    ];
    read(include_str!("answers/duckduckgo_cut_off.html"), Ok(answer(None, &cut_off)));
    let partly = [
        entry("No link", "", ""),
        entry("", "Only a snippet", ""),
        entry("", "", "https://no-title.example/"),
    ];
    read(include_str!("answers/duckduckgo_missing_fields.html"), Ok(answer(None, &partly)));
}

#[test]
fn duckduckgo_that_is_no_list_of_results() {
    let read = |body, expected| assert_read(Provider::DuckDuckGo, body, expected);
    let captcha = include_str!("answers/duckduckgo_captcha.html");
    read(captcha, Err(Reason::Captcha));
    assert_eq!(Provider::DuckDuckGo.read(&response(202, captcha)), Err(Reason::Captcha));
    read(include_str!("answers/duckduckgo_malformed.html"), Err(Reason::Unreadable));
    read("", Err(Reason::Unreadable));
}

#[test]
fn a_status_other_than_200_counts_whatever_comes_with_it() {
    for (provider, body) in [
        (Provider::Tavily, include_str!("answers/tavily_rate_limited.json")),
        (Provider::Brave, include_str!("answers/brave_rate_limited.json")),
        (Provider::SerpApi, include_str!("answers/serpapi_rate_limited.json")),
        (Provider::DuckDuckGo, include_str!("answers/duckduckgo_normal.html")),
    ] {
        for status in [429, 401, 500, 301, 204] {
            assert_eq!(provider.read(&response(status, body)), Err(Reason::Status(status)));
        }
    }
}

#[test]
fn an_endless_answer_is_bounded() {
    let result = r#"<div class="result"><a class="result__a" href="https://a.example">T</a></div>"#;
    let entry = r#"{"title": "T"}"#;
    for (provider, body) in [
        (Provider::DuckDuckGo, result.repeat(1000)),
        (
            Provider::Tavily,
            format!("{{\"results\": [{entry}{}]}}", format!(",{entry}").repeat(1000)),
        ),
    ] {
        let answer = provider.read(&response(200, &body)).expect("it can be read");
        assert_eq!(answer.results.len(), MAX_ENTRIES, "{provider:?}");
    }
}

#[test]
fn bytes_that_are_no_text_break_nothing() {
    for provider in Provider::ALL {
        let body = b"\xff\xfe<div class=\"result\">\xff".to_vec();
        let response = Response { body, ..response(200, "") };
        let expected =
            if provider == Provider::DuckDuckGo { Ok(NOTHING) } else { Err(Reason::Unreadable) };
        assert_eq!(provider.read(&response), expected, "{provider:?}");
    }
}
