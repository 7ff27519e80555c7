//! Two programs that send raw messages to the example server and compare what comes back.
//! They need Python 3, and are skipped by name where there is none.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// What the program prints where an answer is not the expected one.
const DEVIATION: &str = "DIFF";

#[expect(clippy::print_stderr, reason = "whoever reads the output learns what did not run")]
fn python() -> Option<Command> {
    let there = Command::new("python3").arg("--version").output().is_ok_and(|o| o.status.success());
    if !there {
        eprintln!("skipped: there is no python3");
    }
    there.then(|| Command::new("python3"))
}

/// The example, which cargo builds beside the tests.
fn example() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(|deps| deps.parent()).unwrap().join("examples/serve")
}

fn text(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

#[test]
fn over_http_every_vector_is_answered_as_expected() {
    let Some(mut python) = python() else { return };
    let mut server = Command::new(example());
    let mut server = server
        .args(["--http", "127.0.0.1:0"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("the example is built with the tests");
    let mut url = String::new();
    BufReader::new(server.stderr.as_mut().unwrap()).read_line(&mut url).unwrap();
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/raw/httpvec.py");
    let output = python.args([program, url.trim(), "add", r#"{"a":1,"b":2}"#]).output();
    server.kill().unwrap();
    server.wait().unwrap();
    let text = text(&output.unwrap());
    let lines = |mark: &str| text.lines().filter(|line| line.starts_with(mark)).count();
    assert_eq!((lines(DEVIATION), lines("ok")), (0, 45), "{text}");
}

#[test]
fn over_stdio_every_vector_leaves_the_server_answering() {
    let Some(mut python) = python() else { return };
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/raw/stdiovec.py");
    let text = text(&python.arg(program).arg(example()).output().unwrap());
    let lines = |mark: &str| text.lines().filter(|line| line.contains(mark)).count();
    assert_eq!(lines("alive=True exit 0"), 17, "{text}");
}
