//! The commands that only look: `list`, `inspect`, `demo`, `completions`, `--help`.

use std::process::Stdio;

use super::workplace::{Workplace, calculator, json, keys};

#[test]
fn list_says_who_tools_are_and_what_they_may_do() {
    let place = Workplace::with_config("[permissions]\ndeny_origins = [\"builtin\"]");
    let listing = json(&place.run(&["list", "--json"]).stdout);
    assert_eq!(keys(&listing), ["quarantined", "servers", "tools", "warnings"]);
    let tool = &listing["tools"][0];
    let expected = [
        "asks",
        "confirm",
        "description",
        "fingerprint",
        "granted",
        "input_schema",
        "name",
        "origin",
        "permitted",
        "title",
        "traits",
    ];
    assert_eq!(keys(tool), expected);
    assert_eq!(tool["name"], "calculator");
    assert_eq!(tool["origin"], "builtin");
    assert_eq!(tool["permitted"], false);
    let fingerprint = tool["fingerprint"].as_str().expect("text");
    assert_eq!(fingerprint.len(), "sha256/v1:".len() + 64);
    let text = place.run(&["list"]).stdout;
    let header = "TOOL        ORIGIN   FINGERPRINT             PERMITTED  CONFIRM      ASKS FOR";
    assert!(text.starts_with(header), "{text}");
    let row = format!("calculator  builtin  {}  no         never ", &fingerprint[..22]);
    assert!(text.contains(&row), "{text}");
    let names: Vec<&str> = text.lines().skip(1).filter_map(|row| row.split(' ').next()).collect();
    assert_eq!(names, ["calculator", "notes", "search", "shell"]);
}

#[test]
fn inspect_shows_a_component_without_using_it() {
    let place = Workplace::empty();
    place.write("sums.wasm", calculator());
    let report = json(&place.run(&["inspect", "sums.wasm", "--json"]).stdout);
    assert_eq!(report["contract"], "0.1.0");
    assert_eq!(report["bytes"], calculator().len());
    assert_eq!(report["sha256"].as_str().map(str::len), Some(64));
    assert_eq!(report["tools"][0]["origin"], "plugin:sums");
    assert_eq!(report["tools"][0]["input_schema"]["required"], serde_json::json!(["expression"]));
    assert_eq!(report["limits"]["deadline_ms"], 30_000);
    let text = place.run(&["inspect", "sums.wasm"]).stdout;
    for part in ["sha256", "contract", "tool calculator", "memory_bytes"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(place.files(), ["sums.wasm"], "nothing is written");
}

#[test]
fn inspect_says_why_a_file_would_be_quarantined() {
    let place = Workplace::empty();
    place.write("junk.wasm", "not WebAssembly at all");
    place.write("core.wasm", b"\0asm\x01\0\0\0");
    for (file, part) in [
        ("junk.wasm", "does not start with the bytes of WebAssembly"),
        ("core.wasm", "a core module, not a component"),
        ("missing.wasm", "cannot be read"),
    ] {
        let ran = place.run(&["inspect", file]);
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{}", ran.stderr);
        assert!(ran.stderr.contains(part), "{file}: {}", ran.stderr);
    }
}

#[test]
fn inspect_shows_the_runtime() {
    let report = json(&Workplace::empty().run(&["inspect", "--runtime", "--json"]).stdout);
    assert_eq!(keys(&report), ["allocator", "cache_dir", "max_instances", "tick_ms", "wasmtime"]);
    let configured = Workplace::with_config("[runtime]\npooling = false");
    let report = json(&configured.run(&["inspect", "--runtime", "--json"]).stdout);
    assert_eq!(report["allocator"], "on-demand");
}

#[test]
fn the_demo_shows_all_endings_and_leaves_nothing_behind() {
    let place = Workplace::empty();
    let ran = place.run(&["demo"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for part in [
        "answer: 181092942889747057356671886482",
        "schema       refused  invalid_arguments",
        "permissions  refused  name_denied",
        "confirm      refused  not_confirmed",
        "there is no terminal to ask on",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    assert_eq!(ran.stdout.matches("took: ").count(), 4);
    for part in [
        "refused (invalid_arguments)",
        "✓ calculator {\"expression\": \"2 ** 64\"} success",
        "3 requests to the model, 2 tools entered",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains('\u{1b}'), "plain when piped");
    assert_eq!(place.files(), Vec::<String>::new());
}

#[test]
fn completions_are_there_for_the_usual_shells() {
    let place = Workplace::empty();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = place.run(&["completions", shell]);
        assert_eq!(ran.code, 0);
        assert!(ran.stdout.contains("toolstile"), "{shell}");
    }
}

#[test]
fn help_and_version_go_to_stdout() {
    let place = Workplace::empty();
    for command in [
        "",
        "demo",
        "list",
        "inspect",
        "call",
        "run",
        "chat",
        "policy",
        "doctor",
        "init",
        "completions",
    ] {
        let arguments = [command, "--help"];
        let ran = place.run(if command.is_empty() { &arguments[1..] } else { &arguments });
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        let example = ran.stdout.lines().skip_while(|line| !line.starts_with("Example")).nth(1);
        let expected = format!("  toolstile {command}");
        assert!(example.is_some_and(|line| line.starts_with(&expected)), "{}", ran.stdout);
    }
    assert!(place.run(&["--version"]).stdout.starts_with("toolstile "));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Workplace::empty();
    for arguments in [
        vec!["completions", "bash"],
        vec!["list"],
        vec!["list", "--json"],
        vec!["demo"],
        vec!["call", "calculator", r#"{"expression": "1"}"#],
        vec!["--help"],
    ] {
        let mut command = place.command(&arguments);
        let pipes = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.spawn().expect("it runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_is_lost_is_exit_code_4() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a full device");
    let place = Workplace::empty();
    let output = place.command(&["list"]).stdout(full).output().expect("it runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{stderr}");
    assert!(stderr.starts_with("error: the output cannot be written: "), "{stderr}");
}
