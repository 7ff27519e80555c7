//! The examples are run, and print what they promise.

use std::process::Command;

use crate::cli::workplace::built;

fn printed(name: &str) -> Vec<String> {
    let output = Command::new(built(name)).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_loader_shows_tools_when_they_are_needed() {
    let lines = printed("load_on_demand");
    assert!(lines[0].starts_with("calculator refused: Error: there is no tool `calculator`"));
    let rest = [
        "load_tools success: loaded calculator",
        "calculator success: 42",
        "model: It is 42.",
        "answered",
    ];
    assert_eq!(lines[1..], rest);
}

#[test]
fn a_reader_unlocks_the_writer_of_one_record() {
    let lines = printed("unlock_the_writer");
    assert!(lines[0].starts_with("write_record refused: Error: there is no tool"), "{lines:?}");
    assert_eq!(lines[1], "read_record success: apples");
    assert!(lines[2].starts_with("write_record refused: Error: the arguments of"), "{lines:?}");
    assert_eq!(lines[3], "write_record success: written");
}

#[test]
fn a_middleware_wants_records_read_first() {
    let lines = printed("read_before_write");
    let rejected = |line: &str, id| {
        line.starts_with("write_record refused: ") && line.contains(&format!("record `{id}` first"))
    };
    assert!(rejected(&lines[0], "a") && rejected(&lines[2], "b"), "{lines:?}");
    assert_eq!(lines[1], "read_record success: apples");
    assert_eq!(lines[3], "write_record success: written");
}

#[test]
fn a_host_can_be_embedded() {
    let lines = printed("toolstile-example-embed");
    for said in ["greet answered: Hello, Ada!", "calculator answered: 1024"] {
        assert!(lines.iter().any(|line| line == said), "{said}: {lines:?}");
    }
}
