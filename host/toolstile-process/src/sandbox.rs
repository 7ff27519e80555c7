//! What a program may reach, as far as the operating system can hold it to that.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::Serialize;

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod rights;

/// What a program may reach. It can always read and run what the system is made of
/// (`/usr`, `/etc` and the like) and its own file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sandbox {
    /// Directories that it may read, besides the one that it runs in.
    pub read: Vec<PathBuf>,
    /// Directories in which it may do everything.
    pub write: Vec<PathBuf>,
    /// It may open sockets.
    pub network: bool,
}

/// What the machine offers to hold programs to their sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SandboxSupport {
    files: bool,
    calls: bool,
}

impl SandboxSupport {
    /// Files outside the sandbox are out of reach (Landlock).
    #[must_use]
    pub fn files(&self) -> bool {
        self.files
    }

    /// Sockets are out of reach (seccomp).
    #[must_use]
    pub fn network(&self) -> bool {
        self.calls
    }
}

/// What this machine offers; found out once, on a thread that ends with it.
#[must_use]
pub fn support() -> SandboxSupport {
    static SUPPORT: OnceLock<SandboxSupport> = OnceLock::new();
    *SUPPORT.get_or_init(|| {
        let none = SandboxSupport { files: false, calls: false };
        std::thread::spawn(probe).join().unwrap_or(none)
    })
}

#[cfg(target_os = "linux")]
fn probe() -> SandboxSupport {
    let nothing = Sandbox::default();
    let here = Path::new("/");
    let files = files::restrict(&nothing, here, here).unwrap_or(false);
    SandboxSupport { files, calls: calls::restrict(false).is_ok() }
}

#[cfg(not(target_os = "linux"))]
fn probe() -> SandboxSupport {
    SandboxSupport { files: false, calls: false }
}

impl Sandbox {
    /// Takes everything else away from the calling thread, for good, as far as the
    /// machine can. What it cannot do at all is told by [`support`] and is no error;
    /// what it can do and does not is one.
    #[cfg(target_os = "linux")]
    pub(crate) fn enter(&self, program: &Path, directory: &Path) -> Result<(), io::ErrorKind> {
        let support = support();
        rights::give_up();
        if support.files {
            files::restrict(self, program, directory)?;
        }
        if support.calls {
            calls::restrict(self.network)?;
        }
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn enter(&self, _program: &Path, _directory: &Path) -> Result<(), io::ErrorKind> {
        Ok(())
    }
}
