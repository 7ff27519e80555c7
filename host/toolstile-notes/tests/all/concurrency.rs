//! No line is lost or torn, whoever appends at the same time.

use std::collections::BTreeSet;
use std::fs;
use std::thread;

use crate::child::{LINE_BYTES, LINES, Writer};
use crate::sandbox::Sandbox;
use crate::without_openat2::without_openat2;

const WRITERS: usize = 4;

/// The test that started processes run as well.
const THIS_TEST: &str = "concurrency::processes_lose_no_line";

#[test]
fn processes_lose_no_line() {
    if let Some(writer) = Writer::of_environment() {
        return writer.run();
    }
    let sandbox = Sandbox::new();
    append_from_processes(&sandbox, WRITERS, 2_000_000);
    assert_all_lines(&sandbox);
}

#[test]
fn processes_without_openat2_lose_no_line() {
    let sandbox = Sandbox::new();
    without_openat2(|| append_from_processes(&sandbox, WRITERS, 2_000_000));
    assert_all_lines(&sandbox);
}

#[test]
fn threads_lose_no_line() {
    let sandbox = Sandbox::new();
    thread::scope(|scope| {
        for writer in writers(&sandbox, WRITERS, 2_000_000) {
            scope.spawn(move || writer.run());
        }
    });
    assert_all_lines(&sandbox);
}

#[test]
fn threads_that_share_a_handle_lose_no_line() {
    let sandbox = Sandbox::new();
    let notes = sandbox.notes();
    thread::scope(|scope| {
        for writer in writers(&sandbox, WRITERS, 2_000_000) {
            let notes = &notes;
            scope.spawn(move || {
                for line in writer.lines() {
                    notes.append(Writer::NOTE, &line, crate::sandbox::soon()).unwrap();
                }
            });
        }
    });
    assert_all_lines(&sandbox);
}

/// Starts processes that append to [`Writer::NOTE`], and waits for them.
pub(crate) fn append_from_processes(sandbox: &Sandbox, count: usize, max_file_bytes: u64) {
    let writers = writers(sandbox, count, max_file_bytes);
    let children: Vec<_> = writers.iter().map(|writer| writer.start(THIS_TEST)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
}

/// The lines that are in the note, whole ones only.
pub(crate) fn intact_lines(sandbox: &Sandbox) -> BTreeSet<String> {
    let text = fs::read_to_string(sandbox.root().join(Writer::NOTE)).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    assert!(lines.iter().all(|line| line.len() == LINE_BYTES), "a line is torn");
    let distinct: BTreeSet<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    assert_eq!(distinct.len(), lines.len(), "a line is there twice");
    distinct
}

fn writers(sandbox: &Sandbox, count: usize, max_file_bytes: u64) -> Vec<Writer> {
    let writer = |number| Writer { directory: sandbox.root(), number, max_file_bytes };
    (0..count).map(writer).collect()
}

fn assert_all_lines(sandbox: &Sandbox) {
    let lines = intact_lines(sandbox);
    assert_eq!(lines.len(), WRITERS * LINES);
    for writer in writers(sandbox, WRITERS, 1) {
        assert!(writer.lines().all(|line| lines.contains(&line)), "writer {}", writer.number);
    }
}
