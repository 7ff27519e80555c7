//! A plugin that shows tools when they are needed: the model loads them, and a record
//! can be written only after it was read.

use toolstile_sdk::{Error, export, exposure, tool};

export!(load, sum, read_record, write_record, reach);

/// Shows tools that are not there yet.
#[tool]
fn load(
    /// Their names.
    names: Vec<String>,
) -> Result<String, Error> {
    exposure::add_tools(names)?;
    Ok("loaded".to_owned())
}

/// Adds two numbers.
#[tool(read_only)]
fn sum(
    /// The first.
    a: i64,
    /// The second.
    b: i64,
) -> i64 {
    a + b
}

/// Reads a record, after which it can be written.
#[tool(read_only)]
fn read_record(
    /// Which record.
    id: String,
) -> Result<String, Error> {
    exposure::add_tools(["write_record"])?;
    Ok(format!("record {id}: as it was"))
}

/// Writes a record; one reading is good for one writing.
#[tool]
fn write_record(
    /// Which record.
    id: String,
    /// What is written.
    text: String,
) -> Result<String, Error> {
    exposure::remove_tools(["write_record"])?;
    Ok(format!("record {id}: {text}"))
}

/// Hides and shows tools of others.
#[tool]
fn reach(
    /// Shown.
    add: Vec<String>,
    /// Hidden.
    remove: Vec<String>,
) -> Result<String, Error> {
    exposure::remove_tools(remove)?;
    exposure::add_tools(add)?;
    Ok("done".to_owned())
}
