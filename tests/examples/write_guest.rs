//! Writes one of the guests of the tests as a plugin file, for programs that are no Rust
//! tests: `write_guest NAME FILE`.

use std::process::ExitCode;
use std::{env, fs};

#[allow(dead_code, reason = "only those are used that are asked for by name")]
mod guests {
    include!(concat!(env!("OUT_DIR"), "/guests.rs"));
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [name, file] = &arguments[..] else { return failed("write_guest NAME FILE") };
    let guest = match name.as_str() {
        "conformance" => guests::CONFORMANCE,
        "neighbour" => guests::NEIGHBOUR,
        _ => return failed("the guests are `conformance` and `neighbour`"),
    };
    match fs::write(file, guest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&format!("`{file}` cannot be written: {error}")),
    }
}

#[allow(clippy::print_stderr, reason = "a program for scripts")]
fn failed(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::FAILURE
}
