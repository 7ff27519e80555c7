//! A middleware that wants records read before they are written. The tools are always
//! there; a call that comes too early is rejected with a reason, and the model mends it.
//!
//! Run it with `cargo run --bin read_before_write`.

use std::collections::HashSet;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use toolstile::agent::{Agent, ScriptedLlm};
use toolstile::{FunctionTool, Invocation, Middleware, Next, Status, Stop, ToolResponse};
use toolstile_example_agents::Records;

/// What `read_record` takes.
#[derive(Deserialize, JsonSchema)]
struct Read {
    /// Which record.
    id: String,
}

/// What `write_record` takes.
#[derive(Deserialize, JsonSchema)]
struct Write {
    /// Which record.
    id: String,
    /// What it says from now on.
    text: String,
}

/// Lets a record be written once for each time that it was read.
#[derive(Default)]
struct ReadBeforeWrite {
    read: Mutex<HashSet<String>>,
}

#[async_trait]
impl Middleware for ReadBeforeWrite {
    fn name(&self) -> &str {
        "read before write"
    }

    async fn handle(&self, call: Invocation, next: Next<'_>) -> Result<ToolResponse, Stop> {
        let id = call.arguments.as_value()["id"].as_str().unwrap_or_default().to_owned();
        let read = || self.read.lock().unwrap_or_else(PoisonError::into_inner);
        match call.tool.name().as_str() {
            "write_record" if !read().remove(&id) => {
                Err(call.reject(format!("read the record `{id}` first")))
            }
            "read_record" => {
                let answer = next.run(call).await?;
                // A reading that failed is none.
                if answer.status == Status::Success {
                    read().insert(id);
                }
                Ok(answer)
            }
            _ => next.run(call).await,
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let records = Records::sample();
    let (reads, writes) = (records.clone(), records.clone());
    let read = FunctionTool::new("read_record", "Reads a record.", move |read: Read| {
        let text = reads.read(&read.id);
        async move { text }
    })?;
    let write = FunctionTool::new("write_record", "Replaces a record.", move |write: Write| {
        writes.write(&write.id, &write.text);
        async { "written" }
    })?;
    let model = ScriptedLlm::new()
        .call("write_record", r#"{"id": "a", "text": "plums"}"#)
        .call("read_record", r#"{"id": "a"}"#)
        .call("write_record", r#"{"id": "b", "text": "plums"}"#)
        .call("write_record", r#"{"id": "a", "text": "plums"}"#)
        .text("The record `a` says plums now.");
    let agent = Agent::builder()
        .model(model)
        .tools(vec![Arc::new(read), Arc::new(write)])
        .middleware(ReadBeforeWrite::default())
        .build()?;
    toolstile_example_agents::print(&agent.run("Put plums into the record a.").await?)?;
    assert_eq!((records.read("a"), records.read("b")), ("plums".into(), "pears".into()));
    Ok(())
}
