//! A thread in which `openat2` does not exist, as in some sandboxes and old kernels.

use std::io;
use std::thread;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

/// The number of the system call, the same on all architectures.
const OPENAT2: i64 = 437;

/// Runs in a thread whose calls of `openat2` end with ENOSYS. Threads and processes
/// that it starts are treated the same.
pub(crate) fn without_openat2<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    let blocked = || {
        seccompiler::apply_filter(&filter()).unwrap();
        assert_eq!(probe().unwrap_err(), Errno::NOSYS, "the call is not blocked");
        run()
    };
    thread::scope(|scope| match scope.spawn(blocked).join() {
        Ok(value) => value,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

/// Whether the kernel has the call, without which both ways are the same.
pub(crate) fn has_openat2() -> bool {
    !matches!(probe(), Err(Errno::NOSYS | Errno::PERM))
}

fn probe() -> rustix::io::Result<()> {
    openat2(CWD, ".", OFlags::RDONLY, Mode::empty(), ResolveFlags::empty()).map(drop)
}

fn filter() -> BpfProgram {
    let refuse = SeccompAction::Errno(Errno::NOSYS.raw_os_error() as u32);
    let rules = [(OPENAT2, vec![])].into();
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch).unwrap();
    filter.try_into().map_err(io::Error::other).unwrap()
}
