//! Vectors: argument text and schemas of strangers. Text that can be understood in
//! two ways is refused, and no schema makes the host hang, fetch or read anything.

mod arguments; // what text is accepted as arguments
mod cost; // schemas that want much work
mod references; // schemas that point somewhere
mod vectors; // the public cases

use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;
use toolstile::{SchemaError, ToolSchema, Violation};

/// What a schema did with an instance: refused, or judged.
type Judged = Result<Result<(), Vec<Violation>>, SchemaError>;

/// Compiles a schema and validates an instance, on a thread of its own: a call that
/// does not come back within ten seconds is a hang, and fails the test.
fn judge(schema: Value, instance: Value) -> Judged {
    const STACK: usize = 64 * 1024 * 1024;
    let (sender, receiver) = mpsc::channel();
    let work = move || {
        let judged = ToolSchema::compile(schema).map(|schema| schema.validate(&instance));
        // The receiver is gone when the test has failed.
        let _ = sender.send(judged);
    };
    // Deep values are dropped by recursion, which is not what is tried here.
    std::thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread");
    receiver.recv_timeout(Duration::from_secs(10)).expect("compiling or validating hangs")
}
