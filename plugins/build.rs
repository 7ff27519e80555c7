//! Compiles the bundled plugins and writes the list that `src/lib.rs` embeds.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use toolstile_build::{Component, Guest};

/// The plugins that come with toolstile: the folders of their crates, sorted.
const PLUGINS: &[&str] = &["calculator", "notes", "search", "shell"];

fn main() -> ExitCode {
    toolstile_build::build_script(embed_plugins)
}

fn embed_plugins() -> Result<(), Box<dyn Error>> {
    let mut entries = String::new();
    for name in PLUGINS {
        entries += &entry(&Guest::package(*name).named(*name).build()?);
    }
    let list = format!("const BUNDLED: &[BundledPlugin] = &[\n{entries}];\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("bundled.rs"), list)?;
    Ok(())
}

fn entry(component: &Component) -> String {
    let Component { name, path, .. } = component;
    format!("    BundledPlugin {{ name: {name:?}, component: include_bytes!({path:?}) }},\n")
}
