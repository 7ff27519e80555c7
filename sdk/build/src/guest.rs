//! A guest crate, from its folder to its components.

use std::collections::BTreeSet;
use std::path::{self, Path, PathBuf};

use crate::compile::{Module, Selection, compile};
use crate::script::Script;
use crate::{Component, Error, Toolchain, dep_info};

/// A Rust package that holds one guest as its library, or many as its examples,
/// each of the crate type `cdylib`.
#[derive(Debug, Clone)]
pub struct Guest {
    folder: PathBuf,
    name: Option<String>,
}

impl Guest {
    /// The package in `folder`, which may stand alone or be a member of a
    /// workspace. A relative path starts at the current folder, which for a
    /// build script is its package's.
    pub fn package(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), name: None }
    }

    /// Calls the library's component `name` instead of what cargo calls the
    /// library. Examples keep their names.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// In a build script: makes the library's component in `OUT_DIR` and has
    /// cargo watch all files it was made of.
    ///
    /// # Errors
    ///
    /// Any [`Error`]; cargo's own messages about the guest go to the standard
    /// error.
    pub fn build(&self) -> Result<Component, Error> {
        let mut components = self.build_in_script(Selection::Library)?;
        components.pop().ok_or_else(|| self.nothing(Selection::Library))
    }

    /// In a build script: the same for all examples of the package, sorted by
    /// name.
    ///
    /// # Errors
    ///
    /// As [`Guest::build`].
    pub fn build_examples(&self) -> Result<Vec<Component>, Error> {
        let mut components = self.build_in_script(Selection::Examples)?;
        components.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(components)
    }

    /// Outside of build scripts: makes the library's component in `folder`,
    /// which is created if it is missing, using the package's own target folder
    /// or `CARGO_TARGET_DIR`.
    ///
    /// # Errors
    ///
    /// As [`Guest::build`].
    pub fn build_with(&self, toolchain: &Toolchain, folder: &Path) -> Result<Component, Error> {
        let target_dir = std::env::var_os("CARGO_TARGET_DIR").and_then(|d| path::absolute(d).ok());
        let modules =
            compile(toolchain, &self.manifest()?, Selection::Library, target_dir.as_deref())?;
        let module = modules.first().ok_or_else(|| self.nothing(Selection::Library))?;
        Component::make(module, self.name_of(module, Selection::Library), folder)
    }

    fn build_in_script(&self, selection: Selection) -> Result<Vec<Component>, Error> {
        let script = Script::from_env()?;
        let manifest = self.manifest()?;
        let toolchain = Toolchain::find(&self.folder)?;
        script.warn(toolchain.changes())?;
        let target_dir = script.target_dir(toolchain.strategy());
        let modules = compile(&toolchain, &manifest, selection, Some(&target_dir))?;
        if modules.is_empty() {
            return Err(self.nothing(selection));
        }
        script.watch(&watched(&modules, &manifest, &target_dir)?)?;
        let component =
            |module| Component::make(module, self.name_of(module, selection), script.out_dir());
        modules.iter().map(component).collect()
    }

    /// The manifest's path without links and `..`, as cargo's messages have it.
    fn manifest(&self) -> Result<PathBuf, Error> {
        let manifest = self.folder.join("Cargo.toml");
        manifest.canonicalize().map_err(Error::file("find", manifest))
    }

    fn name_of<'a>(&'a self, module: &'a Module, selection: Selection) -> &'a str {
        match (selection, &self.name) {
            (Selection::Library, Some(name)) => name,
            _ => &module.name,
        }
    }

    fn nothing(&self, selection: Selection) -> Error {
        Error::NoGuest { package: self.folder.clone(), kind: selection.kind() }
    }
}

fn watched(
    modules: &[Module],
    manifest: &Path,
    target_dir: &Path,
) -> Result<BTreeSet<PathBuf>, Error> {
    let mut files = BTreeSet::new();
    for module in modules {
        files.extend(dep_info::watched_files(&module.dep_info(), manifest, target_dir)?);
    }
    Ok(files)
}
