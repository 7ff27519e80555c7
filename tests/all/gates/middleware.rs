//! What functions of the embedding program can do to a call, and what they cannot.

use std::sync::Arc;

use serde_json::json;
use toolstile::{Origin, RegisteredTool, Status};
use toolstile_tests::RecordingTool;

use super::scene::{Played, Scene, Step, VALID};

async fn play(steps: Vec<Step>) -> Played {
    Scene { middleware: steps, ..Scene::default() }.play(VALID).await
}

const COMPLETED: &str = r#"{"mode":"add","path":"a"}"#;

#[tokio::test]
async fn replaced_arguments_are_validated_shown_and_run() {
    let played = play(vec![Step::Replaces(json!({"path": "b"}))]).await;
    let replaced = r#"{"mode":"add","path":"b"}"#;
    let expected = [
        format!("middleware {COMPLETED}"),
        format!("confirm {replaced}"),
        format!("tool {replaced}"),
        "audit success".to_owned(),
    ];
    assert_eq!(played.log, expected);
    let gates = played.gates();
    assert_eq!(
        gates[3..],
        ["middleware changed", "schema passed", "confirm passed", "capabilities passed"]
    );
}

#[tokio::test]
async fn replaced_arguments_that_are_not_valid_are_refused() {
    let mut deep = json!(1);
    for _ in 0..40 {
        deep = json!([deep]);
    }
    for invalid in
        [json!({}), json!({"path": 1}), json!({"path": "a", "x": 1}), json!({"path": deep})]
    {
        let played = play(vec![Step::Replaces(invalid.clone())]).await;
        assert_eq!(played.log, [format!("middleware {COMPLETED}"), "audit refused".into()]);
        assert_eq!(played.gates()[3..], ["middleware changed", "schema refused"], "{invalid}");
    }
}

#[tokio::test]
async fn an_answer_of_a_middleware_reaches_neither_person_nor_tool() {
    let played = play(vec![Step::Passes, Step::Answers("from a cache")]).await;
    let seen = format!("middleware {COMPLETED}");
    assert_eq!(played.log, [seen.clone(), seen, "audit success".into()]);
    assert_eq!(played.gates()[3..], ["middleware answered"]);
    assert_eq!(played.text(), "from a cache");
}

#[tokio::test]
async fn a_rejection_ends_the_call() {
    let played = play(vec![Step::Rejects("not on a Sunday"), Step::Passes]).await;
    assert_eq!(played.log, [format!("middleware {COMPLETED}"), "audit refused".into()]);
    assert_eq!(played.gates()[3..], ["middleware refused"]);
    assert_eq!(played.completion.record.reason, Some("rejected"));
}

#[tokio::test]
async fn a_middleware_that_panics_refuses() {
    let played = play(vec![Step::Panics]).await;
    assert_eq!(played.log, [format!("middleware {COMPLETED}"), "audit refused".into()]);
    assert_eq!(played.gates()[3..], ["middleware refused"]);
}

#[tokio::test]
async fn a_panic_after_the_tool_ran_leaves_one_record_of_both() {
    let played = play(vec![Step::PanicsAfterwards]).await;
    assert_eq!(played.log[2..], [format!("tool {COMPLETED}"), "audit refused".into()]);
    let expected = ["capabilities passed", "middleware refused"];
    assert_eq!(played.gates()[5..], expected);
    assert_eq!(played.records.len(), 1);
}

#[tokio::test]
async fn a_second_try_is_confirmed_again() {
    let played = play(vec![Step::Repeats]).await;
    let count = |word: &str| played.log.iter().filter(|line| line.starts_with(word)).count();
    assert_eq!((count("confirm"), count("tool"), count("audit")), (2, 2, 1));
}

#[tokio::test]
async fn the_tool_that_was_permitted_is_the_tool_that_runs() {
    let other = Arc::new(RecordingTool::new("other", json!({})));
    let tool = Arc::clone(&other);
    let registered = Arc::new(RegisteredTool::new(tool, Origin::Native));
    let played = play(vec![Step::Swaps(registered)]).await;
    assert!(other.calls().is_empty());
    assert_eq!(played.log[2], format!("tool {COMPLETED}"));
}

#[tokio::test]
async fn an_answer_in_place_of_a_refusal_is_recorded_as_such() {
    let person = super::scene::Person::Panics;
    let scene = Scene { middleware: vec![Step::Forgives], person, ..Scene::default() };
    let played = scene.play(VALID).await;
    assert_eq!(played.text(), "never mind");
    assert_eq!(
        played.gates()[3..],
        ["middleware passed", "confirm refused", "middleware answered"]
    );
}

#[tokio::test]
async fn a_rewritten_answer_keeps_its_mark() {
    let mut scene = Scene { middleware: vec![Step::Rewrites("other words")], ..Scene::default() };
    scene.definition.traits.external_content = true;
    let played = scene.play(VALID).await;
    assert_eq!(played.completion.response().status, Status::Success);
    assert!(played.completion.model_text().starts_with("[external content "));
}
