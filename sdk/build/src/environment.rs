//! What a nested cargo run inherits from the environment.
//!
//! A build script runs with dozens of variables that describe the *outer*
//! build: its flags, its profile, its wrappers (under `cargo clippy` a wrapper
//! that checks instead of compiling). A nested cargo takes many of them for its
//! own settings. So cargo's and rustc's variables are dropped, but for those
//! that say how to reach registries, how to share the machine and how to treat
//! the guest's own target. Everything else (proxies, certificates, `PATH`,
//! `RUSTUP_TOOLCHAIN`) is passed on.

use std::ffi::OsStr;
use std::process::Command;

/// Cargo's variables that stay, by their beginning.
const KEPT: [&str; 9] = [
    "CARGO_BUILD_JOBS",
    "CARGO_HOME",
    "CARGO_HTTP_",
    // The jobserver: both builds share one number of jobs.
    "CARGO_MAKEFLAGS",
    "CARGO_NET_",
    // `CARGO_REGISTRY_…` and `CARGO_REGISTRIES_…`.
    "CARGO_REGISTR",
    "CARGO_SOURCE_",
    // Meant for guests, by their name.
    "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_",
    "CARGO_TERM_",
];

/// Variables of the outer build, by their beginning.
const DROPPED: [&str; 7] = [
    // The outer package, profile, target folder, flags (`CARGO_PKG_…`,
    // `CARGO_PROFILE_…`, `CARGO_TARGET_DIR`, `CARGO_ENCODED_RUSTFLAGS` …).
    "CARGO",
    "__CARGO",
    "CLIPPY_",
    // What the outer package's dependencies told its build script.
    "DEP_",
    // `RUSTC`, `RUSTC_WRAPPER`, `RUSTC_WORKSPACE_WRAPPER`, `RUSTC_BOOTSTRAP` …
    "RUSTC",
    "RUSTDOC",
    // Flags for the host's compiler, such as another linker.
    "RUSTFLAGS",
];

/// Variables of the outer build, by their whole name.
const DROPPED_NAMES: [&str; 7] =
    ["DEBUG", "HOST", "NUM_JOBS", "OPT_LEVEL", "OUT_DIR", "PROFILE", "TARGET"];

/// A command whose environment says nothing of the outer build.
pub(crate) fn clean_command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if !name.to_str().is_none_or(is_inherited) {
            command.env_remove(&name);
        }
    }
    command
}

/// Whether a nested cargo run sees the variable `name`.
fn is_inherited(name: &str) -> bool {
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    begins(&KEPT) || !(begins(&DROPPED) || DROPPED_NAMES.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_inherited(expected: bool, names: &[&str]) {
        for name in names {
            assert_eq!(is_inherited(name), expected, "{name}");
        }
    }

    #[test]
    fn the_outer_build_is_dropped() {
        assert_inherited(
            false,
            &[
                "CARGO",
                "CARGO_BUILD_TARGET",
                "CARGO_CFG_TARGET_OS",
                "CARGO_ENCODED_RUSTFLAGS",
                "CARGO_FEATURE_STD",
                "CARGO_MANIFEST_DIR",
                "CARGO_PKG_NAME",
                "CARGO_PROFILE_RELEASE_LTO",
                "CARGO_TARGET_DIR",
                "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS",
                "CLIPPY_ARGS",
                "DEP_Z_INCLUDE",
                "OUT_DIR",
                "PROFILE",
                "RUSTC",
                "RUSTC_WORKSPACE_WRAPPER",
                "RUSTC_WRAPPER",
                "RUSTDOCFLAGS",
                "RUSTFLAGS",
                "TARGET",
                "__CARGO_DEFAULT_LIB_METADATA",
            ],
        );
    }

    #[test]
    fn the_machine_and_the_network_are_kept() {
        assert_inherited(
            true,
            &[
                "CARGO_HOME",
                "CARGO_HTTP_PROXY",
                "CARGO_MAKEFLAGS",
                "CARGO_NET_OFFLINE",
                "CARGO_REGISTRIES_MINE_INDEX",
                "CARGO_REGISTRY_DEFAULT",
                "CARGO_TERM_COLOR",
                "HOME",
                "PATH",
                "RUSTUP_HOME",
                "RUSTUP_TOOLCHAIN",
                "RUST_BACKTRACE",
                "SSL_CERT_FILE",
                "TARGET_OF_SOMETHING_ELSE",
            ],
        );
    }

    #[test]
    fn settings_of_the_guests_target_are_kept() {
        assert_inherited(true, &["CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS"]);
    }
}
