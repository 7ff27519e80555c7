//! Opening one name in a folder with the kernel's own guarantee that the answer lies in
//! that folder.
//!
//! `openat2` (Linux 5.6) refuses links, magic links of `/proc` and mount points in one
//! step. Other kernels do not have it and some sandboxes block it: then the caller takes
//! the portable way.

use std::fs::File;
use std::io;

use cap_std::fs::Dir;
use rustix::fs::{Mode, OFlags};

/// `None` where `openat2` does not exist or is blocked.
#[cfg(target_os = "linux")]
pub(crate) fn open(dir: &Dir, name: &str, flags: OFlags, mode: Mode) -> Option<io::Result<File>> {
    use rustix::fs::{ResolveFlags, openat2};
    use rustix::io::Errno;

    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NOCTTY;
    let resolve = ResolveFlags::BENEATH
        | ResolveFlags::NO_SYMLINKS
        | ResolveFlags::NO_MAGICLINKS
        | ResolveFlags::NO_XDEV;
    match openat2(dir, name, flags, mode, resolve) {
        // Blocking is told by either. A file can be the reason for the second as well;
        // the portable way then meets the same refusal.
        Err(Errno::NOSYS | Errno::PERM) => None,
        other => Some(other.map(File::from).map_err(io::Error::from)),
    }
}

/// Always `None`: only Linux has `openat2`.
#[cfg(not(target_os = "linux"))]
pub(crate) fn open(_: &Dir, _: &str, _: OFlags, _: Mode) -> Option<io::Result<File>> {
    None
}
