//! A tool for each way to misbehave during a call, and two that behave.

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};

use toolstile_sdk::serde_json::{Map, Value, json};
use toolstile_sdk::{Error, Tool, ToolDefinition, ToolResponse, export, log, notes, tool};

export!(
    ok,
    state,
    slow,
    endless_loop,
    memory_bomb,
    stack_overflow,
    panic,
    trap,
    huge_output,
    invisible,
    log_flood,
    log_bytes_flood,
    host_denied,
    deep_data,
    WrongData,
);

const MEGABYTE: usize = 1_000_000;

/// Behaves.
#[tool]
fn ok() -> &'static str {
    "fine"
}

/// Counts its calls, if an instance sees more than one.
#[tool]
fn state() -> u32 {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    CALLS.fetch_add(1, Ordering::Relaxed) + 1
}

/// Answers after some hundred milliseconds of work.
#[tool]
fn slow() -> u64 {
    (0..100_000_000_u64).fold(0, |sum, number| sum ^ black_box(number))
}

/// Never answers.
#[tool]
fn endless_loop() -> String {
    loop {
        black_box(());
    }
}

/// Takes all memory that it is given, then crashes.
#[tool]
fn memory_bomb() -> String {
    while core::arch::wasm32::memory_grow(0, 64) != usize::MAX {}
    core::arch::wasm32::unreachable()
}

/// Recurses without end.
#[tool]
fn stack_overflow() -> u64 {
    deeper(0)
}

/// Adds after it returns, so that no compiler makes a loop of it.
fn deeper(depth: u64) -> u64 {
    if black_box(depth) == u64::MAX { 0 } else { 1 + deeper(depth + 1) }
}

/// Panics.
#[tool]
fn panic() -> String {
    panic!("on purpose");
}

/// Executes `unreachable`.
#[tool]
fn trap() -> String {
    core::arch::wasm32::unreachable()
}

/// Answers a very long text.
#[tool]
fn huge_output(
    /// Its length in millions of bytes.
    megabytes: u32,
) -> String {
    "x".repeat(megabytes as usize * MEGABYTE)
}

/// Answers with a terminal's escape sequences and a reversed line.
#[tool]
fn invisible() -> &'static str {
    "\u{1b}[2J\u{1b}[31mred\u{202e}desrever\u{200b}\u{7}"
}

/// Writes a hundred thousand lines into the log, each with an escape sequence.
#[tool]
fn log_flood() -> &'static str {
    for line in 0..100_000 {
        log::info(format!("flood {line} \u{1b}[2J\nforged line"));
    }
    "logged"
}

/// Hands the host two megabytes again and again.
#[tool]
fn log_bytes_flood() -> String {
    let line = "x".repeat(2 * MEGABYTE);
    loop {
        log::info(&line);
    }
}

/// Asks for what it was not granted.
#[tool]
fn host_denied() -> Result<String, Error> {
    notes::read("diary.md")
}

/// Answers data that is nested a hundred levels deep.
#[tool]
fn deep_data() -> ToolResponse {
    let data = (0..100).fold(json!(1), |inner, _| json!([inner]));
    ToolResponse::success("deep").with_data(data)
}

/// Answers data that its own output schema forbids.
#[derive(Default)]
struct WrongData;

impl Tool for WrongData {
    fn name(&self) -> &str {
        "data_not_matching_output_schema"
    }

    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            output_schema: Some(json!({ "type": "object", "required": ["total"] })),
            ..ToolDefinition::new(self.name(), "Promises a total.", json!({ "type": "object" }))
        }
    }

    fn call(&self, _: Map<String, Value>) -> ToolResponse {
        ToolResponse::success("total").with_data(json!("none"))
    }
}
