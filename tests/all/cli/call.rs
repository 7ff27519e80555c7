//! `toolstile call`.

use super::workplace::Workplace;

const CONFIRM: &str = "[plugin.calculator]\nconfirm = \"always\"\n";
const SIX_TIMES_SEVEN: &str = r#"{"expression": "6 * 7"}"#;

#[test]
fn an_answer_is_text_on_stdout() {
    let ran = Workplace::empty().run(&["call", "calculator", SIX_TIMES_SEVEN]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "42\n", ""));
}

#[test]
fn json_is_one_line_and_nothing_else() {
    let place = Workplace::with_config("[permissions]\ndeny = [\"denied\"]");
    let run = |tool: &str, arguments: &str| {
        let ran = place.run(&["call", tool, arguments, "--json"]);
        let warning = "warning: `denied` in `[permissions] deny` matches no tool\n";
        assert_eq!(ran.stderr, warning, "errors are in the JSON");
        (ran.code, ran.stdout)
    };
    assert_eq!(
        run("calculator", SIX_TIMES_SEVEN),
        (0, "{\"text\":\"42\",\"status\":\"success\",\"data\":42}\n".to_owned())
    );
    assert_eq!(
        run("calculator", r#"{"expression": "1 +"}"#),
        (
            1,
            "{\"text\":\"cannot read the expression at character 4: expected a number, a name \
             or `(`, found the end\",\"status\":\"error\",\"data\":null}\n"
                .to_owned()
        )
    );
    assert_eq!(
        run("denied", "{}"),
        (
            2,
            "{\"text\":\"the tool `denied` is not permitted: its name is on the list `deny`\",\
             \"status\":\"error\",\"data\":null}\n"
                .to_owned()
        )
    );
}

#[test]
fn a_tools_error_is_exit_code_1() {
    let ran = Workplace::empty().run(&["call", "calculator", r#"{"expression": "1 / 0"}"#]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.starts_with("error: division by zero"), "{}", ran.stderr);
}

#[test]
fn refusals_are_exit_code_2_and_say_what_would_be_right() {
    let place = Workplace::empty();
    for (tool, arguments, parts) in [
        ("calculater", "{}", ["did you mean `calculator`?", "`toolstile list`"]),
        ("calculator", "{", ["not valid JSON", "one JSON object in quotes"]),
        (
            "calculator",
            r#"{"expression":"1","expression":"2"}"#,
            ["appears twice", "one JSON object"],
        ),
        ("calculator", "[]", ["must be a JSON object, not an array", "one JSON object"]),
        ("calculator", "{}", ["\"expression\" is a required property", "the tool takes:"]),
        ("calculator", r#"{"expression": 5}"#, ["/expression: ", "it is a number"]),
    ] {
        let ran = place.run(&["call", tool, arguments]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments}: {}", ran.stderr);
        assert!(parts.iter().all(|part| ran.stderr.contains(part)), "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.contains("\n\nhint: "), "{}", ran.stderr);
    }
}

#[test]
fn arguments_come_from_standard_input_for_a_dash() {
    let place = Workplace::empty();
    let ran = place.run_with_input(&["call", "calculator", "-"], SIX_TIMES_SEVEN);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "42\n"));
}

#[test]
fn more_standard_input_than_a_gate_accepts_is_refused_not_cut() {
    let place = Workplace::empty();
    let blank = " ".repeat(256 * 1024 + 1);
    for input in
        [blank.clone(), blank + "{}", format!("{{\"expression\": \"1{}", "0".repeat(1 << 20))]
    {
        let ran = place.run_with_input(&["call", "calculator", "-"], &input);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
        assert!(ran.stderr.contains("at most 262144"), "{}", ran.stderr);
    }
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let place = Workplace::empty();
    let ran = place.run_with_input(&["call", "calculator", "-"], b"\xff{\"expression\": \"1\"}");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("not valid JSON"), "{}", ran.stderr);
}

#[test]
fn what_needs_confirmation_is_refused_without_a_terminal() {
    let place = Workplace::with_config(CONFIRM);
    for arguments in [SIX_TIMES_SEVEN, "-"] {
        let ran = place.run_with_input(&["call", "calculator", arguments], SIX_TIMES_SEVEN);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
        for part in ["needs a person's confirmation", "`--yes`", "confirm = \"never\""] {
            assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
        }
    }
}

#[test]
fn yes_approves() {
    let place = Workplace::with_config(CONFIRM);
    let ran = place.run(&["call", "calculator", SIX_TIMES_SEVEN, "--yes"]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "42\n", ""));
}

#[test]
fn every_call_leaves_a_line_in_the_audit_log() {
    let place = Workplace::with_config("[audit]\nto = \"file\"\narguments = \"full\"");
    place.run(&["call", "calculator", SIX_TIMES_SEVEN]);
    place.run(&["call", "calculator", "{}"]);
    let log = std::fs::read_to_string(place.path("toolstile-audit.jsonl")).expect("a log");
    let records: Vec<serde_json::Value> =
        log.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect();
    let outcomes: Vec<_> = records.iter().map(|record| record["outcome"].as_str()).collect();
    assert_eq!(outcomes, [Some("success"), Some("refused")]);
    assert_eq!(records[0]["arguments"]["expression"], "6 * 7");
    assert_eq!(records[1]["reason"], "invalid_arguments");
}

/// A server that lists a tool and never answers a call of it.
const MUTE: &str = r#"
while read -r line; do
    id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
    case "$line" in
    *'"initialize"'*) result='"protocolVersion":"2025-11-25","capabilities":{"tools":{}},
        "serverInfo":{"name":"mute","version":"1"}' ;;
    *tools/list*) result='"tools":[{"name":"t","inputSchema":{"type":"object"}}]' ;;
    *server/discover*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id"
        continue ;;
    *) continue ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":{%s}}\n' "$id" "$(printf '%s' "$result" | tr '\n' ' ')"
done
"#;

#[test]
fn the_time_limit_of_a_server_is_its_own() {
    let place = Workplace::with_config(
        "[[mcp]]\nnamespace = \"mute\"\ncommand = \"sh\"\nargs = [\"mute.sh\"]\ntimeout = 1\n",
    );
    place.write("mute.sh", MUTE);
    let ran = place.run(&["call", "mute_t", "{}", "--yes"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}", ran.stderr);
    for part in ["the server `mute`", "hint: `timeout` in the `[[mcp]]` entry of `mute`"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
}
