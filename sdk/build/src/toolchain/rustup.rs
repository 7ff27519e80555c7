//! `rustup` adds the target to the toolchain in use. Never updates or installs
//! a toolchain: a build must not change the compiler under other projects.

use std::path::Path;

use super::{Active, Obstacle, Strategy, TARGET, Toolchain, installed};
use crate::{environment, process};

/// Adds the target to the toolchain that the active compiler belongs to.
pub(super) fn prepare(active: &Active) -> Result<Toolchain, Obstacle> {
    let sysroot = active.sysroot().map_err(Obstacle::without_remedy)?;
    let name = toolchain_name(&sysroot).ok_or_else(|| foreign(&sysroot))?;
    let was_there = installed::has_std(&sysroot);
    let arguments = ["target", "add", TARGET, "--toolchain", name];
    let command = format!("rustup {}", arguments.join(" "));
    let mut rustup = environment::clean_command("rustup");
    rustup.args(arguments).current_dir(&active.directory);
    // Its backtraces would bury the reason.
    rustup.env_remove("RUST_BACKTRACE");
    process::read(&mut rustup).map_err(|error| Obstacle::new(error, &command))?;
    if !installed::has_std(&sysroot) {
        return Err(Obstacle::new("the target was added, but is not there", &command));
    }
    let mut toolchain = installed::toolchain(active, Strategy::Rustup);
    if !was_there {
        toolchain.changes.push(format!("ran `{command}`"));
    }
    Ok(toolchain)
}

/// The name by which rustup knows the toolchain in `sysroot`; `None` when the
/// compiler is not one of rustup's downloads, which cannot get targets.
fn toolchain_name(sysroot: &Path) -> Option<&str> {
    let parent = sysroot.parent()?.file_name()?;
    (parent == "toolchains").then(|| sysroot.file_name()?.to_str())?
}

fn foreign(sysroot: &Path) -> Obstacle {
    let version = env!("CARGO_PKG_RUST_VERSION");
    Obstacle::new(
        format!(
            "the compiler in `{}` does not come from rustup (https://rustup.rs)",
            sysroot.display()
        ),
        format!("rustup toolchain install {version} --target {TARGET}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_download_of_rustup_is_known_by_its_folder() {
        let sysroot = Path::new("/home/u/.rustup/toolchains/1.95.0-x86_64-unknown-linux-gnu");
        assert_eq!(toolchain_name(sysroot), Some("1.95.0-x86_64-unknown-linux-gnu"));
    }

    #[test]
    fn other_compilers_have_no_name() {
        assert_eq!(toolchain_name(Path::new("/usr")), None);
        assert_eq!(toolchain_name(Path::new("/")), None);
        assert_eq!(toolchain_name(Path::new("/src/rust/build/host/stage1")), None);
    }
}
