//! A reader that unlocks the writer: a record can be written only after it was read, and
//! the writer that appears takes that record and no other. The rule is in its schema, so
//! the gates hold it, whatever the model says.
//!
//! Run it with `cargo run --bin unlock_the_writer`.

use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use toolstile::agent::{Agent, ScriptedLlm};
use toolstile::{
    Arguments, CallContext, FunctionTool, Tool, ToolDefinition, ToolError, ToolName, ToolResponse,
    ToolSchema,
};
use toolstile_example_agents::Records;

/// What `read_record` takes.
#[derive(Deserialize, JsonSchema)]
struct Read {
    /// Which record.
    id: String,
}

/// Writes one record.
#[derive(Debug)]
struct Writer {
    id: String,
    definition: ToolDefinition,
    records: Records,
}

impl Writer {
    fn of(id: &str, records: &Records) -> Result<Self, Box<dyn Error>> {
        let schema = ToolSchema::compile(json!({
            "type": "object",
            "properties": {"id": {"const": id}, "text": {"type": "string"}},
            "required": ["id", "text"],
            "additionalProperties": false,
        }))?;
        let name = ToolName::parse("write_record")?;
        let description = format!("Replaces the record `{id}`.");
        let definition = ToolDefinition::new(name, description, schema);
        Ok(Self { id: id.to_owned(), definition, records: records.clone() })
    }
}

#[async_trait]
impl Tool for Writer {
    fn definition(&self) -> ToolDefinition {
        self.definition.clone()
    }

    async fn call(
        &self,
        arguments: &Arguments,
        _: &CallContext,
    ) -> Result<ToolResponse, ToolError> {
        let text = arguments.as_value()["text"].as_str().unwrap_or_default();
        self.records.write(&self.id, text);
        Ok(ToolResponse::success("written"))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let records = Records::sample();
    let read = FunctionTool::with_context("read_record", "Reads a record.", {
        let records = records.clone();
        move |read: Read, context| {
            let records = records.clone();
            async move {
                let writer = Writer::of(&read.id, &records).map_err(|error| error.to_string());
                let unlocked = writer.and_then(|writer| {
                    let tools = context.tools().map_err(|error| error.to_string())?;
                    // The writer of another record goes.
                    tools.remove(&["write_record"]);
                    tools.add(vec![Arc::new(writer)]).map_err(|error| error.to_string())
                });
                match unlocked {
                    Ok(()) => ToolResponse::success(records.read(&read.id)),
                    Err(error) => ToolResponse::error(error),
                }
            }
        }
    })?;
    let model = ScriptedLlm::new()
        .call("write_record", r#"{"id": "a", "text": "plums"}"#)
        .call("read_record", r#"{"id": "a"}"#)
        .call("write_record", r#"{"id": "b", "text": "plums"}"#)
        .call("write_record", r#"{"id": "a", "text": "plums"}"#)
        .text("The record `a` says plums now.");
    let agent = Agent::builder().model(model).tools(vec![Arc::new(read)]).build()?;
    toolstile_example_agents::print(&agent.run("Put plums into the record a.").await?)?;
    assert_eq!((records.read("a"), records.read("b")), ("plums".into(), "pears".into()));
    Ok(())
}
