//! Makes a component of a module and reads what it asks for.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use wit_component::{ComponentEncoder, DecodedWasm};
use wit_parser::{Resolve, WorldItem};

use crate::Error;
use crate::compile::Module;

/// A guest as a component, on disk.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Component {
    /// The guest's name: what [`crate::Guest::named`] said, else cargo's name
    /// of the library or of the example.
    pub name: String,
    /// Where it lies.
    pub path: PathBuf,
    /// Its size, in bytes.
    pub bytes_len: usize,
    /// What it can call, sorted, such as `toolstile:plugin/log@0.1.0`.
    /// Interfaces that hold nothing but types are left out.
    pub imports: Vec<String>,
}

impl Component {
    /// Makes a component of `module` and writes it to `folder/name.wasm`,
    /// creating the folder if it is missing.
    pub(crate) fn make(module: &Module, name: &str, folder: &Path) -> Result<Self, Error> {
        let core = fs::read(&module.path).map_err(Error::file("read", &module.path))?;
        let encoded = |source| Error::Encode { module: module.path.clone(), source };
        let bytes = encode(&core).map_err(encoded)?;
        let world = World::of(&bytes).map_err(encoded)?;
        if !world.has_exports {
            return Err(Error::NoExports(module.path.clone()));
        }
        let path = folder.join(format!("{name}.wasm"));
        fs::create_dir_all(folder).map_err(Error::file("create", folder))?;
        write_if_changed(&path, &bytes)?;
        Ok(Self { name: name.to_owned(), path, bytes_len: bytes.len(), imports: world.imports })
    }
}

/// What a failing encoder or decoder answers.
type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Wraps a core module. Its types come from a custom section that the guest's
/// bindings put there.
fn encode(core: &[u8]) -> Result<Vec<u8>, Cause> {
    let mut encoder = ComponentEncoder::default().validate(true).module(core)?;
    Ok(encoder.encode()?)
}

/// The outside of a component.
#[derive(Debug)]
struct World {
    imports: Vec<String>,
    has_exports: bool,
}

impl World {
    fn of(component: &[u8]) -> Result<Self, Cause> {
        let DecodedWasm::Component(resolve, world) = wit_component::decode(component)? else {
            return Err("this is a package of interfaces, not a component".into());
        };
        let world = &resolve.worlds[world];
        let callable = world.imports.iter().filter(|(_, item)| is_callable(&resolve, item));
        let imports: BTreeSet<_> = callable.map(|(key, _)| resolve.name_world_key(key)).collect();
        Ok(Self { imports: imports.into_iter().collect(), has_exports: !world.exports.is_empty() })
    }
}

/// Whether an import is more than types, which grant nothing.
fn is_callable(resolve: &Resolve, item: &WorldItem) -> bool {
    match item {
        WorldItem::Interface { id, .. } => !resolve.interfaces[*id].functions.is_empty(),
        WorldItem::Function(_) => true,
        WorldItem::Type { .. } => false,
    }
}

/// Leaves a file alone that holds `bytes` already: whoever embeds it need not
/// be compiled again.
fn write_if_changed(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    fs::write(path, bytes).map_err(Error::file("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(text: &str) -> World {
        World::of(&wat::parse_str(text).unwrap()).unwrap()
    }

    #[test]
    fn imports_are_what_can_be_called() {
        let world = world(
            r#"(component
                (import "b:p/shell@0.1.0" (instance (export "run" (func))))
                (import "a:p/types@0.1.0" (instance (type $json string) (export "json" (type (eq $json)))))
                (import "a:p/log@0.1.0" (instance (export "write" (func)))))"#,
        );
        assert_eq!(world.imports, ["a:p/log@0.1.0", "b:p/shell@0.1.0"]);
        assert!(!world.has_exports);
    }

    #[test]
    fn a_module_without_types_exports_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bare.wasm");
        fs::write(&path, wat::parse_str("(module)").unwrap()).unwrap();
        let module = Module { name: "bare".into(), path };
        let error = Component::make(&module, "bare", folder.path()).unwrap_err();
        assert!(matches!(error, Error::NoExports(_)), "{error}");
    }

    #[test]
    fn what_is_no_module_is_an_error_with_its_cause() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text.wasm");
        fs::write(&path, "some text").unwrap();
        let module = Module { name: "text".into(), path };
        let error = Component::make(&module, "text", folder.path()).unwrap_err();
        assert!(matches!(error, Error::Encode { .. }), "{error}");
    }

    #[test]
    fn an_equal_file_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.wasm");
        fs::write(&path, b"same").unwrap();
        let before = fs::metadata(&path).unwrap().modified().unwrap();
        let read_only = std::fs::File::open(&path).unwrap();
        write_if_changed(&path, b"same").unwrap();
        assert_eq!(read_only.metadata().unwrap().modified().unwrap(), before);
        write_if_changed(&path, b"other").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"other");
    }
}
