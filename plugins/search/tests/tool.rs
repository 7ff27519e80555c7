//! What the host is shown of the tool, and the calls that no source is asked about.

use serde_json::{Map, Value, json};
use toolstile_plugin_search::search;
use toolstile_sdk::{Status, Tool, ToolResponse};

fn call(arguments: Value) -> ToolResponse {
    search {}.call(arguments.as_object().cloned().unwrap_or_default())
}

#[test]
fn the_definition_says_what_searching_is() {
    let definition = search {}.definition();
    let properties = &definition.input_schema["properties"];
    assert_eq!(properties["query"]["type"], "string");
    let Value::Object(max_results) = &properties["max_results"] else { panic!("it is described") };
    let bounds = ["type", "minimum", "maximum", "default"].map(|key| max_results[key].clone());
    assert_eq!(bounds, [json!("integer"), json!(1), json!(20), json!(5)]);
    assert_eq!(definition.input_schema["required"], json!(["query"]));
    let traits = definition.traits;
    assert!(traits.external_content && traits.supports_parallel);
    assert!(traits.read_only && traits.open_world && !traits.requires_confirmation);
}

#[test]
fn a_query_is_neither_blank_nor_endless() {
    for query in ["", " \n\t"] {
        let expected = ToolResponse::error("the query is empty: say what to look for");
        assert_eq!(call(json!({ "query": query })), expected);
    }
    let text = "the query has 401 characters, at most 400 are allowed: leave out words";
    assert_eq!(call(json!({ "query": "é".repeat(401) })), ToolResponse::error(text));
    let longest = call(json!({ "query": format!(" {} ", "é".repeat(400)) }));
    assert!(longest.text.starts_with("no source has an answer"), "{}", longest.text);
}

#[test]
fn the_number_of_results_is_bounded() {
    for number in [0, 21] {
        let response = call(json!({ "query": "x", "max_results": number }));
        assert_eq!(response.text, "argument `max_results`: it has to be at least 1 and at most 20");
    }
}

#[test]
fn a_call_without_a_host_names_what_is_missing() {
    let response = search {}.call(Map::from_iter([("query".to_owned(), json!("x"))]));
    assert_eq!(response.status, Status::Error);
    let reason = "`http` needs a host, and this is no component";
    for source in ["Tavily", "DuckDuckGo", "Brave", "SerpAPI"] {
        let line = format!("- {source}: {reason}");
        assert!(response.text.contains(&line), "{}", response.text);
    }
}
