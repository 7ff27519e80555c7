//! A tool that costs next to nothing, and one for each way to misbehave.

use std::hint::black_box;

use toolstile_sdk::{export, tool};

export!(echo, crash, take_memory, run_forever);

/// Answers what it is given.
#[tool(supports_parallel, read_only, idempotent)]
fn echo(
    /// The text.
    text: String,
) -> String {
    text
}

/// Executes `unreachable`.
#[tool]
fn crash() -> String {
    core::arch::wasm32::unreachable()
}

/// Takes memory without end.
#[tool]
fn take_memory() -> String {
    let mut taken = Vec::new();
    loop {
        taken.push(black_box(vec![1_u8; 1 << 20]));
    }
}

/// Never answers.
#[tool]
fn run_forever() -> String {
    loop {
        black_box(());
    }
}
