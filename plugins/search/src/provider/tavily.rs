//! Tavily: JSON both ways, results as plain text, and an answer of its own.

use serde_json::json;
use toolstile_sdk::http::Request;

use super::json::{Shape, plain};

pub(super) const SHAPE: Shape = Shape {
    answers: &["/answer"],
    results: "/results",
    title: "title",
    snippet: "content",
    url: "url",
    prose: plain,
};

pub(super) fn request(endpoint: &str, query: &str, count: u8) -> Request {
    let body = json!({ "query": query, "max_results": count, "include_answer": true });
    let request = Request::new("POST", endpoint).with_header("Content-Type", "application/json");
    request.with_body(body.to_string())
}
