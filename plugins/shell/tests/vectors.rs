//! The public vectors of executed commands: given what the program left behind, the
//! same answer. That the program leaves it behind is the host's, and tested there.

use serde_json::Value;
use toolstile_plugin_shell::{MAX_STREAM_CHARACTERS, report};
use toolstile_sdk::Status;
use toolstile_sdk::shell::{Ending, Output};

const VECTORS: &str = include_str!("../../../tests/cases/seeds/shell_exec.json");

/// What an answer says on purpose otherwise, with the reason.
const DELIBERATE: [(&str, &str); 2] = [
    ("shell_exec-012", "a program that wrote too much has no exit code of its own"),
    ("shell_exec-013", "a signal is not a negative exit code"),
];

/// The commands as what they leave behind. The rest of the vectors is refused
/// before it runs, or is about the host's limits.
fn left_behind(id: &str) -> Option<Output> {
    let (ending, stdout, stderr) = match id {
        "shell_exec-001" | "shell_exec-007" | "shell_exec-017" => (Ending::Exited(0), "", ""),
        "shell_exec-002" => (Ending::Exited(1), "", ""),
        "shell_exec-004" => (Ending::Exited(3), "out\n", "err\n"),
        "shell_exec-005" => (Ending::Exited(0), "\n\n  a  \n\n", ""),
        "shell_exec-008" => (Ending::Exited(0), "\u{fffd}\u{fffd}ok", ""),
        "shell_exec-011" => (Ending::Exited(0), "éééééééééééééééééééé", ""),
        "shell_exec-012" => (Ending::OutputLimit, "x\nx\n", ""),
        "shell_exec-013" => (Ending::Signalled(9), "", ""),
        "shell_exec-014" => (Ending::TimedOut, "", ""),
        "shell_exec-015" => (Ending::TimedOut, "before\n", ""),
        "shell_exec-016" => (Ending::TimedOut, "started\n", ""),
        "shell_exec-019" => (Ending::Exited(0), "vm\n", ""),
        _ => return None,
    };
    let truncated = matches!(ending, Ending::OutputLimit);
    Some(Output { ending, stdout: stdout.into(), stderr: stderr.into(), truncated })
}

#[test]
fn vectors_hold() {
    let vectors: Value = serde_json::from_str(VECTORS).expect("the vectors are readable");
    let cases = vectors["cases"].as_array().expect("there are cases").iter();
    let ran = cases.filter_map(|case| Some((case, left_behind(text(&case["id"]))?)));
    let failures: Vec<Option<String>> = ran.map(|(case, output)| failure(case, &output)).collect();
    assert_eq!(failures.len(), 14);
    let failures: Vec<String> = failures.into_iter().flatten().collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What is wrong with the answer to a case.
fn failure(case: &Value, output: &Output) -> Option<String> {
    let max = case["options"]["max_output_chars"].as_u64().map(usize::try_from);
    let max = max.and_then(Result::ok).unwrap_or(MAX_STREAM_CHARACTERS);
    let (response, expected) = (report(output, max), &case["sync"]);
    let status = match response.status {
        Status::Success => "success",
        Status::Partial => "partial",
        Status::Error => "error",
    };
    let data = response.data.unwrap_or_default();
    let deliberate = DELIBERATE.iter().any(|(id, _)| *id == text(&case["id"]));
    let same = deliberate
        || data["exit_code"] == expected["data"]["returncode"]
            && is_text(&response.text, &expected["text"]);
    let right = status == text(&expected["status"])
        && data["truncated"] == expected["data"]["truncated"]
        && same;
    (!right).then(|| format!("{}: {status}, {:?}, {data}", case["id"], response.text))
}

/// Whether an answer is the text of a vector, whose marks and error sentences are
/// left to each implementation.
fn is_text(answer: &str, expected: &Value) -> bool {
    match expected.as_str().map(|text| text.split_once("<TRUNCATION MARK>")) {
        Some(Some((before, after))) => {
            answer.starts_with(before) && answer.ends_with(after) && answer.len() > before.len()
        }
        Some(None) => Some(answer) == expected.as_str(),
        None => true,
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
