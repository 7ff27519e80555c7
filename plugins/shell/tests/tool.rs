//! What the host is shown of the tool, and its answers.

use serde_json::{Map, Value, json};
use toolstile_plugin_shell::{MAX_STREAM_CHARACTERS, report, shell};
use toolstile_sdk::shell::{Ending, Output};
use toolstile_sdk::{Status, Tool, ToolResponse};

fn output(ending: Ending, stdout: &str, stderr: &str) -> Output {
    Output { ending, stdout: stdout.into(), stderr: stderr.into(), truncated: false }
}

#[track_caller]
fn assert_answer(output: &Output, status: Status, text: &str, data: Value) {
    let ToolResponse { status: found, text: answer, data: found_data, .. } = report(output, 10);
    assert_eq!((found, answer.as_str(), found_data), (status, text, Some(data)));
}

#[test]
fn the_definition_asks_for_every_care() {
    let definition = shell {}.definition();
    let command = &definition.input_schema["properties"]["command"];
    assert_eq!((&command["type"], &command["format"]), (&json!("string"), &json!("shell-command")));
    assert_eq!(definition.confirm_when, None, "every call is confirmed");
    let traits = definition.traits;
    assert!(traits.requires_confirmation && traits.external_content);
    assert!(traits.destructive && traits.open_world);
    assert!(!traits.read_only && !traits.idempotent && !traits.supports_parallel);
}

#[test]
fn every_exit_code_is_a_success() {
    for code in [0, 1, 255] {
        let text = format!("[exit code {code}]\n(no output)");
        let silent = output(Ending::Exited(code), " \n", "\n");
        assert_answer(&silent, Status::Success, &text, json!({ "exit_code": code }));
    }
}

#[test]
fn streams_are_trimmed_and_follow_the_code() {
    let data = json!({ "exit_code": 3 });
    let both = output(Ending::Exited(3), "\n\n  a  b \n", "err\n");
    assert_answer(
        &both,
        Status::Success,
        "[exit code 3]\nstdout:\na  b\nstderr:\nerr",
        data.clone(),
    );
    let stderr = output(Ending::Exited(3), "", "err");
    assert_answer(&stderr, Status::Success, "[exit code 3]\nstderr:\nerr", data);
}

#[test]
fn a_signal_is_no_exit_code() {
    let killed = output(Ending::Signalled(9), "", "");
    let text = "[ended by signal 9]\n(no output)";
    assert_answer(&killed, Status::Success, text, json!({ "signal": 9 }));
}

#[test]
fn each_stream_is_cut_between_characters() {
    let data = json!({ "exit_code": 0, "truncated": true });
    let text = "[exit code 0]\nstdout:\néééééééééé\n[cut: the first 10 of 20 characters]";
    assert_answer(
        &output(Ending::Exited(0), &"é".repeat(20), ""),
        Status::Partial,
        text,
        data.clone(),
    );
    let text =
        "[exit code 0]\nstdout:\nx\nstderr:\naaaaaaaaaa\n[cut: the first 10 of 11 characters]";
    assert_answer(&output(Ending::Exited(0), "x", &"a".repeat(11)), Status::Partial, text, data);
    let whole = output(Ending::Exited(0), "aaaaaaaaaa\n\n", "");
    let text = "[exit code 0]\nstdout:\naaaaaaaaaa";
    assert_answer(&whole, Status::Success, text, json!({ "exit_code": 0 }));
}

#[test]
fn time_that_ran_out_is_an_error_with_what_was_written() {
    let text = "[timed out: the program was ended, with what it had started]\nstdout:\nbefore";
    let slow = output(Ending::TimedOut, "before\n", "");
    assert_answer(&slow, Status::Error, text, json!({ "timed_out": true }));
}

#[test]
fn output_that_was_dropped_makes_the_answer_partial() {
    let text = "[too much output: the program was ended]\nstdout:\nx\n[more output was dropped]";
    let flood = Output { truncated: true, ..output(Ending::OutputLimit, "x", "") };
    assert_answer(&flood, Status::Partial, text, json!({ "truncated": true }));
    let text = "[exit code 0]\n(no output)\n[more output was dropped]";
    let blank = Output { truncated: true, ..output(Ending::Exited(0), "", "") };
    assert_answer(&blank, Status::Partial, text, json!({ "exit_code": 0, "truncated": true }));
}

#[test]
fn a_call_without_a_host_is_an_error() {
    assert_eq!(MAX_STREAM_CHARACTERS, 4000);
    let response = shell {}.call(Map::from_iter([("command".to_owned(), json!("ls"))]));
    assert_eq!(response, ToolResponse::error("`shell` needs a host, and this is no component"));
}
