//! The invariants of `ARCHITECTURE.md` that can be read off the sources.

use std::fs;
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ has a parent").to_owned()
}

/// All Rust sources below a folder, without tests and benches.
fn sources(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![repository().join(folder)];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
            match path.is_dir() {
                true if ["benches", "target", "tests"].contains(&name) => {}
                true => open.push(path),
                false if name.ends_with(".rs") => found.push(path),
                false => {}
            }
        }
    }
    assert!(!found.is_empty(), "{folder} has sources");
    found
}

/// Files below `folder` whose code (comments left out) contains `text`, except the
/// allowed ones.
fn offenders(folder: &str, text: &str, allowed: &[&str]) -> Vec<PathBuf> {
    let offends = |path: &PathBuf| {
        let source = fs::read_to_string(path).expect("a source file");
        let is_allowed = allowed.iter().any(|end| path.ends_with(end));
        let mut code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
        !is_allowed && code.any(|line| line.contains(text))
    };
    sources(folder).into_iter().filter(offends).collect()
}

#[test]
fn only_one_crate_names_wasmtime() {
    for folder in [
        "host/toolstile-agent",
        "host/toolstile-core",
        "host/toolstile-http",
        "host/toolstile-models",
        "host/toolstile-notes",
        "host/toolstile-process",
        "host/toolstile-shell",
        "host/toolstile",
        "host/toolstile-cli",
        "sdk",
        "plugins",
    ] {
        assert_eq!(offenders(folder, "wasmtime::", &[]), Vec::<PathBuf>::new());
    }
    let allowed = ["host/toolstile-wasm/src/bindings.rs"];
    assert_eq!(offenders("host", "bindgen!", &allowed), Vec::<PathBuf>::new());
}

#[test]
fn the_gates_touch_nothing_outside() {
    for text in ["std::fs", "std::env", "std::process", "std::net", "tokio::net", "tokio::fs"] {
        assert_eq!(offenders("host/toolstile-core", text, &[]), Vec::<PathBuf>::new());
    }
}

#[test]
fn an_agent_knows_no_network_and_one_file() {
    for text in ["std::env", "std::process", "std::net", "tokio::net", "reqwest"] {
        assert_eq!(offenders("host/toolstile-agent", text, &[]), Vec::<PathBuf>::new(), "{text}");
    }
    let store = ["toolstile-agent/src/sqlite.rs"];
    assert_eq!(offenders("host/toolstile-agent", "std::fs", &store), Vec::<PathBuf>::new());
}

#[test]
fn files_and_environment_are_touched_in_named_places() {
    let allowed = [
        "toolstile/src/audit_log.rs",
        "toolstile/src/config_file.rs",
        "toolstile/src/grants.rs",
        "toolstile/src/lock.rs",
        "toolstile/src/secrets.rs",
        "toolstile/src/texts.rs",
        "toolstile-wasm/src/cache.rs",
        "toolstile-wasm/src/directory.rs",
        "toolstile-mcp/src/client/oauth/store.rs",
        "toolstile-mcp/src/client/process.rs",
    ];
    for folder in ["host/toolstile/src", "host/toolstile-wasm", "host/toolstile-mcp/src"] {
        for text in ["std::fs", "fs::", "std::env", "env::", "std::process"] {
            assert_eq!(offenders(folder, text, &allowed), Vec::<PathBuf>::new(), "{text}");
        }
    }
}

#[test]
fn sdk_and_plugins_do_not_know_the_host() {
    for folder in ["sdk", "plugins"] {
        for text in ["toolstile_core", "toolstile_wasm", "use toolstile::"] {
            assert_eq!(offenders(folder, text, &[]), Vec::<PathBuf>::new(), "{text}");
        }
    }
}
