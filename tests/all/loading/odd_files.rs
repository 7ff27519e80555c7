//! Files that are refused for what they are, before anything of them is compiled.

use std::fs;

use toolstile_tests::{HandWritten, PluginDir, reason};

use super::{guests, names, refused_beside_neighbour};

#[track_caller]
fn assert_says(reason: &str, part: &str) {
    assert!(reason.contains(part), "`{part}` is not in: {reason}");
}

async fn assert_bytes_refused(bytes: &[u8], part: &str) {
    let directory = PluginDir::with([("bad", bytes)]);
    assert_says(&refused_beside_neighbour(&directory, "bad.wasm", "").await, part);
}

#[tokio::test]
async fn bytes_that_are_no_component() {
    assert_bytes_refused(b"", "too short").await;
    assert_bytes_refused(b"#!/bin/sh\nexit 0\n", "does not start with").await;
    assert_bytes_refused(b"\0asm\x01\0\0\0", "core module").await;
    let half = &guests::NEIGHBOUR[..guests::NEIGHBOUR.len() / 2];
    assert_bytes_refused(half, "not a valid WebAssembly component").await;
}

#[tokio::test]
async fn a_name_that_would_read_like_the_hosts_own() {
    for name in ["builtin", "Native", "toolstile"] {
        let directory = PluginDir::with([(name, &*HandWritten::default().build())]);
        let reason = refused_beside_neighbour(&directory, &format!("{name}.wasm"), "").await;
        assert_says(&reason, "reserved");
    }
}

#[tokio::test]
async fn a_name_with_invisible_characters_is_shown_escaped() {
    let directory = PluginDir::with([("search\u{200b}", &*HandWritten::default().build())]);
    let reason = refused_beside_neighbour(&directory, "search\\u{200b}.wasm", "").await;
    assert_says(&reason, "'\\u{200b}'; allowed are");
}

#[tokio::test]
async fn names_that_are_no_identity() {
    for name in ["a b", "a.b", "___", "ä", &"x".repeat(65)] {
        let directory = PluginDir::with([(name, &*HandWritten::default().build())]);
        let reason = refused_beside_neighbour(&directory, &format!("{name}.wasm"), "").await;
        assert_says(&reason, "its file name cannot name a plugin");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_name_that_is_not_utf8() {
    use std::os::unix::ffi::OsStrExt as _;
    let directory = PluginDir::default();
    let name = std::ffi::OsStr::from_bytes(b"a\xff.wasm");
    fs::write(directory.as_ref().join(name), HandWritten::default().build()).unwrap();
    let reason = refused_beside_neighbour(&directory, "a\u{fffd}.wasm", "").await;
    assert_says(&reason, "not UTF-8");
}

#[cfg(unix)]
#[tokio::test]
async fn a_symbolic_link_even_to_a_good_component() {
    let elsewhere = PluginDir::with([("target", &*HandWritten::default().build())]);
    let directory = PluginDir::default();
    std::os::unix::fs::symlink(elsewhere.path("target.wasm"), directory.path("link.wasm")).unwrap();
    let reason = refused_beside_neighbour(&directory, "link.wasm", "").await;
    assert_says(&reason, "symbolic link");
}

#[tokio::test]
async fn a_directory_of_that_name() {
    let directory = PluginDir::default();
    fs::create_dir(directory.path("x.wasm")).unwrap();
    let reason = refused_beside_neighbour(&directory, "x.wasm", "").await;
    assert_says(&reason, "not a regular file");
}

/// Opening a pipe that nobody writes to would wait for ever.
#[cfg(unix)]
#[tokio::test]
async fn a_pipe_blocks_nothing() {
    let directory = PluginDir::default();
    let made = std::process::Command::new("mkfifo").arg(directory.path("y.wasm")).status();
    assert!(made.unwrap().success());
    let reason = refused_beside_neighbour(&directory, "y.wasm", "").await;
    assert_says(&reason, "not a regular file");
}

#[tokio::test]
async fn the_same_component_twice() {
    let directory = PluginDir::with([("a", guests::NEIGHBOUR), ("b", guests::NEIGHBOUR)]);
    let host = directory.host("").await;
    assert_eq!(names(&host), ["echo"]);
    assert_eq!(reason(&host, "b.wasm"), "it is the same component as `a`");
}

#[tokio::test]
async fn a_file_over_the_limit_is_not_read() {
    let config = "[plugin.large.limits]\ncomponent_bytes = 1000";
    let directory = PluginDir::with([("large", &*HandWritten::default().build())]);
    let reason = refused_beside_neighbour(&directory, "large.wasm", config).await;
    assert_says(&reason, "at most 1000 are accepted (limit `component_bytes`)");
}

#[tokio::test]
async fn too_many_files_are_reported_and_none_is_loaded() {
    let directory = PluginDir::with([("neighbour", guests::NEIGHBOUR)]);
    for number in 0..300 {
        directory.add(&format!("p{number}.wasm"), b"");
    }
    let host = directory.host("").await;
    assert_eq!(names(&host).len(), 0);
    assert_eq!(host.warnings().len(), 1);
    assert_says(&host.warnings()[0], "holds 301 `.wasm` files, at most 256");
}

#[tokio::test]
async fn other_files_are_not_looked_at() {
    let directory = PluginDir::with([("neighbour", guests::NEIGHBOUR)]);
    directory.add("README.md", b"text");
    directory.add("old.wasm.bak", b"text");
    directory.add("upper.WASM", b"text");
    let host = directory.host("").await;
    assert_eq!((names(&host), host.quarantined().len()), (vec!["echo".to_owned()], 0));
}
