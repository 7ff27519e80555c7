//! From source to source: the public vectors, and what all reasons look like.

use serde_json::{Value, json};
use toolstile_plugin_search::{
    Answer, Entry, Failure, Provider, Reason, first_found, report, search,
};
use toolstile_sdk::{Error, ErrorKind, Status, Tool, ToolResponse};

const VECTORS: &str = include_str!("../../../tests/cases/seeds/search_fallback.json");

#[test]
fn vectors_hold() {
    let vectors: Value = serde_json::from_str(VECTORS).expect("the vectors are readable");
    let cases = vectors["cases"].as_array().expect("there are cases");
    let (calls, parameters): (Vec<&Value>, Vec<&Value>) =
        cases.iter().partition(|case| case.get("plan").is_some());
    assert_eq!((calls.len(), parameters.len()), (9, 2));
    let failures: Vec<String> = calls.into_iter().filter_map(failure).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    for case in parameters {
        let number =
            case["description"].as_str().and_then(|text| text.strip_prefix("max_results="));
        let number: i64 = number.and_then(|number| number.parse().ok()).expect("a number");
        let response = call(json!({ "query": "x", "max_results": number }));
        assert_eq!(response.status, Status::Error, "{}", case["id"]);
    }
}

/// What is wrong with the answer to a case.
fn failure(case: &Value) -> Option<String> {
    let plan = case["plan"].as_array().expect("a plan");
    let response = match text(&case["query"]).trim() {
        "" => call(json!({ "query": case["query"] })),
        _ => answer(plan),
    };
    let status = if response.status == Status::Success { "success" } else { "error" };
    let right = status == text(&case["status"])
        && response.data.unwrap_or_default() == case["data"]
        && case["text"].as_str().is_none_or(|text| text == response.text);
    (!right).then(|| format!("{}: {status}: {}", case["id"], response.text))
}

/// The answer where the sources do as planned: a text is the reason of a failure.
fn answer(plan: &[Value]) -> ToolResponse {
    let planned = |provider| {
        let index = Provider::ALL.iter().position(|known| *known == provider);
        let plan = &plan[index.expect("it is one of all")];
        match plan.as_str() {
            Some(reason) => Err(unavailable(reason)),
            None => Ok(Answer {
                answer: part(&plan["answer"]),
                results: plan["results"].as_array().into_iter().flatten().map(entry).collect(),
            }),
        }
    };
    match first_found(&Provider::ALL, planned) {
        Ok(found) => report::found(&found, 5),
        Err(failures) => report::nothing(&failures),
    }
}

fn entry(value: &Value) -> Entry {
    let [title, snippet, url] = ["title", "snippet", "url"].map(|name| part(&value[name]));
    Entry { title, snippet, url }
}

fn part(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn call(arguments: Value) -> ToolResponse {
    search {}.call(arguments.as_object().cloned().unwrap_or_default())
}

fn unavailable(message: &str) -> Reason {
    Reason::Host(Error { kind: ErrorKind::Unavailable, message: message.into() })
}

fn denied(message: &str) -> Reason {
    Reason::Host(Error { kind: ErrorKind::Denied, message: message.into() })
}

fn two_results() -> Answer {
    let entry = |title: &str| Entry { title: Some(title.into()), ..Entry::default() };
    Answer { answer: None, results: vec![entry("A"), entry("B")] }
}

#[test]
fn sources_are_asked_in_order_and_no_further_than_needed() {
    let mut asked = Vec::new();
    let order = [Provider::SerpApi, Provider::Brave, Provider::Tavily];
    let found = first_found(&order, |provider| {
        asked.push(provider);
        if provider == Provider::Brave { Ok(two_results()) } else { Err(Reason::Captcha) }
    });
    assert_eq!(asked, order[..2]);
    assert_eq!(found.expect("Brave has results").provider, Provider::Brave);
}

#[test]
fn every_reason_is_told() {
    let reasons = [
        (Provider::Tavily, unavailable("no key")),
        (Provider::DuckDuckGo, Reason::Captcha),
        (Provider::Brave, Reason::Status(429)),
        (Provider::SerpApi, Reason::Status(500)),
        (Provider::Brave, Reason::Unreadable),
        (Provider::SerpApi, Reason::Empty),
    ];
    let failures = reasons.map(|(provider, reason)| Failure { provider, reason });
    let response = report::nothing(&failures);
    assert_eq!((response.status, response.data), (Status::Error, None));
    assert_eq!(
        response.text,
        "no source has an answer:\n\
         - Tavily: no key\n\
         - DuckDuckGo: it takes this for a robot and shows a captcha\n\
         - Brave: it refuses more requests for now (status 429)\n\
         - SerpAPI: it answered with status 500\n\
         - Brave: its answer cannot be read\n\
         - SerpAPI: no results"
    );
}

#[test]
fn where_nothing_is_granted_the_error_says_so() {
    let failures = first_found(&Provider::ALL, |_| Err(denied("not granted")));
    let response = report::nothing(&failures.expect_err("all are denied"));
    assert!(
        response.text.starts_with(
            "searching is not possible, the operator has granted none of its sources:\n\
             - Tavily: not granted\n"
        ),
        "{}",
        response.text
    );
}

#[test]
fn the_text_is_capped_and_the_data_is_not() {
    let found = first_found(&[Provider::Brave], |_| Ok(two_results())).expect("it has results");
    let response = report::found(&found, 1);
    assert_eq!(response.text, "[source: Brave]\n1. A\n   \n   ");
    let data = response.data.expect("there is data");
    assert_eq!(data["results"].as_array().map(Vec::len), Some(2));
    assert_eq!(data.get("degraded"), None);
}
