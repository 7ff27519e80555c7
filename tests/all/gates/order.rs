//! Who is asked about a call, and who never hears of it.

use serde_json::json;
use toolstile::{Call, ConfirmRule, Decision, Gate, ToolPermissions, ToolSchema};

use super::scene::{Person, Scene, VALID};

const PASSED: [&str; 6] = [
    "registry passed",
    "permissions passed",
    "schema passed",
    "middleware passed",
    "confirm passed",
    "capabilities passed",
];

fn denied(name: &str) -> ToolPermissions {
    ToolPermissions { deny: [name.to_owned()].into(), ..Default::default() }
}

#[tokio::test]
async fn a_call_that_passes_meets_everybody_in_order() {
    let played = Scene::default().play(VALID).await;
    let completed = r#"{"mode":"add","path":"a"}"#;
    let expected = [
        format!("middleware {completed}"),
        format!("confirm {completed}"),
        format!("tool {completed}"),
        "audit success".to_owned(),
    ];
    assert_eq!(played.log, expected);
    assert_eq!(played.gates(), PASSED);
    assert_eq!(played.text(), "written");
}

#[tokio::test]
async fn an_unknown_tool_reaches_nobody() {
    let played = Scene::default().play_call(Call::new("wirte", VALID)).await;
    assert_eq!(played.log, ["audit refused"]);
    assert_eq!(played.gates(), ["registry refused"]);
    assert_eq!(played.records.len(), 1);
}

#[tokio::test]
async fn a_denied_tool_reaches_nobody_and_its_schema_is_not_looked_at() {
    // Neither arguments that are valid nor those that are no JSON make a difference.
    for arguments in [VALID, "{}", "no JSON"] {
        let scene = Scene { permissions: denied("write"), ..Scene::default() };
        let played = scene.play(arguments).await;
        assert_eq!(played.log, ["audit refused"]);
        assert_eq!(played.gates(), ["registry passed", "permissions refused"]);
        assert_eq!(
            played.text(),
            "the tool `write` is not permitted: its name is on the list `deny`"
        );
        assert_eq!(played.records.len(), 1);
    }
}

#[tokio::test]
async fn a_denied_name_that_no_tool_has_reads_like_one_that_a_tool_has() {
    let scene = Scene { permissions: denied("read"), ..Scene::default() };
    let played = scene.play_call(Call::new("read", VALID)).await;
    assert_eq!(played.text(), "the tool `read` is not permitted: its name is on the list `deny`");
    assert_eq!(played.log, ["audit refused"]);
}

#[tokio::test]
async fn arguments_that_are_not_valid_reach_nobody() {
    for arguments in [
        "{}",
        r#"{"path":1}"#,
        r#"{"path":"a","extra":1}"#,
        r#"{"path":"a","path":"b"}"#,
        r#"{"path":"a","mode":"NEW"}"#,
        r#"{"path":"a","mode":" new "}"#,
        r#"{"path":["a"]}"#,
        "[]",
        "null",
        "{",
        "",
    ] {
        let played = Scene::default().play(arguments).await;
        assert_eq!(played.log, ["audit refused"], "{arguments}");
        let expected = ["registry passed", "permissions passed", "schema refused"];
        assert_eq!(played.gates(), expected, "{arguments}");
    }
}

#[tokio::test]
async fn without_confirmation_no_tool_code_runs() {
    let deny = || Decision::Deny { reason: None };
    for person in [Person::Says(deny()), Person::Says(Decision::Defer), Person::Panics] {
        let scene = Scene { person: person.clone(), ..Scene::default() };
        let played = scene.play(VALID).await;
        assert!(!played.log.iter().any(|line| line.starts_with("tool")), "{person:?}");
        assert_eq!(played.log.len(), 3, "middleware, confirm, audit: {:?}", played.log);
        assert_eq!(played.gates().last().unwrap(), "confirm refused");
    }
}

#[tokio::test]
async fn without_anybody_to_ask_what_needs_confirmation_is_refused() {
    let played = Scene { person: Person::Absent, ..Scene::default() }.play(VALID).await;
    assert_eq!(played.log, [r#"middleware {"mode":"add","path":"a"}"#, "audit refused"]);
    assert_eq!(played.gates().last().unwrap(), "confirm refused");
}

#[tokio::test]
async fn a_rule_decides_before_the_tool_which_calls_are_confirmed() {
    let rule = || {
        let schema = json!({"properties": {"mode": {"const": "new"}}, "required": ["mode"]});
        ConfirmRule::When(ToolSchema::compile(schema).unwrap())
    };
    for (arguments, asked) in [(VALID, false), (r#"{"path":"a","mode":"new"}"#, true)] {
        let played = Scene { rule: rule(), ..Scene::default() }.play(arguments).await;
        let was_asked = played.log.iter().any(|line| line.starts_with("confirm"));
        assert_eq!(was_asked, asked, "{arguments}");
        let decision = played.completion.record.gates.iter().find(|d| d.gate == Gate::Confirm);
        let detail = if asked { "approved" } else { "not needed" };
        assert_eq!(decision.unwrap().detail.as_deref(), Some(detail));
    }
}

#[tokio::test]
async fn a_rule_sees_defaults_filled_in() {
    let schema = json!({"properties": {"mode": {"const": "add"}}, "required": ["mode"]});
    let rule = ConfirmRule::When(ToolSchema::compile(schema).unwrap());
    let played = Scene { rule, ..Scene::default() }.play(VALID).await;
    assert_eq!(played.log[1], r#"confirm {"mode":"add","path":"a"}"#);
}
