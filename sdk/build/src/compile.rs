//! Runs cargo for a guest and finds the modules that it made.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{Error, TARGET, Toolchain};

/// The profile of guests, given on the command line so that an author's
/// manifest needs none: small and quick, and a panic is a trap.
const PROFILE: [&str; 7] = [
    "profile.release.codegen-units=1",
    "profile.release.debug=false",
    "profile.release.incremental=false",
    "profile.release.lto=true",
    "profile.release.opt-level=\"s\"",
    "profile.release.panic=\"abort\"",
    "profile.release.strip=true",
];

/// What of a package is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Selection {
    /// Its library.
    Library,
    /// All its examples.
    Examples,
}

impl Selection {
    fn cargo_flag(self) -> &'static str {
        match self {
            Self::Library => "--lib",
            Self::Examples => "--examples",
        }
    }

    /// For messages.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Library => "library",
            Self::Examples => "example",
        }
    }
}

/// One compiled guest, not yet a component.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Module {
    /// Cargo's name of the target.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

impl Module {
    /// The list of all files that the module was made of. Cargo puts it beside
    /// each artifact.
    pub(crate) fn dep_info(&self) -> PathBuf {
        self.path.with_extension("d")
    }
}

/// Compiles the package at `manifest` (absolute) for [`TARGET`]. Cargo writes
/// its messages to the standard error of this process; without `target_dir` it
/// uses the package's own.
///
/// An existing `Cargo.lock` is followed and, as in any cargo run, completed
/// when a manifest has changed. `--locked` would turn each change of a manifest
/// into an error that a build script's caller has no flag for.
pub(crate) fn compile(
    toolchain: &Toolchain,
    manifest: &Path,
    selection: Selection,
    target_dir: Option<&Path>,
) -> Result<Vec<Module>, Error> {
    let mut command = command(toolchain, manifest, selection, target_dir);
    let output = command.stderr(Stdio::inherit()).output().map_err(|source| Error::Start {
        program: command.get_program().to_string_lossy().into_owned(),
        source,
    })?;
    if !output.status.success() {
        return Err(Error::Compile(manifest.to_owned()));
    }
    Ok(modules(&String::from_utf8_lossy(&output.stdout), manifest, selection))
}

fn command(
    toolchain: &Toolchain,
    manifest: &Path,
    selection: Selection,
    target_dir: Option<&Path>,
) -> Command {
    let mut command = toolchain.cargo("build");
    command.args(["--release", "--target", TARGET, selection.cargo_flag()]);
    command.arg("--message-format=json-render-diagnostics");
    command.arg("--manifest-path").arg(manifest);
    for setting in PROFILE {
        command.args(["--config", setting]);
    }
    if let Some(flags) = cargo_home().as_deref().and_then(remapped) {
        command.args(["--config", &flags]);
    }
    if let Some(folder) = target_dir {
        command.arg("--target-dir").arg(folder);
    }
    // Cargo reads `.cargo/config.toml` from where it runs.
    command.current_dir(manifest.parent().unwrap_or(Path::new(".")));
    command
}

/// The flag that writes `/cargo` for cargo's home into panic messages. Else a
/// component would carry the home folder of whoever compiled it.
fn remapped(cargo_home: &Path) -> Option<String> {
    let flag = format!("--remap-path-prefix={}=/cargo", cargo_home.to_str()?);
    Some(format!("target.{TARGET}.rustflags=[{}]", Value::from(flag)))
}

fn cargo_home() -> Option<PathBuf> {
    let explicit = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    explicit.or_else(|| Some(std::env::home_dir()?.join(".cargo")))
}

/// The selected modules of the package at `manifest`, out of cargo's messages,
/// one JSON object a line
/// (<https://doc.rust-lang.org/cargo/reference/external-tools.html#json-messages>).
/// Messages about dependencies and about other crate types are passed over.
fn modules(messages: &str, manifest: &Path, selection: Selection) -> Vec<Module> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str(line).ok());
    let selected = messages.filter(|message| is_selected(message, manifest, selection));
    selected.filter_map(|message| module(&message)).collect()
}

fn is_selected(message: &Value, manifest: &Path, selection: Selection) -> bool {
    // The library of the package is compiled for its examples as well.
    let is_example = message["target"]["kind"][0] == "example";
    message["reason"] == "compiler-artifact"
        && message["manifest_path"].as_str().map(Path::new) == Some(manifest)
        && is_example == (selection == Selection::Examples)
}

fn module(artifact: &Value) -> Option<Module> {
    let files = artifact["filenames"].as_array()?.iter();
    let mut files = files.filter_map(Value::as_str).map(PathBuf::from);
    Some(Module {
        name: artifact["target"]["name"].as_str()?.to_owned(),
        path: files.find(|file| file.extension().is_some_and(|end| end == "wasm"))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "/guests/Cargo.toml";

    fn artifact(manifest: &str, kind: &str, name: &str, files: &[&str]) -> String {
        serde_json::json!({
            "reason": "compiler-artifact",
            "manifest_path": manifest,
            "target": { "kind": [kind], "name": name },
            "filenames": files,
        })
        .to_string()
    }

    fn messages() -> String {
        [
            artifact("/registry/dep/Cargo.toml", "cdylib", "dep", &["/t/dep.wasm"]),
            artifact(MANIFEST, "custom-build", "build-script-build", &["/t/build-script-build"]),
            artifact(MANIFEST, "cdylib", "guests", &["/t/libguests.rlib", "/t/guests.wasm"]),
            artifact(MANIFEST, "example", "odd-one", &["/t/examples/odd_one.wasm"]),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
            "not JSON".to_owned(),
        ]
        .join("\n")
    }

    #[track_caller]
    fn assert_module(selection: Selection, name: &str, path: &str) {
        let expected = Module { name: name.into(), path: path.into() };
        assert_eq!(modules(&messages(), Path::new(MANIFEST), selection), [expected]);
    }

    #[test]
    fn the_library_is_the_packages_own() {
        assert_module(Selection::Library, "guests", "/t/guests.wasm");
    }

    #[test]
    fn examples_come_without_the_library_they_use() {
        assert_module(Selection::Examples, "odd-one", "/t/examples/odd_one.wasm");
    }

    #[test]
    fn the_dep_info_lies_beside_the_module() {
        let module = Module { name: "g".into(), path: "/t/g.wasm".into() };
        assert_eq!(module.dep_info(), Path::new("/t/g.d"));
    }

    #[test]
    fn a_home_with_odd_characters_stays_one_toml_string() {
        assert_eq!(
            remapped(Path::new(r#"/home/a "b"/.cargo"#)).unwrap(),
            r#"target.wasm32-unknown-unknown.rustflags=["--remap-path-prefix=/home/a \"b\"/.cargo=/cargo"]"#
        );
    }
}
