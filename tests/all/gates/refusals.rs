//! Every text that a model can read in place of an answer, exactly.

use std::time::Duration;

use serde_json::json;
use toolstile::{Call, Decision, FailureKind, JsonLimits, ToolError, ToolPermissions};

use super::scene::{Person, Scene, Step, VALID};

fn names(names: &[&str]) -> std::collections::BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

async fn denied(permissions: ToolPermissions) -> String {
    Scene { permissions, ..Scene::default() }.play(VALID).await.text()
}

#[tokio::test]
async fn unknown_tools() {
    let call = async |name: &str, permissions: ToolPermissions| {
        Scene { permissions, ..Scene::default() }.play_call(Call::new(name, VALID)).await.text()
    };
    let hidden = || ToolPermissions { deny: names(&["write"]), ..Default::default() };
    let all = ToolPermissions::default;
    for (name, permissions, expected) in [
        ("wirte", all(), "there is no tool `wirte`; did you mean `write`?"),
        ("zzz", all(), "there is no tool `zzz`; available: write"),
        ("", all(), "there is no tool ``; available: write"),
        ("a\nb", all(), "there is no tool `a\\nb`; available: write"),
        ("wirte", hidden(), "there is no tool `wirte`; no tools are available"),
    ] {
        assert_eq!(call(name, permissions).await, expected);
    }
}

#[tokio::test]
async fn permissions() {
    let lists = ToolPermissions::default;
    for (permissions, expected) in [
        (ToolPermissions { deny: names(&["write"]), ..lists() }, "its name is on the list `deny`"),
        (
            ToolPermissions { deny_origins: names(&["native"]), ..lists() },
            "its origin is on the list `deny_origins`",
        ),
        (
            ToolPermissions { allow: Some(names(&["read"])), ..lists() },
            "its name is not on the list `allow`",
        ),
        (
            ToolPermissions { allow_origins: Some(names(&["builtin"])), ..lists() },
            "its origin is not on the list `allow_origins`",
        ),
    ] {
        let text = format!("the tool `write` is not permitted: {expected}");
        assert_eq!(denied(permissions).await, text);
    }
}

#[tokio::test]
async fn malformed_arguments() {
    for (arguments, expected) in [
        ("[]", "the arguments must be a JSON object, not an array"),
        ("null", "the arguments must be a JSON object, not null"),
        ("\"x\"", "the arguments must be a JSON object, not a string"),
        ("7", "the arguments must be a JSON object, not a number"),
        ("true", "the arguments must be a JSON object, not a boolean"),
        ("{", "not valid JSON: EOF while parsing an object at line 1 column 1"),
        ("{'a':1}", "not valid JSON: key must be a string at line 1 column 2"),
        (
            r#"{"path":"a","path":"b"}"#,
            "not valid JSON: the key \"path\" appears twice in one object at line 1 column 18",
        ),
        (
            r#"{"path":123456789012345678901234567890}"#,
            "the integer 123456789012345678901234… does not fit 64 bits; write it as a string",
        ),
    ] {
        let text = format!("the arguments of `write` were not accepted: {expected}");
        assert_eq!(Scene::default().play(arguments).await.text(), text);
    }
}

#[tokio::test]
async fn oversized_arguments() {
    let limits = JsonLimits::ARGUMENTS;
    let deep = format!("{{\"path\":{}{}}}", "[".repeat(limits.depth), "]".repeat(limits.depth));
    let wide = format!("{{\"path\":[{}1]}}", "1,".repeat(limits.nodes));
    let long = format!("{{\"path\":\"{}\"}}", "x".repeat(limits.bytes));
    for (arguments, expected) in [
        (deep, "the JSON is nested deeper than 32 levels"),
        (wide, "the JSON has more than 16384 values"),
        (long, "the JSON text has 262155 bytes, at most 262144 are accepted"),
    ] {
        let text = format!("the arguments of `write` were not accepted: {expected}");
        assert_eq!(Scene::default().play(&arguments).await.text(), text);
    }
}

#[tokio::test]
async fn invalid_arguments() {
    for (arguments, expected) in [
        ("{}", "arguments: \"path\" is a required property"),
        (r#"{"path":1}"#, "/path: the value is not of type \"string\", it is a number"),
        (r#"{"path":null}"#, "/path: the value is not of type \"string\", it is null"),
        (r#"{"path":"a","mode":"x"}"#, "/mode: the value is not one of \"new\" or \"add\""),
        (
            r#"{"path":"a","x":1}"#,
            "arguments: Additional properties are not allowed ('x' was unexpected)",
        ),
        (
            r#"{"mode":1,"x":1}"#,
            "arguments: Additional properties are not allowed ('x' was unexpected); \
             arguments: \"path\" is a required property; \
             /mode: the value is not one of \"new\" or \"add\"",
        ),
    ] {
        let text = format!("the arguments of `write` are not valid: {expected}");
        assert_eq!(Scene::default().play(arguments).await.text(), text);
    }
}

#[tokio::test]
async fn middleware() {
    for (step, expected) in [
        (Step::Rejects("not on a Sunday"), "not on a Sunday"),
        (Step::Panics, "a middleware failed"),
        (Step::PanicsAfterwards, "a middleware failed"),
    ] {
        let played = Scene { middleware: vec![step], ..Scene::default() }.play(VALID).await;
        assert_eq!(played.text(), format!("the call of `write` was rejected: {expected}"));
    }
}

#[tokio::test]
async fn confirmation() {
    let deny =
        |reason: Option<&str>| Person::Says(Decision::Deny { reason: reason.map(str::to_owned) });
    let needs = "the call of `write` needs a person's confirmation and did not get it";
    for (person, expected) in [
        (deny(None), needs.to_owned()),
        (deny(Some("too dangerous")), format!("{needs}: too dangerous")),
        (Person::Absent, format!("{needs}: nobody is there to confirm it")),
        (Person::Panics, format!("{needs}: asking for it failed")),
        (
            Person::Says(Decision::Defer),
            "the call of `write` waits for a person's confirmation".to_owned(),
        ),
    ] {
        assert_eq!(Scene { person, ..Scene::default() }.play(VALID).await.text(), expected);
    }
}

#[tokio::test]
async fn failures() {
    for (kind, expected) in [
        (FailureKind::Deadline(Duration::from_secs(30)), "it did not finish within 30 s"),
        (FailureKind::Deadline(Duration::from_millis(250)), "it did not finish within 250 ms"),
        (FailureKind::Memory, "it ran out of the memory that it may use"),
        (FailureKind::Stack, "it recursed too deep"),
        (
            FailureKind::HostData,
            "it exceeded the amount of data that it may exchange with the host",
        ),
        (FailureKind::Crash, "it crashed"),
        (FailureKind::Exit, "it exited instead of answering"),
        (FailureKind::Contract, "it broke the contract between tools and host"),
        (FailureKind::Busy, "too many calls to it are in progress; try again later"),
        (FailureKind::Host, "the host could not run it"),
    ] {
        let answer = Err(ToolError::new(kind, "known to the operator"));
        let text = Scene { answer, ..Scene::default() }.play(VALID).await.text();
        assert_eq!(text, format!("the tool `write` gave no answer: {expected}"));
    }
}

#[tokio::test]
async fn long_lists_are_cut() {
    let many: serde_json::Map<_, _> = (0..200).map(|i| (format!("p{i:03}"), json!(1))).collect();
    let text = Scene::default().play(&json!(many).to_string()).await.text();
    assert!(text.len() < 1_000, "{} bytes", text.len());
}
