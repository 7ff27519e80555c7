//! Guests that misbehave: what becomes of the call, what the model hears, what the
//! record keeps, and that neither the next call nor a neighbour notices.

use std::time::Duration;

use tokio::sync::OnceCell;
use tokio::task::JoinSet;
use tokio::time::timeout;
use toolstile::{Completion, FailureKind, Host, Status, Stop, ToolResponse};
use toolstile_tests::{HandWritten, PluginDir};

/// The guests that were built from source. One that no test names is unused, and so
/// does not compile.
#[deny(dead_code)]
pub(crate) mod guests {
    include!(concat!(env!("OUT_DIR"), "/guests.rs"));
}

/// A call that has not ended by then has not been ended.
const AT_LAST: Duration = Duration::from_secs(60);

/// What the neighbours are asked.
const NEIGHBOUR: &str = r#"{"text": "here"}"#;

const DEADLINE: Duration = Duration::from_secs(2);

/// Short enough to wait for, long enough for everything that does end.
const CONFIG: &str = "
    [plugin.hostile.limits]
    deadline_ms = 2000
    memory_bytes = 50331648
    [plugin.odd.limits]
    deadline_ms = 2000
    table_elements = 1000
";

/// One host for all tests of this file: what one guest does is what the others
/// have to live with.
async fn host() -> &'static Host {
    static HOST: OnceCell<Host> = OnceCell::const_new();
    HOST.get_or_init(load).await
}

async fn load() -> Host {
    let directory = PluginDir::with([
        ("hostile", guests::HOSTILE),
        ("neighbour", guests::NEIGHBOUR),
        ("note_reader", guests::NOTE_READER),
        ("raw_contract", guests::RAW_CONTRACT),
        ("exit", &exits()),
        ("odd", &table_bomb()),
    ]);
    let host = directory.host(CONFIG).await;
    assert_eq!(host.quarantined(), [], "all of them load");
    host
}

/// Ends its process, as programs for WASI may.
fn exits() -> Vec<u8> {
    let before = r#"
        (import "wasi:cli/exit@0.2.0" (instance $exit
          (export "exit" (func (param "status" (result))))))
        (core func $exit (canon lower (func $exit "exit")))"#;
    let guest = HandWritten::with_tools(["exit"]);
    let call_tool = format!("(call $exit (i32.const 0)) {}", HandWritten::answer());
    HandWritten {
        before: before.into(),
        with: r#"(with "wasi" (instance (export "exit" (func $exit))))"#.into(),
        imports: r#"(import "wasi" "exit" (func $exit (param i32)))"#.into(),
        call_tool,
        ..guest
    }
    .build()
}

/// Grows a table until it is refused, then traps.
fn table_bomb() -> Vec<u8> {
    let grow = "(loop $again (br_if $again (i32.ne (i32.const -1)
        (table.grow $t (ref.null func) (i32.const 100))))) unreachable";
    let guest = HandWritten::with_tools(["table_bomb"]);
    HandWritten { fields: "(table $t 1 funcref)".into(), call_tool: grow.into(), ..guest }.build()
}

/// Runs a call while neighbours run, and asserts that they notice nothing.
async fn call_among_neighbours(tool: &str, arguments: &str) -> Completion {
    let host = host().await;
    let mut neighbours = JoinSet::new();
    for _ in 0..8 {
        neighbours.spawn(async { host.call("echo", NEIGHBOUR).await.response() });
    }
    let completion = timeout(AT_LAST, host.call(tool, arguments)).await.expect("it ended");
    let answers = timeout(AT_LAST, neighbours.join_all()).await.expect("the neighbours ended");
    assert!(answers.iter().all(|answer| answer.text == "here"), "{answers:?}");
    assert_eq!(host.call("echo", NEIGHBOUR).await.response().text, "here");
    completion
}

/// Asserts how a call failed, that the operator can read why, and that the model
/// reads nothing of the inside of the host.
#[track_caller]
fn assert_failed(completion: &Completion, kind: FailureKind, detail: &str) {
    let tool = &completion.record.tool;
    match &completion.result {
        Err(Stop::Failed(error)) => assert_eq!(error.kind, kind, "{tool}: {}", error.detail),
        other => panic!("{tool} did not fail: {other:?}"),
    }
    assert_eq!(completion.record.outcome, "failed");
    assert_eq!(completion.record.reason, Some(kind.as_str()));
    let recorded = completion.record.detail.as_deref().unwrap_or_default();
    assert!(recorded.contains(detail), "{tool}: {recorded}");
    assert!(recorded.len() < 2100, "{tool}: {} bytes of detail", recorded.len());
    assert_eq!(completion.model_text(), format!("Error: the tool `{tool}` gave no answer: {kind}"));
}

async fn assert_fails(tool: &str, arguments: &str, kind: FailureKind, detail: &str) {
    assert_failed(&call_among_neighbours(tool, arguments).await, kind, detail);
    let next = host().await.call("ok", "{}").await;
    assert_eq!(next.response().text, "fine", "the next call of the plugin: {next:?}");
}

async fn answer(tool: &str, arguments: &str) -> ToolResponse {
    let completion = call_among_neighbours(tool, arguments).await;
    completion.result.unwrap_or_else(|stop| panic!("{tool}: {stop:?}"))
}

#[tokio::test]
async fn an_endless_loop_ends_at_the_deadline() {
    assert_fails("endless_loop", "{}", FailureKind::Deadline(DEADLINE), "`deadline_ms`").await;
}

#[tokio::test]
async fn memory_is_bounded() {
    assert_fails("memory_bomb", "{}", FailureKind::Memory, "unreachable").await;
}

#[tokio::test]
async fn tables_are_bounded() {
    assert_fails("table_bomb", "{}", FailureKind::Memory, "unreachable").await;
}

#[tokio::test]
async fn recursion_is_bounded() {
    assert_fails("stack_overflow", "{}", FailureKind::Stack, "call stack exhausted").await;
}

#[tokio::test]
async fn a_panic_is_a_crash() {
    assert_fails("panic", "{}", FailureKind::Crash, "unreachable").await;
}

#[tokio::test]
async fn a_trap_is_a_crash() {
    assert_fails("trap", "{}", FailureKind::Crash, "unreachable").await;
}

#[tokio::test]
async fn an_exit_is_no_answer() {
    assert_fails("exit", "{}", FailureKind::Exit, "status 0").await;
}

#[tokio::test]
async fn a_long_text_is_cut() {
    let response = answer("huge_output", r#"{"megabytes": 3}"#).await;
    assert_eq!(response.status, Status::Partial);
    assert!(response.text.ends_with("xx\n[cut: 65536 of 3000000 bytes shown]"));
    assert!(response.text.len() < 66_000);
}

#[tokio::test]
async fn a_text_beyond_the_size_of_responses_is_no_answer() {
    let arguments = r#"{"megabytes": 5}"#;
    assert_fails("huge_output", arguments, FailureKind::HostData, "`response_bytes`").await;
}

#[tokio::test]
async fn a_text_beyond_what_may_cross_is_not_copied() {
    let arguments = r#"{"megabytes": 12}"#;
    assert_fails("huge_output", arguments, FailureKind::HostData, "too much data").await;
}

#[tokio::test]
async fn log_lines_beyond_the_limit_cost_nobody_the_answer() {
    assert_eq!(answer("log_flood", "{}").await.text, "logged");
}

#[tokio::test]
async fn log_bytes_have_a_budget() {
    assert_fails("log_bytes_flood", "{}", FailureKind::HostData, "`host_call_bytes`").await;
}

#[tokio::test]
async fn host_calls_have_a_budget() {
    let directory = PluginDir::with([("hostile", guests::HOSTILE)]);
    let host = directory.host("[limits]\nhost_calls = 99999").await;
    let completion = host.call("log_flood", "{}").await;
    assert_failed(&completion, FailureKind::HostData, "`host_calls`");
}

#[tokio::test]
async fn data_must_be_json_within_bounds() {
    for tool in ["not_json", "deepest_data", "deep_data", "two_values"] {
        assert_fails(tool, "{}", FailureKind::Contract, "the data of the response").await;
    }
}

#[tokio::test]
async fn data_must_match_the_tools_own_schema() {
    let tool = "data_not_matching_output_schema";
    assert_fails(tool, "{}", FailureKind::Contract, "output schema").await;
}

#[tokio::test]
async fn what_is_not_granted_is_denied_and_the_tool_may_say_so() {
    let response = answer("host_denied", "{}").await;
    assert_eq!(response.status, Status::Error);
    let refused = "the capability `notes` is not granted to `hostile`; the operator grants it by";
    assert!(response.text.starts_with(refused), "{}", response.text);
}

#[tokio::test]
async fn invisible_characters_become_visible() {
    let text = answer("invisible", "{}").await.text;
    assert!(text.contains("red") && text.contains("desrever"), "{text}");
    assert!(text.chars().all(|c| c.is_ascii_graphic()), "{text}");
}

#[tokio::test]
async fn no_state_outlives_a_call() {
    for _ in 0..3 {
        assert_eq!(answer("state", "{}").await.text, "1");
    }
}

/// A plugin with one slot: what still ran would keep the next call waiting.
#[tokio::test]
async fn dropping_a_call_stops_its_guest() {
    let directory = PluginDir::with([("hostile", guests::HOSTILE)]);
    let limits = "[plugin.hostile.limits]\nconcurrent_calls = 1";
    let (host, sink) = directory.recording_host(limits).await;
    let dropped = timeout(Duration::from_millis(100), host.call("endless_loop", "{}")).await;
    assert!(dropped.is_err(), "it does not end by itself");
    let outcomes: Vec<_> = sink.records().iter().map(|r| (r.tool.clone(), r.outcome)).collect();
    assert_eq!(outcomes, [("endless_loop".to_owned(), "cancelled")]);
    let next = timeout(AT_LAST, host.call("ok", "{}")).await.expect("the slot is free again");
    assert_eq!(next.response().text, "fine");
}

/// A guest that computes gives way to others, even on one thread.
#[tokio::test(flavor = "current_thread")]
async fn a_busy_guest_gives_way() {
    let host = host().await;
    let (slow, quick) = tokio::join!(
        async { (host.call("endless_loop", "{}").await, std::time::Instant::now()) },
        async { (host.call("echo", NEIGHBOUR).await, std::time::Instant::now()) },
    );
    assert_failed(&slow.0, FailureKind::Deadline(DEADLINE), "`deadline_ms`");
    assert_eq!(quick.0.response().text, "here");
    assert!(quick.1 < slow.1, "the quick call came first");
}

/// More calls than instances exist: the rest wait.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_calls_at_once_all_end() {
    let host = host().await;
    let mut calls = JoinSet::new();
    for number in 0..150 {
        let (tool, arguments) = if number % 5 == 0 { ("slow", "{}") } else { ("echo", NEIGHBOUR) };
        calls.spawn(async move { (tool, host.call(tool, arguments).await) });
    }
    let ended = timeout(AT_LAST, calls.join_all()).await.expect("all calls ended");
    assert_eq!(ended.len(), 150);
    for (tool, call) in ended {
        match (tool, call.result) {
            ("echo", Ok(response)) => assert_eq!(response.text, "here"),
            // On a busy machine 30 of them may not all get their share in time.
            ("slow", Err(Stop::Failed(e))) => assert_eq!(e.kind, FailureKind::Deadline(DEADLINE)),
            ("slow", Ok(_)) => {}
            (_, other) => panic!("{tool}: {other:?}"),
        }
    }
}

#[test]
fn what_embedders_share_can_be_shared() {
    fn shared<T: Send + Sync + 'static>() {}
    fn sent<T: Send>(_: T) {}
    shared::<Host>();
    shared::<Completion>();
    shared::<toolstile::LoadedPlugin>();
    shared::<toolstile::HostConfig>();
    shared::<toolstile::HostError>();
    shared::<toolstile_wasm::WasmRuntime>();
    shared::<toolstile_wasm::WasmTool>();
    shared::<toolstile_wasm::LoadError>();
    // A call can be handed to another thread, and a host built on one.
    sent(|host: &'static Host| sent(host.call("echo", NEIGHBOUR)));
    sent(Host::builder().build());
}
