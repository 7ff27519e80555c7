//! What notes are for: reading, appending, listing, and what is said when it fails.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use toolstile_notes::{Access, ErrorKind, Notes, NotesConfig, Quotas};

use crate::sandbox::{Sandbox, soon};

#[test]
fn what_was_appended_is_read_back_and_listed() {
    let sandbox = Sandbox::new();
    let notes = sandbox.notes();
    for (path, content) in [("b.md", "1\r\n"), ("a/c.md", "2\n"), ("b.md", "3\n")] {
        notes.append(path, content, soon()).unwrap();
    }
    assert_eq!(notes.read("b.md").unwrap(), "1\r\n3\n");
    assert_eq!(notes.list("").unwrap(), ["a/c.md", "b.md"]);
    assert_eq!(notes.list("a").unwrap(), ["a/c.md"]);
    let mode = |name| fs::metadata(sandbox.root().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("a"), mode("b.md")), (0o700, 0o600));
}

#[test]
fn every_failure_has_its_kind_and_no_path_of_the_host() {
    let sandbox = Sandbox::new();
    let notes = sandbox.notes();
    let root = sandbox.root();
    fs::create_dir(root.join("folder")).unwrap();
    fs::write(root.join("bin"), b"\xff").unwrap();
    symlink("bin", root.join("link")).unwrap();
    for (path, kind) in [
        ("none", ErrorKind::NotFound),
        ("none/none", ErrorKind::NotFound),
        ("../x", ErrorKind::InvalidArgument),
        ("/x", ErrorKind::InvalidArgument),
        ("", ErrorKind::InvalidArgument),
        ("folder", ErrorKind::Denied),
        ("link", ErrorKind::Denied),
    ] {
        let error = notes.read(path).unwrap_err();
        assert_eq!(error.kind(), kind, "{path}: {error}");
        assert!(!error.to_string().contains(root.to_str().unwrap()), "{error}");
    }
    assert!(notes.read("bin").unwrap_err().to_string().contains("UTF-8"));
}

#[test]
fn reading_alone_writes_nothing() {
    let sandbox = Sandbox::new();
    let config =
        NotesConfig { directory: sandbox.root(), access: Access::Read, quotas: Quotas::default() };
    let notes = Notes::open(config).unwrap();
    let error = notes.append("a", "x", soon()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Denied);
    assert!(error.to_string().contains("`read-append`"), "{error}");
    assert_eq!(fs::read_dir(sandbox.root()).unwrap().count(), 0);
}

#[test]
fn a_note_that_somebody_holds_is_waited_for_until_the_deadline() {
    let sandbox = Sandbox::new();
    let notes = sandbox.notes();
    notes.append("a", "1\n", soon()).unwrap();
    let held = fs::File::open(sandbox.root().join("a")).unwrap();
    flock(&held, FlockOperation::LockExclusive).unwrap();
    let started = Instant::now();
    let error = notes.append("a", "2\n", started + Duration::from_millis(200)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
    assert!(started.elapsed() < Duration::from_secs(10));
    drop(held);
    notes.append("a", "3\n", soon()).unwrap();
    assert_eq!(notes.read("a").unwrap(), "1\n3\n");
}

#[test]
fn a_directory_of_others_is_not_opened() {
    let sandbox = Sandbox::new();
    for mode in [0o755, 0o770, 0o701] {
        fs::set_permissions(sandbox.root(), Permissions::from_mode(mode)).unwrap();
        assert!(sandbox.open(Quotas::default()).is_err(), "{mode:o}");
    }
    fs::set_permissions(sandbox.root(), Permissions::from_mode(0o700)).unwrap();
    assert!(sandbox.open(Quotas::default()).is_ok());
}
