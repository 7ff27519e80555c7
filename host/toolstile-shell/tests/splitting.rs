//! The splitter against a POSIX shell: for whatever it accepts, `sh` reads the same words.

mod support;

use std::process::Command;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use toolstile_shell::Shell;

use support::Fixture;

/// Pieces that command lines are made of, put together at random.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z0-9=:,.{}@%+^#~!-]{1,4}",
        "[ \t]{1,2}",
        "'[ -&(-~é\n\t]{0,6}'",
        "\"[a-z $|);.'!{},*]{0,6}\"",
        "\"(\\\\[\"\\\\$`a-z]){0,3}\"",
        "\\\\[ -~é]",
        "[;&|<>()$`*?\\[]",
    ]
}

fn words_of_sh(arguments: &str) -> Vec<String> {
    let script = format!("printf '%s\\0' {arguments}");
    let output = Command::new("sh").args(["-c", &script]).output().expect("sh runs");
    assert!(output.status.success(), "sh refuses {arguments:?}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.split_terminator('\0').map(str::to_owned).collect()
}

/// Tries the property with 2000 values.
fn for_all<S: Strategy>(
    strategy: S,
    property: impl Fn(&Shell, S::Value) -> Result<(), TestCaseError>,
) {
    let programs = ["unknown".to_owned()];
    let shell = Fixture::new(programs.clone()).shell(&programs);
    let mut runner = TestRunner::new(Config { cases: 2000, ..Config::default() });
    runner.run(&strategy, |value| property(&shell, value)).expect("it holds");
}

#[test]
fn accepted_words_are_those_of_a_posix_shell() {
    for_all(prop::collection::vec(piece(), 1..8), |shell, pieces| {
        let arguments = pieces.concat();
        if let Ok(checked) = shell.check_command(&format!("unknown x{arguments}")) {
            let expected = words_of_sh(&format!("x{arguments}"));
            prop_assert_eq!(&checked.words()[1..], &expected[..], "{:?}", arguments);
        }
        Ok(())
    });
}

#[test]
fn any_words_survive_quoting() {
    for_all(prop::collection::vec("[ -~é\n\t]{0,12}", 1..6), |shell, words| {
        let quote = |word: &String| format!("'{}'", word.replace('\'', "'\\''"));
        let quoted: Vec<_> = words.iter().map(quote).collect();
        let command = format!("unknown {}", quoted.join(" "));
        let checked = shell.check_command(&command).expect("quoted words pass");
        prop_assert_eq!(&checked.words()[1..], &words[..]);
        Ok(())
    });
}

#[test]
fn no_text_panics() {
    for_all("\\PC{0,60}", |shell, text| {
        let as_words = shell.check_command(&format!("unknown {text}"));
        prop_assert!(as_words.map_or(true, |checked| checked.words()[0] == "unknown"));
        prop_assert!(
            shell.check_command(&text).is_err()
                || text.trim_start().starts_with(['u', '\'', '"', '\\'])
        );
        Ok(())
    });
}
