//! Ordinary use (`tests/cases/seeds/notes_paths.json`): the part of it that the host
//! decides. What the tool decides on its own is listed and counted.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::FileType;
use serde_json::Value;
use toolstile_notes::{Access, Notes, NotesConfig, Quotas};

use crate::sandbox::{Outcome, Sandbox, make_node};
use crate::without_openat2::without_openat2;

const CASES: &str = include_str!("../../../../tests/cases/seeds/notes_paths.json");
const COUNT: usize = 144;

/// Decided by the tool, its schema or the confirmation gate: the newline at the end,
/// blank content, limits in characters, parameters.
const DECIDED_ELSEWHERE: usize = 25;

/// Cases with another outcome here, and why. Names mean the same on every platform.
const DIFFERENT: [(&str, &str); 25] = [
    ("notes_paths-020", BLANKS),
    ("notes_paths-037", DEVICE),
    ("notes_paths-039", LOOSE_END),
    ("notes_paths-040", LOOSE_END),
    ("notes_paths-042", LOOSE_END),
    ("notes_paths-043", RESERVED),
    ("notes_paths-044", RESERVED),
    ("notes_paths-046", RESERVED),
    ("notes_paths-057", INVISIBLE),
    ("notes_paths-063", BLANKS),
    ("notes_paths-065", RESERVED),
    ("notes_paths-066", INVISIBLE),
    ("notes_paths-068", BLANKS),
    ("notes_paths-089", BLANKS),
    ("notes_paths-106", DEVICE),
    ("notes_paths-108", LOOSE_END),
    ("notes_paths-112", RESERVED),
    ("notes_paths-113", RESERVED),
    ("notes_paths-114", RESERVED),
    ("notes_paths-120", INVISIBLE),
    ("notes_paths-131", RESERVED),
    ("notes_paths-132", BLANKS),
    ("notes_paths-133", DEVICE),
    ("notes_paths-135", INVISIBLE),
    ("notes_paths-137", INVISIBLE),
];
const BLANKS: &str = "blanks around a path are refused: what is confirmed is what is used";
const LOOSE_END: &str = "Windows drops a dot at the end";
const RESERVED: &str = "the character means something else on Windows";
const DEVICE: &str = "the name is that of a device on Windows, whatever follows the dot";
const INVISIBLE: &str = "a character that readers cannot see";

#[test]
fn every_case_of_the_host_holds() {
    let tally = check_all();
    assert!(tally.failed.is_empty(), "{}", tally.failed.join("\n"));
    assert_eq!(tally.elsewhere, DECIDED_ELSEWHERE);
    assert_eq!(tally.held + tally.different.len() + tally.elsewhere, COUNT);
}

#[test]
fn every_case_of_the_host_holds_without_openat2() {
    assert_eq!(without_openat2(check_all), check_all());
}

#[derive(Debug, Default, PartialEq)]
struct Tally {
    held: usize,
    different: BTreeMap<String, &'static str>,
    elsewhere: usize,
    failed: Vec<String>,
}

fn check_all() -> Tally {
    let mut tally = Tally::default();
    let known = BTreeMap::from(DIFFERENT);
    let cases: Value = serde_json::from_str(CASES).unwrap();
    for case in cases["cases"].as_array().unwrap() {
        let id = case["id"].as_str().unwrap();
        match (check(case), known.get(id)) {
            (None, _) => tally.elsewhere += 1,
            (Some(Ok(())), None) => tally.held += 1,
            (Some(Ok(())), Some(_)) => panic!("{id} holds and is listed as different"),
            (Some(Err(_)), Some(reason)) => {
                tally.different.insert(id.to_owned(), reason);
            }
            (Some(Err(complaint)), None) => tally.failed.push(format!("{id}: {complaint}")),
        }
    }
    tally
}

/// `None` when it is not the host that decides.
fn check(case: &Value) -> Option<Result<(), String>> {
    let limits_file = case["options"]["max_file_bytes"].is_u64();
    match case["category"].as_str().unwrap() {
        "read_path" => Some(check_read(case)),
        "append_path" => Some(check_append(case)),
        "limits" if limits_file => Some(check_append(case)),
        "constructor" if limits_file => Some(check_quotas(case)),
        "root" => Some(check_root(case)),
        "limits" | "constructor" | "append_content" | "parameters" | "confirmation" => None,
        other => panic!("unknown category {other}"),
    }
}

fn check_read(case: &Value) -> Result<(), String> {
    let sandbox = filled_sandbox();
    let path = case["params"]["path"].as_str().unwrap();
    let outcome = Outcome::of(sandbox.notes().read(path), |text| text);
    let expected = match (case["status"].as_str(), case["data"]["exists"].as_bool()) {
        (Some("success"), Some(true)) => "ok",
        (Some("success"), Some(false)) => "empty",
        _ => "deny",
    };
    expect(expected, outcome.verdict)?;
    match expected {
        "ok" => expect(case["text"].as_str().unwrap(), &outcome.shown),
        _ => Ok(()),
    }
}

fn check_append(case: &Value) -> Result<(), String> {
    let sandbox = filled_sandbox();
    let before = sandbox.outside();
    let notes = sandbox.open(quotas(case)).unwrap();
    let params = &case["params"];
    // The tool ends a line that is not ended.
    let content = format!("{}\n", params["content"].as_str().unwrap());
    let outcome = Outcome::of_call(&notes, "append", params["path"].as_str().unwrap(), &content);
    let expected = if case["status"] == "success" { "ok" } else { "deny" };
    expect(expected, outcome.verdict)?;
    assert_eq!(sandbox.outside(), before, "something outside changed");
    match case["data"]["path"].as_str() {
        Some(path) => check_file(&sandbox.root().join(path), case),
        None => Ok(()),
    }
}

fn check_file(file: &Path, case: &Value) -> Result<(), String> {
    let content = escape_invalid(&fs::read(file).unwrap());
    expect(case["file_after"].as_str().unwrap(), &content)?;
    expect(case["file_mode"].as_str().unwrap(), &mode(file))
}

fn check_quotas(case: &Value) -> Result<(), String> {
    let opened = Sandbox::new().open(quotas(case));
    expect("refused", if opened.is_ok() { "accepted" } else { "refused" })
}

fn check_root(case: &Value) -> Result<(), String> {
    let sandbox = Sandbox::new();
    let directory = prepare_root(&sandbox, case["description"].as_str().unwrap());
    let config = NotesConfig {
        directory: directory.clone(),
        access: Access::Read,
        quotas: Quotas::default(),
    };
    let opened = Notes::open(config);
    let expected = case["result"].as_str().unwrap_or("refused");
    expect(expected, if opened.is_ok() { "accepted" } else { "refused" })?;
    match case["mode_after"].as_str() {
        Some(expected) => expect(expected, &mode(&directory)),
        None => Ok(()),
    }
}

fn prepare_root(sandbox: &Sandbox, description: &str) -> PathBuf {
    if let Some(octal) = description.strip_prefix("existing directory mode 0o") {
        let mode = u32::from_str_radix(octal, 8).unwrap();
        fs::set_permissions(sandbox.root(), Permissions::from_mode(mode)).unwrap();
        return sandbox.root();
    }
    match description {
        "missing directory is created" => sandbox.path("new"),
        "missing parents are created" => sandbox.path("new/er/est"),
        "empty string" => PathBuf::new(),
        "spaces" => PathBuf::from("   "),
        "regular file" => sandbox.path("outside/secret.txt"),
        "symlink in a PARENT of root is allowed" => {
            symlink(sandbox.path(""), sandbox.path("parent")).unwrap();
            sandbox.path("parent/root")
        }
        other => panic!("unknown description {other}"),
    }
}

fn quotas(case: &Value) -> Quotas {
    let default = Quotas::default();
    let max_file_bytes = &case["options"]["max_file_bytes"];
    Quotas { max_file_bytes: max_file_bytes.as_u64().unwrap_or(default.max_file_bytes), ..default }
}

/// The notes that every case starts from.
fn filled_sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let at = |name: &str| sandbox.root().join(name);
    fs::create_dir(at("sub")).unwrap();
    for (name, content) in [
        ("a.md", b"hello\n".as_slice()),
        ("sub/b.md", b"b\n"),
        ("bin", b"\xff\xfe"),
        ("crlf.md", b"a\r\nb\r\n"),
        ("bom.md", "\u{feff}hi".as_bytes()),
        ("nul.md", b"a\0b"),
        ("empty.md", b""),
    ] {
        fs::write(at(name), content).unwrap();
        fs::set_permissions(at(name), Permissions::from_mode(0o644)).unwrap();
    }
    for (link, target) in [
        ("link_out", "../outside/secret.txt"),
        ("dir_out", "../outside"),
        ("link_in", "a.md"),
        ("dir_in", "sub"),
        ("dangling", "nowhere"),
    ] {
        symlink(target, at(link)).unwrap();
    }
    fs::hard_link(sandbox.path("outside/secret.txt"), at("hard")).unwrap();
    make_node(&at("fifo"), FileType::Fifo, 0);
    sandbox
}

fn mode(path: &Path) -> String {
    format!("0o{:o}", fs::metadata(path).unwrap().mode() & 0o7777)
}

/// UTF-8 with every other byte as `\xNN`, as the cases write it.
fn escape_invalid(bytes: &[u8]) -> String {
    let escape = |chunk: std::str::Utf8Chunk<'_>| {
        let invalid: String = chunk.invalid().iter().map(|b| format!("\\x{b:02x}")).collect();
        chunk.valid().to_owned() + &invalid
    };
    bytes.utf8_chunks().map(escape).collect()
}

fn expect(expected: &str, found: &str) -> Result<(), String> {
    match expected == found {
        true => Ok(()),
        false => Err(format!("{found:?} instead of {expected:?}")),
    }
}
