//! On a terminal: the question before a call that needs confirmation, and colours. The
//! terminal is one that `script` (util-linux) makes; without that program the tests say
//! so.

use std::io::Write as _;
use std::process::Stdio;

use super::workplace::{Workplace, program};

/// Runs a line of shell on a terminal, where `toolstile` is the program, types
/// something, and gives what was shown.
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
fn on_terminal(place: &Workplace, line: &str, typed: &str) -> Option<String> {
    let line = line.replace("toolstile", &format!("'{}'", program().display()));
    let mut command = place.command_of("script", &["-qec", &line, "/dev/null"]);
    let pipes = command.env("TERM", "xterm").stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut child) = pipes.spawn() else {
        println!("skipped: there is no program `script` to make a terminal");
        return None;
    };
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(typed.as_bytes()).expect("it is read");
    let output = child.wait_with_output().expect("it ends");
    drop(stdin);
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_person_is_asked_and_only_yes_runs_the_call() {
    let place = Workplace::with_config("[plugin.calculator]\nconfirm = \"always\"\n");
    let line = r#"toolstile call calculator '{"expression": "6 * 7"}'; echo code=$?"#;
    for (typed, code, answered) in [("y\n", 0, true), ("n\n", 2, false), ("\n", 2, false)] {
        let Some(shown) = on_terminal(&place, line, typed) else { return };
        assert!(shown.contains("Run it?"), "{shown}");
        assert!(shown.contains("\"expression\" = \"6 * 7\""), "{shown}");
        assert!(shown.contains(&format!("code={code}")), "{typed:?}: {shown}");
        assert_eq!(shown.contains("42\r\ncode="), answered, "{typed:?}: {shown}");
        assert_eq!(shown.contains("it was declined"), !answered, "{typed:?}: {shown}");
    }
}

#[test]
fn a_person_sees_a_command_word_by_word() {
    let place =
        Workplace::with_config("[plugin.shell.grants.shell]\ndir = \".\"\nprograms = [\"echo\"]\n");
    let line = r#"toolstile call shell '{"command": "echo \"a  b\" c"}'; echo code=$?"#;
    let Some(shown) = on_terminal(&place, line, "a\n") else { return };
    let words = "\"/command\" runs as\r\n    \"echo\"\r\n    \"a  b\"\r\n    \"c\"\r\n";
    assert!(shown.contains(words), "{shown}");
    assert!(shown.contains("a  b c") && shown.contains("code=0"), "{shown}");
}

/// The question stands between the lines of the run, and the run goes on either way.
#[test]
fn a_person_is_asked_in_the_middle_of_a_run() {
    let place = Workplace::with_config("[plugin.calculator]\nconfirm = \"always\"\n");
    let script = r#"[{"calls": [{"name": "calculator", "arguments": {"expression": "6 * 7"}}]},
        "It is done."]"#;
    place.write("script.json", script);
    let line = "toolstile run what --script script.json; echo code=$?";
    for (typed, decision) in [("y\n", "success"), ("n\n", "refused (not_confirmed)")] {
        let Some(shown) = on_terminal(&place, line, typed) else { return };
        assert!(
            shown.contains("\"expression\" = \"6 * 7\"") && shown.contains("Run it?"),
            "{shown}"
        );
        assert!(shown.contains(decision), "{shown}");
        assert!(shown.contains("It is done.") && shown.contains("code=0"), "{shown}");
    }
}

#[test]
fn nobody_is_asked_when_arguments_are_piped_in() {
    let place = Workplace::with_config("[plugin.calculator]\nconfirm = \"always\"\n");
    let line = r#"echo '{"expression": "6 * 7"}' | toolstile call calculator -; echo code=$?"#;
    let Some(shown) = on_terminal(&place, line, "y\n") else { return };
    assert!(!shown.contains("Run it?"), "{shown}");
    assert!(shown.contains("came from standard input") && shown.contains("code=2"), "{shown}");
}

#[test]
fn colours_show_on_a_terminal_only_and_not_under_no_color() {
    let place = Workplace::with_config("[permissions]\ndeny = [\"calculator\", \"nothing\"]\n");
    let coloured = |line: &str| Some(on_terminal(&place, line, "")?.contains("\u{1b}["));
    for (line, expected) in [
        ("toolstile list", true),
        ("toolstile call calculator '{}' >/dev/null", true),
        ("toolstile list 2>/dev/null | cat", false),
        ("NO_COLOR=1 toolstile list", false),
        ("NO_COLOR=1 toolstile call calculator '{}'", false),
        ("NO_COLOR=1 toolstile -vv list", false),
    ] {
        let Some(coloured) = coloured(line) else { return };
        assert_eq!(coloured, expected, "{line}");
    }
}
