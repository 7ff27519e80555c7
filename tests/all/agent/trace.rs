//! Vectors: what of an event may leave the machine. And the spans of a run.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolstile::agent::TraceRedactor;
use toolstile_tests::{Comparison, id, vectors};
use tracing::Dispatch;
use tracing::field::{Field, Visit};
use tracing::instrument::WithSubscriber as _;
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;

use super::stage::{agent, arc, plain, rounds};

#[test]
fn secrets_are_masked_as_the_vectors_say() {
    let different = [("trace_redaction-016", "a password in a URL is masked too")];
    let mut comparison = Comparison::new(&different);
    for case in vectors("seeds/trace_redaction.json") {
        let found = redactor(&case["options"]).export(&case["event"]);
        comparison.case(id(&case), case["exported"].clone(), found);
    }
    comparison.finish("trace redaction", 11);
    let url = json!({"a": "https://user:hunter2@host/"});
    assert_eq!(TraceRedactor::default().export(&url), json!({"a": "https://***@host/"}));
}

fn redactor(options: &Value) -> TraceRedactor {
    let list = |name: &str| options[name].as_array().cloned().unwrap_or_default();
    let mut redactor = TraceRedactor::default();
    if options["redact"] == false {
        redactor = redactor.cutting_only();
    }
    if let Some(max) = options["max_value_len"].as_u64() {
        redactor = redactor.max_chars(usize::try_from(max).expect("small"));
    }
    for name in list("extra_secret_keys") {
        redactor = redactor.secret_name(name.as_str().expect("a text"));
    }
    for pattern in list("extra_secret_patterns") {
        let pattern = pattern.as_str().expect("a text");
        redactor = redactor.secret_pattern(pattern).expect("a pattern");
    }
    redactor
}

type Fields = BTreeMap<String, String>;

/// Keeps the spans that were opened, with all their fields.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<(u64, Fields)>>>);

struct Reading<'a>(&'a mut Fields);

impl Visit for Reading<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").trim_matches('"').to_owned());
    }
}

impl<S: tracing::Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, _: Context<'_, S>) {
        let mut fields = Fields::new();
        attributes.record(&mut Reading(&mut fields));
        self.0.lock().expect("not poisoned").push((id.into_u64(), fields));
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        let mut spans = self.0.lock().expect("not poisoned");
        let open = spans.iter_mut().rev().find(|(open, _)| *open == id.into_u64());
        values.record(&mut Reading(&mut open.expect("an open span").1));
    }
}

/// A subscriber, and another one to be kept beside it: while there is only one, a place
/// in the code that is first met by a thread of another test is switched off for all.
fn subscriber(spans: &Spans) -> (Dispatch, Dispatch) {
    let other = Dispatch::new(tracing_subscriber::registry());
    (Dispatch::new(tracing_subscriber::registry().with(spans.clone())), other)
}

#[tokio::test]
async fn spans_carry_the_names_of_the_conventions_and_no_content() {
    let spans = Spans::default();
    let (subscriber, _other) = subscriber(&spans);
    let secret = "the text of the person";
    let model = rounds(&[json!([["1", "t", {"x": secret}], ["2", "nope", {}]]), json!("done")]);
    let agent = agent(&model, vec![arc(plain("t"))]).name("helper").build().expect("an agent");
    agent.run(secret).with_subscriber(subscriber).await.expect("a run");
    let spans = spans.0.lock().expect("not poisoned");
    let ours = spans.iter().map(|(_, fields)| fields);
    let ours: Vec<_> = ours.filter(|f| f.contains_key("gen_ai.operation.name")).collect();
    let names: Vec<_> = ours.iter().map(|fields| fields["otel.name"].as_str()).collect();
    let expected = [
        "invoke_agent helper",
        "chat scripted",
        "execute_tool t",
        "execute_tool nope",
        "chat scripted",
    ];
    assert_eq!(names, expected);
    assert_eq!(ours[0]["gen_ai.agent.name"], "helper");
    assert_eq!(ours[0]["gen_ai.conversation.id"].len(), 32);
    assert_eq!(ours[1]["gen_ai.provider.name"], "toolstile");
    assert_eq!(ours[1]["gen_ai.request.model"], "scripted");
    assert_eq!(ours[1]["gen_ai.response.finish_reasons"], "tool_calls");
    assert_eq!(ours[1]["gen_ai.usage.input_tokens"], "0");
    assert_eq!(ours[2]["gen_ai.tool.name"], "t");
    assert_eq!(ours[2]["gen_ai.tool.call.id"], "1");
    assert_eq!(ours[2]["gen_ai.tool.type"], "function");
    assert_eq!(ours[2]["toolstile.outcome"], "success");
    assert_eq!(ours[3]["error.type"], "unknown_tool");
    let all = format!("{spans:?}");
    assert!(!all.contains(secret), "{all}");
}

#[tokio::test]
async fn content_stands_in_spans_only_where_it_is_wanted_and_masked() {
    let spans = Spans::default();
    let (subscriber, _other) = subscriber(&spans);
    let model = rounds(&[json!([["1", "t", {"x": "plain", "api_key": "v"}]]), json!("done")]);
    let agent = agent(&model, vec![arc(plain("t"))]).trace_content(TraceRedactor::default());
    let agent = agent.build().expect("an agent");
    agent.run("go").with_subscriber(subscriber).await.expect("a run");
    let spans = spans.0.lock().expect("not poisoned");
    let call = spans.iter().map(|(_, fields)| fields);
    let mut call = call.filter(|f| f.contains_key("gen_ai.tool.call.result"));
    let fields = call.next().expect("the span of the call");
    let arguments: Value =
        serde_json::from_str(&unquoted(&fields["gen_ai.tool.call.arguments"])).expect("JSON");
    assert_eq!(arguments, json!({"x": "plain", "api_key": "***"}));
    assert_eq!(fields["gen_ai.tool.call.result"], "ran t");
}

/// What `Debug` made of a text.
fn unquoted(text: &str) -> String {
    text.replace("\\\"", "\"")
}
