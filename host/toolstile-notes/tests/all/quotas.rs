//! How much may be written, also by many at the same time.

use std::fs;
use std::sync::Arc;
use std::thread;

use toolstile_notes::{ErrorKind, Quotas};

use crate::sandbox::{Sandbox, soon};

#[test]
fn a_note_may_be_exactly_as_large_as_its_limit() {
    let sandbox = Sandbox::new();
    let notes = sandbox.open(Quotas { max_file_bytes: 10, ..Quotas::default() }).unwrap();
    notes.append("a", "123456789\n", soon()).unwrap();
    assert_eq!(notes.append("a", "x", soon()).unwrap_err().kind(), ErrorKind::LimitExceeded);
    assert_eq!(notes.read("a").unwrap(), "123456789\n");
    let too_large = notes.append("new/b", "12345678901", soon()).unwrap_err();
    assert_eq!(too_large.kind(), ErrorKind::LimitExceeded);
    assert!(!sandbox.root().join("new/b").exists(), "the first append leaves no file");
    fs::write(sandbox.root().join("c"), "12345678901").unwrap();
    assert_eq!(notes.read("c").unwrap_err().kind(), ErrorKind::LimitExceeded);
}

#[test]
fn files_and_bytes_are_counted_over_all_notes() {
    let sandbox = Sandbox::new();
    let quotas = Quotas { max_files: 2, max_total_bytes: 10, ..Quotas::default() };
    let notes = sandbox.open(quotas).unwrap();
    notes.append("a", "1234", soon()).unwrap();
    notes.append("b/c", "1234", soon()).unwrap();
    assert_eq!(notes.append("d", "1", soon()).unwrap_err().kind(), ErrorKind::LimitExceeded);
    assert_eq!(notes.append("a", "123", soon()).unwrap_err().kind(), ErrorKind::LimitExceeded);
    notes.append("a", "12", soon()).unwrap();
    assert_eq!(notes.list("").unwrap(), ["a", "b/c"]);
}

#[test]
fn nobody_slips_in_beside_another() {
    let sandbox = Sandbox::new();
    let quotas = Quotas { max_files: 5, max_total_bytes: 1000, ..Quotas::default() };
    let notes = Arc::new(sandbox.open(quotas).unwrap());
    let append = |number: usize| {
        let notes = Arc::clone(&notes);
        thread::spawn(move || notes.append(&format!("n{number}"), "x", soon()).is_ok())
    };
    let threads: Vec<_> = (0..20).map(append).collect();
    let written = threads.into_iter().map(|t| t.join().unwrap()).filter(|ok| *ok);
    assert_eq!(written.count(), 5);
    assert_eq!(notes.list("").unwrap().len(), 5);
}

#[test]
fn a_quota_of_nothing_is_an_error() {
    let sandbox = Sandbox::new();
    let default = Quotas::default();
    for quotas in [
        Quotas { max_file_bytes: 0, ..default },
        Quotas { max_total_bytes: 0, ..default },
        Quotas { max_files: 0, ..default },
    ] {
        assert!(sandbox.open(quotas).is_err());
    }
}
