//! Random trees with links, random paths: nothing outside is ever read or written.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use proptest::prelude::*;

use crate::sandbox::{CANARY, Sandbox, soon};

/// Something in the notes directory.
#[derive(Clone, Debug)]
enum Entry {
    File(String),
    Folder(String),
    /// A link: where it lies, where it leads.
    Soft(String, String),
    Hard(String),
}

const NAMES: [&str; 5] = ["a", "b", "c.md", "d", "e"];

fn inside() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&NAMES), 1..4).prop_map(|parts| parts.join("/"))
}

fn target() -> impl Strategy<Value = String> {
    prop_oneof![
        inside(),
        Just("..".to_owned()),
        Just("../outside".to_owned()),
        Just("../outside/secret.txt".to_owned()),
        Just("../../outside".to_owned()),
        Just("/".to_owned()),
        Just("/proc/self/root".to_owned()),
    ]
}

fn entry() -> impl Strategy<Value = Entry> {
    prop_oneof![
        inside().prop_map(Entry::File),
        inside().prop_map(Entry::Folder),
        (inside(), target()).prop_map(|(at, to)| Entry::Soft(at, to)),
        inside().prop_map(Entry::Hard),
    ]
}

/// Paths of notes, and paths that try to be more.
fn asked() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        prop::sample::select(&NAMES).prop_map(str::to_owned),
        Just("..".to_owned()),
        Just(".".to_owned()),
        Just(String::new()),
        Just("secret.txt".to_owned()),
        Just("outside".to_owned()),
        "[ -~]{1,6}",
    ];
    prop::collection::vec(part, 1..6).prop_map(|parts| parts.join("/"))
}

/// What cannot be made (its place is taken, or lies outside) is left out.
fn plant(sandbox: &Sandbox, entry: &Entry) {
    let at = |name: &String| sandbox.root().join(name);
    let (Entry::File(name) | Entry::Folder(name) | Entry::Soft(name, _) | Entry::Hard(name)) =
        entry;
    if !parent_is_inside(sandbox, &at(name)) {
        return;
    }
    let _ = match entry {
        Entry::File(name) => fs::write(at(name), "inside"),
        Entry::Folder(name) => fs::create_dir(at(name)),
        Entry::Soft(name, target) => symlink(target, at(name)),
        Entry::Hard(name) => fs::hard_link(sandbox.path("outside/secret.txt"), at(name)),
    };
}

fn parent_is_inside(sandbox: &Sandbox, path: &Path) -> bool {
    let root = sandbox.root().canonicalize().unwrap();
    let _ = fs::create_dir_all(path.parent().unwrap());
    let real = path.parent().unwrap().canonicalize();
    // A link that was planted before may lead the test itself outside.
    real.is_ok_and(|real| real.starts_with(root)) && !path.is_symlink() && !path.exists()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn nothing_outside_is_read_or_written(
        entries in prop::collection::vec(entry(), 0..12),
        paths in prop::collection::vec(asked(), 1..8),
    ) {
        let sandbox = Sandbox::new();
        let notes = sandbox.notes();
        entries.iter().for_each(|entry| plant(&sandbox, entry));
        let before = sandbox.outside();
        for path in &paths {
            for shown in [
                notes.read(path).unwrap_or_else(|error| error.to_string()),
                notes.list(path).map_or_else(|error| error.to_string(), |notes| notes.join("\n")),
                notes.append(path, "x\n", soon()).map_or_else(|error| error.to_string(), |()| String::new()),
            ] {
                prop_assert!(!shown.contains(CANARY), "{path:?}: {shown}");
            }
        }
        prop_assert_eq!(sandbox.outside(), before);
    }
}
