//! `policy` and `doctor`.

use super::workplace::{Workplace, json, keys};

const CONFIG: &str = "
    [secrets]
    key = { env = \"TOOLSTILE_TEST_ABSENT\" }
    [plugin.shell.grants.shell]
    dir = \".\"
    programs = [\"ls\", \"cat\", \"no-such-program\"]
    [plugin.notes.grants.notes]
    dir = \"notes\"
";

#[test]
fn explain_prints_the_verdict_of_every_gate() {
    let place = Workplace::with_config(CONFIG);
    for (arguments, verdict, code) in [
        (r#"{"command": "ls -l"}"#, "confirm", 0),
        (r#"{"command": "rm x"}"#, "deny", 2),
        (r#"{"command": 7}"#, "deny", 2),
    ] {
        let ran = place.run(&["policy", "explain", "shell", arguments, "--json"]);
        let explained = json(&ran.stdout);
        assert_eq!(keys(&explained), ["gates", "verdict"]);
        assert_eq!(keys(&explained["gates"][0]), ["decision", "gate", "reason"]);
        assert_eq!((&explained["verdict"], ran.code), (&verdict.into(), code), "{arguments}");
        let text = place.run(&["policy", "explain", "shell", arguments]).stdout;
        assert_eq!(text.lines().last(), Some(verdict), "{text}");
        let piped = place.run_with_input(&["policy", "explain", "shell", "-", "--json"], arguments);
        assert_eq!(piped.stdout, ran.stdout);
    }
    let read = r#"{"action": "read", "path": "a"}"#;
    let ran = place.run(&["policy", "explain", "notes", read]);
    assert!(
        ran.stdout.contains("`confirm_when`") && ran.stdout.ends_with("allow\n"),
        "{}",
        ran.stdout
    );
}

#[test]
fn check_is_quiet_when_all_is_well_and_names_what_is_not() {
    let good =
        Workplace::with_config("[plugin.shell.grants.shell]\ndir = \".\"\nprograms = [\"ls\"]\n");
    let ran = good.run(&["policy", "check"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "all rules load, hold and can apply\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(json(&good.run(&["policy", "check", "--json"]).stdout), serde_json::json!([]));
    let bad = Workplace::with_config(
        "[permissions]\ndeny = [\"sehll\"]\n[plugin.shell.grants.shell]\ndir = \".\"\nprograms = [\"ls\"]\n\
         profiles = [\"mine.toml\"]\n",
    );
    bad.write("mine.toml", "[ls]\noptions = [\"-l\"]\nexamples.refuse = [\"ls -l\"]\n");
    let ran = bad.run(&["policy", "check"]);
    assert_eq!(ran.code, 3);
    for part in ["mine.toml", "ls -l", "sehll"] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
}

#[test]
fn doctor_says_what_is_there_and_what_is_missing() {
    let place = Workplace::with_config(CONFIG);
    let ran = place.run(&["doctor", "--json"]);
    let checks = json(&ran.stdout);
    let health = |subject: &str| {
        let checks = checks.as_array().expect("a list");
        let check = checks.iter().find(|check| check["subject"] == subject);
        check.unwrap_or_else(|| panic!("{subject}: {}", ran.stdout))["health"].clone()
    };
    assert_eq!(health("engine"), "good");
    assert_eq!(health("secret `key`"), "fair");
    assert_eq!(health("program `ls` of `shell`"), "good");
    assert_eq!(health("program `no-such-program` of `shell`"), "bad");
    for wall in ["sandbox of files", "sandbox of the network"] {
        assert!(["good", "fair"].contains(&health(wall).as_str().expect("a word")));
    }
    assert_eq!(ran.code, 3, "something is bad");
    let text = place.run(&["doctor"]).stdout;
    assert!(text.contains("not set") && text.contains("not found"), "{text}");
    let well = Workplace::with_config("").run(&["doctor"]);
    assert_eq!(well.code, 0, "{}", well.stdout);
}
