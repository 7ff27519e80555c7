//! Compiles the Rust guests of the tests and writes a constant with the bytes of
//! each. The test modules include the file where unused items are errors, so that a
//! guest that no test names does not compile.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use toolstile_build::{Component, Guest};

fn main() -> ExitCode {
    toolstile_build::build_script(embed_guests)
}

fn embed_guests() -> Result<(), Box<dyn Error>> {
    let guests = Guest::package("guests").build_examples()?;
    let constants: String = guests.iter().map(constant).collect();
    fs::write(Path::new(&env::var("OUT_DIR")?).join("guests.rs"), constants)?;
    Ok(())
}

fn constant(guest: &Component) -> String {
    let Component { name, path, .. } = guest;
    let constant = name.to_uppercase();
    format!("pub(crate) const {constant}: &[u8] = include_bytes!({path:?});\n")
}
