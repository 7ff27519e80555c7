//! `toolstile.lock`: what was approved is loaded, and nothing else of the directory.

use toolstile::{Host, Lock, LockError, PluginChange};
use toolstile_tests::{HandWritten, PluginDir, reason};

use super::names;
use crate::hostile::guests;

const LOCK: &str = "toolstile.lock";

fn listing(tools: &[&str]) -> Vec<u8> {
    HandWritten::with_tools(tools.iter().copied()).build()
}

/// Approves what is there.
async fn approve(directory: &PluginDir) -> Lock {
    let host = directory.builder("").without_lock().build().await.expect("a host");
    let lock = host.to_approve(&Lock::default());
    lock.write(&directory.path(LOCK)).expect("written");
    lock
}

async fn refused(directory: &PluginDir, file: &str) -> String {
    let host = directory.host("").await;
    assert_eq!(host.all_tools().len(), 0);
    reason(&host, file)
}

#[tokio::test]
async fn without_the_file_everything_is_loaded_and_with_it_what_was_approved() {
    let directory = PluginDir::with([("a", &listing(&["one"])[..])]);
    assert_eq!(names(&directory.host("").await), ["one"]);
    let lock = approve(&directory).await;
    assert_eq!(Lock::read(&directory.path(LOCK)).expect("readable"), Some(lock));
    assert_eq!(names(&directory.host("").await), ["one"]);
}

#[tokio::test]
async fn a_changed_file_is_quarantined_with_what_changed() {
    let directory = PluginDir::with([("a", &listing(&["one", "two"])[..])]);
    approve(&directory).await;
    directory.add("a.wasm", listing(&["one", "three"]));
    let reason = refused(&directory, "a.wasm").await;
    for part in [
        "it is not what was approved: `sha256`: \"",
        "`tools/two` is gone: {",
        "`tools/three` is new: {",
        "`toolstile approve a` approves it as it is now",
    ] {
        assert!(reason.contains(part), "{part}: {reason}");
    }
}

#[tokio::test]
async fn a_changed_description_can_be_read() {
    let directory = PluginDir::with([("a", guests::NEIGHBOUR)]);
    let lock = approve(&directory).await;
    let mut text = serde_json::to_value(&lock).expect("JSON");
    text["plugins"]["a"]["tools"]["echo"]["definition"]["description"] = "Sends mail.".into();
    directory.add(LOCK, text.to_string());
    let reason = refused(&directory, "a.wasm").await;
    assert!(reason.contains("`tools/echo/definition/description`: \"Sends mail.\" → \""));
}

#[tokio::test]
async fn a_file_that_was_never_approved_stays_out() {
    let directory = PluginDir::with([("a", &listing(&["one"])[..])]);
    approve(&directory).await;
    directory.add("b.wasm", listing(&["two"]));
    let host = directory.host("").await;
    assert_eq!(names(&host), ["one"]);
    assert!(reason(&host, "b.wasm").starts_with("it was not approved: "));
}

#[tokio::test]
async fn what_is_gone_is_said() {
    let directory = PluginDir::with([("a", &listing(&["one"])[..])]);
    approve(&directory).await;
    std::fs::remove_file(directory.path("a.wasm")).expect("removed");
    assert_eq!(directory.host("").await.warnings(), ["`a` in `toolstile.lock` is not there"]);
}

#[tokio::test]
async fn plugins_of_the_host_need_no_approval() {
    let directory = PluginDir::default();
    let lock = approve(&directory).await;
    assert!(lock.plugins.is_empty());
    let host = directory.builder("").bundled(true).build().await.expect("a host");
    assert!(names(&host).contains(&"calculator".to_owned()));
}

#[tokio::test]
async fn approving_and_revoking_hold_at_the_next_reload() {
    let directory = PluginDir::with([("a", &listing(&["one"])[..])]);
    let first = approve(&directory).await;
    let host = directory.host("").await;
    directory.add("a.wasm", listing(&["two"]));
    let changes = host.reload_plugins().await;
    assert!(matches!(&changes[..], [PluginChange::Refused(_)]), "{changes:?}");
    assert_eq!(names(&host), ["one"], "what was approved goes on");
    approve(&directory).await;
    assert_eq!(host.reload_plugins().await, [PluginChange::Replaced("a".into())]);
    assert_eq!(names(&host), ["two"]);
    first.write(&directory.path(LOCK)).expect("written");
    let changes = host.reload_plugins().await;
    assert!(matches!(&changes[..], [PluginChange::Refused(_)]), "{changes:?}");
    assert_eq!(names(&host), [""; 0]);
    assert!(reason(&host, "a.wasm").contains("`tools/two` is new"));
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_no_approval() {
    let directory = PluginDir::with([("a", &listing(&["one"])[..])]);
    approve(&directory).await;
    let host = directory.host("").await;
    for (text, expected) in [
        ("{", "EOF"),
        (r#"{"version": 2, "plugins": {}, "mcp": {}}"#, "its version is 2, and known is 1"),
        (r#"{"version": 1, "plugins": {}, "mcp": {}, "more": 1}"#, "unknown field `more`"),
        (r#"{"version": 1}"#, "missing field `plugins`"),
    ] {
        directory.add(LOCK, text);
        let error = directory.builder("").build().await.expect_err("no host").to_string();
        assert!(error.contains(expected), "{error}");
        host.reload_plugins().await;
        assert_eq!(names(&host), ["one"], "the last good one holds");
        let warnings = host.warnings().join(" ");
        assert!(warnings.contains("what was approved before still holds"), "{warnings}");
    }
    let nowhere = Lock::default().write(&directory.path("missing/toolstile.lock"));
    assert!(matches!(nowhere, Err(LockError::Io { verb: "written", .. })), "{nowhere:?}");
}

#[tokio::test]
async fn what_cannot_be_loaded_keeps_its_entry() {
    let directory = PluginDir::with([("a", &listing(&["one"])[..]), ("b", &listing(&["two"])[..])]);
    let before = approve(&directory).await;
    directory.add("a.wasm", b"broken");
    std::fs::remove_file(directory.path("b.wasm")).expect("removed");
    let host: Host = directory.builder("").without_lock().build().await.expect("a host");
    let now = host.to_approve(&before);
    assert_eq!(now.plugins.get("a"), before.plugins.get("a"));
    assert_eq!(now.plugins.get("b"), None);
}
