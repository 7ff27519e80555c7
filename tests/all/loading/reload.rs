//! Plugin files that come, change and go while the host runs.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::{Notify, mpsc};
use toolstile::{Host, Invocation, Middleware, Next, PluginChange, Stop, ToolResponse};
use toolstile_tests::{HandWritten, PluginDir, reason};

use super::names;
use crate::hostile::guests;

/// A component with one tool that answers with a digit.
fn answering(tool: &str, digit: u8) -> Vec<u8> {
    let mut guest = HandWritten::with_tools([tool]);
    guest.call_tool = format!(
        "{} {}",
        HandWritten::say_digit(&format!("(i32.const {digit})")),
        HandWritten::answer()
    );
    guest.build()
}

fn loaded(name: &str) -> PluginChange {
    PluginChange::Loaded(name.to_owned())
}

fn replaced(name: &str) -> PluginChange {
    PluginChange::Replaced(name.to_owned())
}

async fn answer(host: &Host, tool: &str) -> String {
    host.call(tool, "{}").await.model_text()
}

#[tokio::test]
async fn files_come_change_and_go() {
    let directory = PluginDir::with([("a", &answering("one", 1)[..])]);
    let host = directory.host("").await;
    assert_eq!(host.reload_plugins().await, [], "nothing was touched");
    directory.add("b.wasm", answering("two", 2));
    assert_eq!(host.reload_plugins().await, [loaded("b")]);
    directory.add("a.wasm", answering("one", 3));
    assert_eq!(host.reload_plugins().await, [replaced("a")]);
    assert_eq!(names(&host), ["one", "two"], "a tool that stays keeps its place");
    assert_eq!((answer(&host, "one").await, answer(&host, "two").await), ("3".into(), "2".into()));
    directory.add("a.wasm", answering("other", 4));
    assert_eq!(host.reload_plugins().await, [replaced("a")]);
    assert_eq!(names(&host), ["two", "other"], "tools that it no longer has are gone");
    std::fs::remove_file(directory.path("b.wasm")).expect("removed");
    assert_eq!(host.reload_plugins().await, [PluginChange::Removed("b".into())]);
    assert_eq!((names(&host), host.plugins().len()), (vec!["other".to_owned()], 1));
}

#[tokio::test]
async fn a_broken_file_leaves_the_last_good_one() {
    let directory = PluginDir::with([("a", &answering("one", 1)[..])]);
    let host = directory.host("").await;
    directory.add("a.wasm", b"not a component");
    let changes = host.reload_plugins().await;
    assert!(
        matches!(&changes[..], [PluginChange::Refused(q)] if q.plugin == "a.wasm"),
        "{changes:?}"
    );
    assert_eq!(answer(&host, "one").await, "1");
    assert!(!reason(&host, "a.wasm").is_empty());
    assert_eq!(host.reload_plugins().await, [], "it is said once");
    directory.add("a.wasm", answering("one", 2));
    assert_eq!(host.reload_plugins().await, [replaced("a")]);
    assert_eq!((answer(&host, "one").await, host.quarantined().len()), ("2".into(), 0));
}

#[tokio::test]
async fn a_name_that_another_plugin_holds_changes_nothing() {
    let directory =
        PluginDir::with([("a", &answering("one", 1)[..]), ("b", &answering("two", 2)[..])]);
    let host = directory.host("").await;
    directory.add("b.wasm", answering("one", 3));
    let changes = host.reload_plugins().await;
    assert!(matches!(&changes[..], [PluginChange::Refused(_)]), "{changes:?}");
    assert!(reason(&host, "b.wasm").contains("`one` is taken by a tool of origin `plugin:a`"));
    assert_eq!((answer(&host, "one").await, answer(&host, "two").await), ("1".into(), "2".into()));
    std::fs::remove_file(directory.path("a.wasm")).expect("removed");
    let changes = host.reload_plugins().await;
    assert_eq!(changes, [PluginChange::Removed("a".into()), replaced("b")]);
    assert_eq!((names(&host), answer(&host, "one").await), (vec!["one".to_owned()], "3".into()));
}

#[tokio::test]
async fn a_changed_tool_that_is_pinned_stays_out() {
    let directory = PluginDir::with([("a", &answering("one", 1)[..])]);
    let pin = directory.host("").await.all_tools()[0].fingerprint.to_string();
    let host = directory.host(&format!("[expected_fingerprints]\none = '{pin}'\n")).await;
    directory.add("a.wasm", answering("one", 2));
    host.reload_plugins().await;
    assert_eq!(answer(&host, "one").await, "1");
    assert!(reason(&host, "a.wasm").contains("is not the tool that was pinned"));
}

/// Holds a call back, after its tool was chosen.
#[derive(Debug, Default)]
struct Hold {
    reached: Notify,
    go_on: Notify,
}

struct Holding(Arc<Hold>);

#[async_trait]
impl Middleware for Holding {
    fn name(&self) -> &str {
        "hold"
    }

    async fn handle(&self, invocation: Invocation, next: Next<'_>) -> Result<ToolResponse, Stop> {
        self.0.reached.notify_one();
        self.0.go_on.notified().await;
        next.run(invocation).await
    }
}

#[tokio::test]
async fn a_call_in_flight_finishes_on_the_old_file() {
    let directory = PluginDir::with([("a", &answering("one", 1)[..])]);
    let hold = Arc::new(Hold::default());
    let host =
        directory.builder("").middleware(Holding(hold.clone())).build().await.expect("a host");
    let call = tokio::spawn({
        let host = host.clone();
        async move { answer(&host, "one").await }
    });
    hold.reached.notified().await;
    directory.add("a.wasm", answering("one", 2));
    assert_eq!(host.reload_plugins().await, [replaced("a")]);
    hold.go_on.notify_one();
    assert_eq!(call.await.expect("no panic"), "1");
    hold.go_on.notify_one();
    assert_eq!(answer(&host, "one").await, "2");
}

#[tokio::test]
async fn the_directory_is_watched_also_before_it_is_there() {
    let directory = PluginDir::default();
    let inside = directory.path("plugins");
    let builder = directory.builder("").plugin_dir(&inside);
    let host = builder.build().await.expect("a host");
    let (told, mut changes) = mpsc::unbounded_channel();
    let watch = host.watch_plugins(move |changes| told.send(changes.to_vec()).expect("heard"));
    let _watch = watch.expect("watching");
    std::fs::create_dir(&inside).expect("a directory");
    std::fs::write(inside.join("n.wasm"), guests::NEIGHBOUR).expect("written");
    assert_eq!(changes.recv().await, Some(vec![loaded("n")]));
    std::fs::write(inside.join("n.wasm"), answering("one", 1)).expect("written");
    assert_eq!(changes.recv().await, Some(vec![replaced("n")]));
    std::fs::remove_dir_all(&inside).expect("removed");
    assert_eq!(changes.recv().await, Some(vec![PluginChange::Removed("n".into())]));
    std::fs::create_dir(&inside).expect("a directory");
    std::fs::write(inside.join("m.wasm"), guests::NEIGHBOUR).expect("written");
    assert_eq!(changes.recv().await, Some(vec![loaded("m")]));
}
