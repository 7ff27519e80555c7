//! Which files a guest was made of, so that a build script runs again when one
//! of them changes.
//!
//! Cargo writes a list of them beside each artifact, in the syntax of `make`:
//! `artifact: file file …`. It holds the sources of the guest and of its path
//! dependencies and whatever their macros read, such as `.wit` files. It does
//! not hold manifests and lock files; those are found from the sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Error;

/// All files that `dep_info` lists, their manifests, and the lock file that a
/// build of `manifest` follows. Files inside `target_dir` are made by the build
/// itself and would start it again and again.
pub(crate) fn watched_files(
    dep_info: &Path,
    manifest: &Path,
    target_dir: &Path,
) -> Result<BTreeSet<PathBuf>, Error> {
    let text = fs::read_to_string(dep_info).map_err(Error::file("read", dep_info))?;
    let mut files: BTreeSet<_> = prerequisites(&text).collect();
    files.retain(|file| !file.starts_with(target_dir));
    let manifests: BTreeSet<_> =
        files.iter().flat_map(|file| upwards(file, "Cargo.toml")).collect();
    files.extend(manifests);
    files.extend(upwards(manifest, "Cargo.lock").next());
    // Cargo runs a build script each time when it watches a file that is absent.
    files.retain(|file| file.exists());
    Ok(files)
}

/// The files `name` in the folders around `path`, the closest first. Not only
/// the closest manifest counts: a workspace's root sets versions and features
/// of its members.
fn upwards(path: &Path, name: &str) -> impl Iterator<Item = PathBuf> {
    let folders = path.ancestors().skip(1);
    folders.map(move |folder| folder.join(name)).filter(|file| file.exists())
}

/// The files after the colon of each rule. A space inside a name is written as
/// `\ `; nothing else is escaped.
fn prerequisites(text: &str) -> impl Iterator<Item = PathBuf> {
    let rules = text.lines().filter_map(|line| line.split_once(": "));
    rules.flat_map(|(_, files)| words(files)).map(PathBuf::from)
}

fn words(text: &str) -> Vec<String> {
    // No file name contains a NUL.
    let protected = text.replace("\\ ", "\0");
    protected.split_whitespace().map(|word| word.replace('\0', " ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<PathBuf> {
        prerequisites(text).collect()
    }

    #[test]
    fn every_rule_counts() {
        let text = "/t/a.wasm: /s/lib.rs /wit/tool.wit\n/t/liba.rlib: /s/lib.rs\n";
        let expected = ["/s/lib.rs", "/wit/tool.wit", "/s/lib.rs"];
        assert_eq!(paths(text), expected.map(PathBuf::from));
    }

    #[test]
    fn an_escaped_space_is_part_of_the_name() {
        let expected = ["/my plugins/lib.rs", "/s/b.rs"].map(PathBuf::from);
        assert_eq!(paths("/t/my\\ a.wasm: /my\\ plugins/lib.rs /s/b.rs"), expected);
    }

    #[test]
    fn a_rule_without_files_has_none() {
        assert_eq!(paths("/t/a.wasm:\n\n"), [""; 0].map(PathBuf::from));
    }

    #[test]
    fn manifests_are_watched_and_the_builds_own_files_are_not() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for name in [
            "Cargo.toml",
            "Cargo.lock",
            "guest/Cargo.toml",
            "guest/lib.rs",
            "dep/Cargo.toml",
            "dep/lib.rs",
            "target/made.rs",
            "target/guest.d",
        ] {
            fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            fs::write(at(name), "").unwrap();
        }
        let sources = ["guest/lib.rs", "dep/lib.rs", "target/made.rs", "gone.rs"];
        let list = sources.map(|name| at(name).display().to_string()).join(" ");
        fs::write(at("target/guest.d"), format!("guest.wasm: {list}\n")).unwrap();

        let files = watched_files(&at("target/guest.d"), &at("guest/Cargo.toml"), &at("target"));

        let expected = [
            "Cargo.lock",
            "Cargo.toml",
            "dep/Cargo.toml",
            "dep/lib.rs",
            "guest/Cargo.toml",
            "guest/lib.rs",
        ];
        assert_eq!(files.unwrap(), expected.map(at).into());
    }
}
