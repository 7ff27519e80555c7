//! Ten thousand calls of every kind, sixteen at once, with timeouts and calls that are
//! given up in between: nothing is left behind, nothing is lost or torn.

use std::time::Duration;

use serde_json::json;
use tokio::task::JoinSet;
use toolstile::Host;

use super::{Person, Place};

const CALLS: usize = 10_000;
const AT_ONCE: usize = 16;

const CONFIG: &str = "
    [plugin.notes]
    confirm = 'never'
    [plugin.notes.grants.notes]
    dir = 'notes'
    access = 'read-append'
    [plugin.shell.grants.shell]
    dir = '.'
    programs = ['echo', 'sleep', 'sh']
    timeout_ms = 300
    [plugin.reach]
    confirm = 'never'
    [plugin.reach.limits]
    deadline_ms = 10000
";

/// What one call is: most are calculations and notes, some start programs, a few of
/// those never end by themselves or are given up.
async fn call(host: Host, number: usize) {
    match number % 50 {
        0 => drop(host.call("shell", json!({"command": "echo here"})).await),
        1 if number % 1000 == 1 => {
            drop(host.call("shell", json!({"command": "sh forever.sh"})).await);
        }
        2 if number % 500 == 2 => {
            let endless = host.call("shell", json!({"command": "sh forever.sh"}));
            let given_up = tokio::time::timeout(Duration::from_millis(50), endless).await;
            assert!(given_up.is_err());
        }
        3..20 => {
            let line = format!("line {number} of the soak");
            let note = json!({"action": "append", "path": "soak.md", "content": line});
            let text = host.call("notes", note).await.response().text;
            assert!(!text.contains("not"), "{text}");
        }
        20..25 => drop(host.call("notes", json!({"action": "read", "path": "soak.md"})).await),
        25..30 => drop(host.call("notes", json!({"action": "read", "path": "../x"})).await),
        _ => {
            let sum = host.call("calculator", json!({"expression": format!("{number} + 1")})).await;
            assert_eq!(sum.response().text, (number + 1).to_string());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_calls_leave_nothing_behind() {
    let place = Place::with_config(CONFIG);
    place.write("forever.sh", "echo $$; sleep 600 & sleep 600");
    let host = place.host(&Person::who_approves()).await;
    // What is made once is there before the count.
    for number in 0..50 {
        call(host.clone(), number).await;
    }
    let before = open_files();
    let mut running = JoinSet::new();
    for number in 50..CALLS {
        if running.len() == AT_ONCE {
            running.join_next().await.unwrap().unwrap();
        }
        running.spawn(call(host.clone(), number));
    }
    while let Some(ended) = running.join_next().await {
        ended.unwrap();
    }
    assert_eq!(lines_of(&place), (0..CALLS).filter(|n| (3..20).contains(&(n % 50))).count());
    settle(|| left_over(&place).is_empty()).await;
    assert_eq!(left_over(&place), Vec::<String>::new());
    settle(|| open_files() <= before).await;
    assert!(open_files() <= before, "{before} open files before, {} after", open_files());
}

/// Every line is whole, and none is there twice.
fn lines_of(place: &Place) -> usize {
    let text = std::fs::read_to_string(place.path("notes/soak.md")).expect("the notes are there");
    let number = |line: &str| {
        let number = line.strip_prefix("line ")?.strip_suffix(" of the soak")?;
        number.parse::<usize>().ok()
    };
    let mut numbers: Vec<usize> =
        text.lines().map(|line| number(line).unwrap_or_else(|| panic!("torn: {line:?}"))).collect();
    let count = numbers.len();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), count, "a line is there twice");
    count
}

/// Waits a little for what ends by itself.
async fn settle(done: impl Fn() -> bool) {
    for _ in 0..50 {
        if done() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

/// Processes that were started in the place of this test and are still there, zombies
/// among this process's children too.
fn left_over(place: &Place) -> Vec<String> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let here = place.directory.path();
    let is_left = |path: &std::path::Path| {
        let stat = std::fs::read_to_string(path.join("stat")).unwrap_or_default();
        let mut fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        let zombie = fields.next() == Some("Z");
        let ours = fields.next() == Some(&std::process::id().to_string());
        let inside = std::fs::read_link(path.join("cwd")).is_ok_and(|cwd| cwd.starts_with(here));
        (zombie && ours && stat.contains("(sh)")) || inside
    };
    let paths = processes.filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(|path| is_left(path)).map(|path| path.display().to_string()).collect()
}
