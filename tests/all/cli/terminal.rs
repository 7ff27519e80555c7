//! On a terminal: the question before a call that needs confirmation. The terminal is
//! one that `script` (util-linux) makes; without that program the test says so.

use std::io::Write as _;
use std::process::{Command, Stdio};

use super::workplace::{Workplace, program};

/// Runs a call on a terminal, types an answer, and gives what was shown.
fn answer(typed: &str) -> Option<String> {
    let place = Workplace::with_config("[plugin.calculator]\nconfirm = \"always\"\n");
    let line = format!(
        "'{}' call calculator '{{\"expression\": \"6 * 7\"}}'; echo code=$?",
        program().display()
    );
    let mut command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).current_dir(place.path(""));
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR")).env("TERM", "xterm");
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = pipes.spawn().ok()?;
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(typed.as_bytes()).expect("it is read");
    let output = child.wait_with_output().expect("it ends");
    drop(stdin);
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
fn a_person_is_asked_and_only_yes_runs_the_call() {
    for (typed, code, answered) in [("y\n", 0, true), ("n\n", 2, false), ("\n", 2, false)] {
        let Some(shown) = answer(typed) else {
            println!("skipped: there is no program `script` to make a terminal");
            return;
        };
        assert!(shown.contains("Run it?"), "{shown}");
        assert!(shown.contains("\"expression\" = \"6 * 7\""), "{shown}");
        assert!(shown.contains(&format!("code={code}")), "{typed:?}: {shown}");
        assert_eq!(shown.contains("42\r\ncode="), answered, "{typed:?}: {shown}");
    }
}
