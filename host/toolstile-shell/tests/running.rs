//! Programs that really run: in hostile surroundings, without an end, and in every way in
//! which a program can end.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use toolstile_shell::{Ending, Output, Shell, ShellConfig, sandbox_support};

use support::cases;

/// The surroundings of the vectors: a repository with two commits and a program that
/// leaves a marker behind.
const FIXTURE: &str = r#"
set -e
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
git init -q -b main . && git config user.email a@b.example && git config user.name a
printf 'foo\nbar\n' > a.txt; printf 'b\n' > b.txt; printf 'console.log(1)\n' > y.js
printf '#!/bin/sh\ntouch "$PWD/PWNED"; cat\n' > mark.sh; chmod +x mark.sh
git add -A && git commit -q -m one
printf 'more\n' >> a.txt && git commit -q -am two
printf '[core]\n\tfsmonitor = ./mark.sh\n' > ../evil.gitconfig
printf 'ok\377\376\n' > binary.bin; printf '\033[31mred\033[0m\n' > ansi.txt
"#;

struct Place {
    sandbox: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { sandbox: TempDir::new().unwrap() };
        fs::create_dir_all(place.work()).unwrap();
        place.sh(FIXTURE);
        place
    }

    fn work(&self) -> std::path::PathBuf {
        self.sandbox.path().join("up/work")
    }

    /// What the surroundings are made of is done outside of any sandbox.
    fn sh(&self, script: &str) {
        let done =
            Command::new("sh").args(["-c", script]).current_dir(self.work()).output().unwrap();
        assert!(done.status.success(), "{script}: {}", String::from_utf8_lossy(&done.stderr));
    }

    fn config(&self, programs: &[&str]) -> ShellConfig {
        let programs = programs.iter().map(|name| (*name).to_owned()).collect();
        ShellConfig::new(self.work(), programs)
    }

    fn was_marked(&self) -> bool {
        marked(self.sandbox.path())
    }
}

fn marked(directory: &Path) -> bool {
    fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).any(|path| {
        path.file_name().is_some_and(|name| name == "PWNED") || (path.is_dir() && marked(&path))
    })
}

fn vectors(class: &str) -> Vec<Value> {
    let text = cases("security/shell.jsonl");
    let all = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    all.filter(|case| case["cls"] == class).collect()
}

fn programs(case: &Value) -> Vec<&str> {
    case["allowlist"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

/// Runs what the policy lets through, whether or not a person would be asked.
async fn run(config: ShellConfig, command: &str) -> Output {
    let shell = Shell::new(config).unwrap();
    let checked = shell.check_command(command).unwrap_or_else(|e| panic!("{command}: {e}"));
    shell.run(&checked, soon()).await.unwrap()
}

#[expect(clippy::print_stdout, reason = "a skipped case says so")]
fn skip_without(case: &Value) -> bool {
    let here = |name: &&str| {
        ["/usr/local/bin", "/usr/bin", "/bin"].iter().any(|d| Path::new(d).join(name).exists())
    };
    let missing = !programs(case).iter().all(here);
    if missing {
        println!("skipped: {} needs {:?}", case["id"], programs(case));
    }
    missing
}

/// Every set-up twice: as it is run, and with the right to write, so that what keeps the
/// marker away is the environment and the options alone. One set-up needs the sandbox: a
/// filter that attributes inside `.git` choose can be switched off by no option.
#[tokio::test]
async fn a_hostile_repository_runs_nothing() {
    let (mut ran, mut skipped, mut refused) = (0, 0, 0);
    for case in vectors("hostile-env") {
        if skip_without(&case) {
            skipped += 1;
            continue;
        }
        let id = case["id"].as_str().unwrap();
        for writable in [false, true] {
            let needs_sandbox = case["hardened_observed"] == "marker appeared";
            if needs_sandbox && (writable || !sandbox_support().files()) {
                continue;
            }
            let place = Place::new();
            for step in case["setup"].as_array().unwrap() {
                place.sh(step.as_str().unwrap());
            }
            let mut config = place.config(&programs(&case));
            config.writable = writable;
            let shell = Shell::new(config).unwrap();
            let Ok(checked) = shell.check_command(case["command"].as_str().unwrap()) else {
                refused += 1;
                continue;
            };
            let output = shell.run(&checked, soon()).await.unwrap();
            assert!(!place.was_marked(), "{id}, writable: {writable}: {output:?}");
            assert!(matches!(output.ending, Ending::Exited(_)), "{id}: {output:?}");
        }
        ran += 1;
    }
    assert_eq!(ran + skipped, 14);
    assert_eq!(refused, 2, "`--show-signature` starts what the configuration names");
}

/// The set-ups work: without the gate's environment, options and sandbox they leave their
/// marker, those aside that need a terminal or a key.
#[test]
fn the_same_repositories_run_something_where_nothing_protects() {
    let observed = |case: &Value| case["observed"] == "executed a chosen program";
    let mut marked = 0;
    for case in vectors("hostile-env").iter().filter(|case| observed(case)) {
        let place = Place::new();
        for step in case["setup"].as_array().unwrap() {
            place.sh(step.as_str().unwrap());
        }
        // What git says of a program that is no real one does not count.
        let command = case["command"].as_str().unwrap();
        let ran = Command::new("sh").args(["-c", command]).current_dir(place.work()).output();
        assert!(ran.is_ok(), "{}", case["id"]);
        marked += usize::from(place.was_marked());
    }
    assert!(marked >= 8, "only {marked} set-ups do what they should");
}

#[tokio::test]
async fn what_never_ends_is_ended_and_what_is_no_text_is_kept() {
    let (mut ran, mut skipped) = (0, 0);
    for case in vectors("runtime") {
        if skip_without(&case) {
            skipped += 1;
            continue;
        }
        let place = Place::new();
        let mut config = place.config(&programs(&case));
        config.timeout = Duration::from_millis(500);
        config.max_output_bytes = 4096;
        let started = Instant::now();
        let output = run(config, case["command"].as_str().unwrap()).await;
        assert!(started.elapsed() < Duration::from_millis(2500), "{}", case["id"]);
        assert!(output.stdout.len() <= 4096);
        let expected = match case["command"].as_str().unwrap() {
            "sleep 1000" | "tail -f a.txt" => output.ending == Ending::TimedOut,
            "yes" => output.ending == Ending::OutputLimit && output.truncated,
            "cat" => output.ending == Ending::Exited(0) && output.stdout.is_empty(),
            "cat binary.bin" => output.stdout == b"ok\xff\xfe\n",
            "cat ansi.txt" => output.stdout.contains(&0x1b),
            // No terminal to ask on, and no network either.
            _ => matches!(output.ending, Ending::Exited(code) if code != 0),
        };
        assert!(expected, "{}: {output:?}", case["id"]);
        ran += 1;
    }
    assert_eq!(ran + skipped, 7);
}

/// Cases with another outcome here, and why.
const DIFFERENT: [(u16, &str); 4] = [
    (7, "an environment is never quite empty: programs need a PATH, a HOME and a LANG"),
    (15, "what was written until the deadline is kept"),
    (16, "what stays in the background is ended with its program"),
    (20, "a program that is missing is told by the report and refused when it is called"),
];

/// The words that the tool makes of it are the tool's, and its tests'. Inline code is
/// refused here, so it stands in a script.
#[tokio::test]
async fn every_way_to_end_is_told() {
    let file: Value = serde_json::from_str(&cases("seeds/shell_exec.json")).unwrap();
    let (mut ran, mut settings) = (0, 0);
    for case in file["cases"].as_array().unwrap() {
        let number: u16 = case["id"].as_str().unwrap().rsplit('-').next().unwrap().parse().unwrap();
        let Some(command) = case["command"].as_str() else {
            settings += usize::from(refuses_settings(case));
            continue;
        };
        ran += 1;
        if number == 18 {
            let place = Place::new();
            assert!(Shell::new(place.config(&["echo"])).unwrap().check_command(command).is_err());
            continue;
        }
        check_ending(number, case, command).await;
    }
    assert_eq!((ran, settings), (16, 4));
}

/// A limit of nothing is refused; a negative one cannot be expressed.
fn refuses_settings(case: &Value) -> bool {
    let place = Place::new();
    let mut config = place.config(&["true"]);
    match case["options"]["timeout"].is_number() {
        true => config.timeout = Duration::ZERO,
        false => config.max_output_bytes = 0,
    }
    Shell::new(config).is_err()
}

async fn check_ending(number: u16, case: &Value, command: &str) {
    let place = Place::new();
    let mut config = place.config(&programs_of(case));
    if let Some(seconds) = case["options"]["timeout"].as_f64() {
        config.timeout = Duration::from_secs_f64(seconds);
    }
    let command = match command.strip_prefix("sh -c '").and_then(|c| c.strip_suffix('\'')) {
        Some(code) => {
            fs::write(place.work().join("script.sh"), code).unwrap();
            "sh script.sh"
        }
        None => command,
    };
    let shell = Shell::new(config).unwrap();
    if number == 20 {
        assert!(shell.check_command(command).is_err(), "{}", different(20));
        return;
    }
    let output = shell.run(&shell.check_command(command).unwrap(), soon()).await.unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let holds = match number {
        7 => text.lines().any(|line| line.starts_with("HOME=")),
        12 => output.ending == Ending::OutputLimit && output.truncated,
        13 => output.ending == Ending::Signalled(9),
        14 => output.ending == Ending::TimedOut && text.is_empty(),
        15 => output.ending == Ending::TimedOut && text == "before\n",
        16 => output.ending == Ending::Exited(0) && text == "started\n",
        _ => output.ending == exit_code(case) && contains_output(case, &text, &output.stderr),
    };
    assert!(holds, "{number} ({}): {output:?}", different(number));
}

fn programs_of(case: &Value) -> Vec<&str> {
    case["allowed"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

fn different(number: u16) -> &'static str {
    let known = DIFFERENT.iter().find(|(id, _)| *id == number);
    known.map_or("as it was", |(_, why)| *why)
}

fn exit_code(case: &Value) -> Ending {
    Ending::Exited(i32::try_from(case["sync"]["data"]["returncode"].as_i64().unwrap()).unwrap())
}

/// The tool's text has the trimmed streams in it, cut where it is too long.
fn contains_output(case: &Value, stdout: &str, stderr: &[u8]) -> bool {
    let text = case["sync"]["text"].as_str().unwrap();
    let part = |stream: &str| {
        let start: String = stream.trim().chars().take(10).collect();
        text.contains(&start)
    };
    // The name of this machine is not that of another.
    text.contains("\nvm") || (part(stdout) && part(&String::from_utf8_lossy(stderr)))
}
