//! No process outlives its connection, nor what it started.

use std::fs;
use std::time::Duration;

use toolstile_mcp::client::{McpServerConfig, ServerState};

use super::{evil, python, start};

/// The identifiers of the processes whose command line ends so, and that belong to this
/// process or to nobody any more.
fn running(end: &str) -> Vec<i32> {
    let ours = std::process::id().to_string();
    let is = |pid: &i32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:\t")).unwrap_or("");
        let zombie = status.contains("State:\tZ");
        line.trim_end().ends_with(end) && !zombie && (parent == ours || parent == "1")
    };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_string_lossy().parse().ok());
    pids.filter(is).collect()
}

pub(crate) fn kill_children_of_this_test(end: &str) {
    for pid in running(end) {
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }
}

async fn gone(end: &str) {
    let wait = async {
        while !running(end).is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let ended = tokio::time::timeout(Duration::from_secs(30), wait).await;
    assert!(ended.is_ok(), "{end} is still running");
}

/// A server that starts another program, and stays when its input ends.
fn stubborn(mark: &str) -> McpServerConfig {
    let mut server = evil("silent");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/evil.py");
    let line = format!(
        "trap '' TERM; sleep {mark} & python3 {script} silent; while :; do sleep {mark}; done"
    );
    server.command = Some("sh".to_owned());
    server.args = Some(vec!["-c".to_owned(), line]);
    server
}

#[tokio::test]
async fn closing_ends_a_server_in_good_order() {
    if !python("closing") {
        return;
    }
    let mut server = evil("noise");
    server.args.as_mut().unwrap().push("closing".to_owned());
    let mut client = start(&server, None);
    assert!(matches!(client.settled().await, ServerState::Ready { .. }));
    assert_eq!(running("evil.py noise closing").len(), 1);
    client.close().await;
    assert!(running("evil.py noise closing").is_empty());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn dropping_kills_a_server_and_all_that_it_started() {
    if !python("dropping") {
        return;
    }
    let client = start(&stubborn("7219"), None);
    assert!(matches!(client.settled().await, ServerState::Ready { .. }));
    drop(client);
    gone("sleep 7219").await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn closing_ends_a_server_that_does_not_want_to() {
    if !python("stubborn") {
        return;
    }
    let mut client = start(&stubborn("7331"), None);
    assert!(matches!(client.settled().await, ServerState::Ready { .. }));
    client.close().await;
    gone("sleep 7331").await;
}
