//! What a tool does when it is called, and what its definition says.

use toolstile_sdk::serde_json::{Map, Value, json};
use toolstile_sdk::{
    Attachment, ErrorKind, Status, Tool, ToolResponse, Traits, http, log, notes, progress, serde,
    shell, tool,
};

fn call(tool: impl Tool, arguments: Value) -> ToolResponse {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    tool.call(arguments)
}

fn answer(tool: impl Tool) -> ToolResponse {
    tool.call(Map::new())
}

/// Repeats
/// a word.
///
/// As often
/// as asked:
/// - once is the default,
/// - `0` gives nothing.
///
/// ```text
/// # no heading
/// ha ha
/// ```
///
/// # Arguments
///
/// * `word` - Overruled by the parameter's own comment.
/// * `times`: How often,
///   from 0.
///
/// # Panics
///
/// Never.
#[tool(title = "Repeater", read_only, idempotent)]
fn repeat(
    /// What to
    /// repeat.
    word: String,
    #[arg(default = 1)] times: u32,
    separator: Option<String>,
) -> String {
    vec![word; times as usize].join(&separator.unwrap_or_default())
}

#[test]
fn the_doc_comment_describes_the_tool_and_its_arguments() {
    let definition = repeat {}.definition();
    assert_eq!(definition.name, "repeat");
    assert_eq!(definition.title.as_deref(), Some("Repeater"));
    assert_eq!(
        definition.description,
        "Repeats a word.\n\nAs often as asked:\n- once is the default,\n- `0` gives nothing.\n\n\
         ```text\n# no heading\nha ha\n```"
    );
    let properties = &definition.input_schema["properties"];
    assert_eq!(properties["word"]["description"], "What to repeat.");
    assert_eq!(properties["times"]["description"], "How often, from 0.");
}

#[test]
fn flags_become_traits_and_everything_else_stays_false() {
    let expected = Traits { read_only: true, idempotent: true, ..Traits::default() };
    assert_eq!(repeat {}.definition().traits, expected);
    assert_eq!(repeat {}.definition().confirm_when, None);
}

/// Deletes.
#[tool(confirm_when = r#"{ "required": ["all"] }"#)]
fn delete(all: Option<bool>) -> bool {
    all.is_some()
}

#[test]
fn a_confirmation_rule_implies_the_flag_that_switches_it_on() {
    let definition = delete {}.definition();
    assert_eq!(definition.confirm_when, Some(json!({ "required": ["all"] })));
    assert!(definition.traits.requires_confirmation);
}

#[test]
fn absent_arguments_have_their_default_or_are_none() {
    assert_eq!(call(repeat {}, json!({ "word": "a" })).text, "a");
    let all = json!({ "word": "a", "times": 3, "separator": "-" });
    assert_eq!(call(repeat {}, all).text, "a-a-a");
    let null = json!({ "word": "a", "times": 2, "separator": null });
    assert_eq!(call(repeat {}, null).text, "aa", "null is as good as absent");
}

#[test]
fn an_argument_that_cannot_be_read_is_named() {
    let missing = call(repeat {}, json!({}));
    assert_eq!(missing, ToolResponse::error("argument `word` is missing"));
    let wrong = call(repeat {}, json!({ "word": "a", "times": -1 }));
    assert_eq!(
        wrong,
        ToolResponse::error("argument `times`: invalid value: integer `-1`, expected u32")
    );
}

#[test]
fn a_number_without_fraction_is_an_integer() {
    let whole = json!({ "word": "a", "times": 2.0 });
    assert_eq!(call(repeat {}, whole).text, "aa");
    let broken = call(repeat {}, json!({ "word": "a", "times": 2.5 }));
    assert_eq!(broken.status, Status::Error);
}

type Fallible<T> = Result<T, std::num::ParseIntError>;

#[derive(serde::Serialize)]
#[serde(crate = "toolstile_sdk::serde")]
struct Point {
    x: i32,
}

/// Answers owned text.
#[tool]
fn owned() -> String {
    "text".into()
}

/// Answers borrowed text.
#[tool]
fn borrowed() -> &'static str {
    "text"
}

/// Answers nothing.
#[tool]
fn nothing() {}

/// Answers nothing, if all goes well.
#[tool]
fn nothing_or_error() -> Result<(), String> {
    Ok(())
}

/// Answers that there is no value.
#[tool]
fn none() -> Option<u8> {
    None
}

/// Answers a number.
#[tool]
fn number() -> f64 {
    0.5
}

/// Answers a point.
#[tool]
fn point() -> Point {
    Point { x: 1 }
}

/// Answers a whole response.
#[tool]
fn response() -> ToolResponse {
    let picture = Attachment::Image { mime_type: "image/png".into(), data: vec![1] };
    ToolResponse::partial("some").with_data(Point { x: 2 }).with_attachment(picture)
}

/// Parses a number.
#[tool]
fn parse(text: String) -> Fallible<i32> {
    text.parse()
}

/// Answers a whole response, if all goes well.
#[tool]
fn response_or_error(fail: bool) -> Result<ToolResponse, toolstile_sdk::Error> {
    if fail { notes::read("x").map(ToolResponse::success) } else { Ok(ToolResponse::success("ok")) }
}

#[test]
fn text_is_the_answer_itself() {
    assert_eq!(answer(owned {}), ToolResponse::success("text"));
    assert_eq!(answer(borrowed {}), ToolResponse::success("text"));
}

#[test]
fn a_value_is_text_for_the_model_and_data_for_programs() {
    assert_eq!(answer(number {}), ToolResponse::success("0.5").with_data(0.5));
    assert_eq!(answer(point {}), ToolResponse::success(r#"{"x":1}"#).with_data(json!({ "x": 1 })));
    assert_eq!(answer(none {}), ToolResponse::success("null").with_data(Value::Null));
}

#[test]
fn nothing_is_done() {
    assert_eq!(answer(nothing {}), ToolResponse::success("done"));
    assert_eq!(answer(nothing_or_error {}), ToolResponse::success("done"));
}

#[test]
fn a_response_stays_what_it_is() {
    let response = answer(response {});
    assert_eq!((response.text.as_str(), response.status), ("some", Status::Partial));
    assert_eq!(response.data, Some(json!({ "x": 2 })));
    assert_eq!(response.attachments.len(), 1);
}

#[test]
fn an_error_is_an_error_answer_through_an_alias_too() {
    assert_eq!(call(parse {}, json!({ "text": "7" })), ToolResponse::success("7").with_data(7));
    assert_eq!(
        call(parse {}, json!({ "text": "x" })),
        ToolResponse::error("invalid digit found in string")
    );
    assert_eq!(call(response_or_error {}, json!({ "fail": false })).text, "ok");
    assert_eq!(call(response_or_error {}, json!({ "fail": true })).status, Status::Error);
}

#[test]
fn data_without_a_json_form_is_an_error_answer() {
    let map = std::collections::BTreeMap::from([(vec![1], 1)]);
    let response = ToolResponse::success("fine").with_data(map);
    assert_eq!(response, ToolResponse::error("the result has no JSON form: key must be a string"));
}

#[test]
fn host_interfaces_are_unavailable_in_native_code() {
    let error = notes::read("a.md").expect_err("there is no host");
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert_eq!(error.to_string(), "`notes` needs a host, and this is no component");
    let kinds = [
        shell::run("ls").expect_err("there is no host").kind,
        shell::run_words(["ls"]).expect_err("there is no host").kind,
        http::send(&http::Request::new("GET", "https://example.org")).expect_err("no host").kind,
        toolstile_sdk::exposure::add_tools(["x"]).expect_err("there is no host").kind,
    ];
    assert_eq!(kinds, [ErrorKind::Unavailable; 4]);
    log::info("nobody listens");
    progress::report(1.0, None, None);
}
