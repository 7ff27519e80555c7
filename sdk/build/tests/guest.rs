//! From a crate on disk to a component, with the real compiler. The guest has
//! no dependencies: its types are put into the custom section by hand, where
//! bindings would put them.

use std::fs;
use std::path::Path;

use toolstile_build::{Component, Error, Guest, Toolchain};
use wit_component::{StringEncoding, metadata};
use wit_parser::Resolve;

const MANIFEST: &str = r#"
[package]
name = "NAME"
version = "0.1.0"
edition = "2024"

[lib]
path = "lib.rs"
crate-type = ["cdylib"]

[workspace]
"#;

const WIT: &str = "
package test:tiny@0.1.0;
interface clock { now: func() -> u32; }
world guest { import clock; export later: func() -> u32; }
";

const SOURCE: &str = r#"
#[used]
#[unsafe(link_section = "component-type:tiny")]
static TYPES: [u8; include_bytes!("types").len()] = *include_bytes!("types");

#[link(wasm_import_module = "test:tiny/clock@0.1.0")]
unsafe extern "C" {
    safe fn now() -> u32;
}

#[unsafe(no_mangle)]
pub extern "C" fn later() -> u32 {
    now() + 1
}
"#;

/// Where in a test's folder the component goes; nobody creates it beforehand.
const OUTPUT: &str = "new/plugins";

/// Builds `source` as the package `name` in `folder`, into [`OUTPUT`]. Each
/// test has a name of its own: in a shared target folder, cargo takes packages of
/// one name that are roots of their workspaces for one package.
fn build(folder: &Path, name: &str, source: &str) -> Result<Component, Error> {
    let write = |file: &str, content: &[u8]| {
        fs::write(folder.join(file), content).expect("the temporary folder can be written");
    };
    write("Cargo.toml", MANIFEST.replace("NAME", name).as_bytes());
    write("lib.rs", source.as_bytes());
    write("types", &types());
    let guest = Guest::package(folder).named("tiny");
    guest.build_with(&Toolchain::find(folder)?, &folder.join(OUTPUT))
}

/// The types of the world in [`WIT`], as bindings encode them.
fn types() -> Vec<u8> {
    let mut resolve = Resolve::default();
    let package = resolve.push_str("tiny.wit", WIT).expect("the package is well formed");
    let world = resolve.select_world(&[package], None).expect("it has one world");
    metadata::encode(&resolve, world, StringEncoding::UTF8, None).expect("the world is complete")
}

#[test]
fn a_crate_becomes_a_component_in_a_new_folder_with_its_imports() {
    let folder = tempfile::tempdir().unwrap();
    let component = build(folder.path(), "tiny-guest", SOURCE).unwrap();
    assert_eq!(component.name, "tiny");
    assert_eq!(component.path, folder.path().join(OUTPUT).join("tiny.wasm"));
    assert_eq!(component.imports, ["test:tiny/clock@0.1.0"]);
    assert_eq!(fs::read(&component.path).unwrap().len(), component.bytes_len);
}

#[test]
fn a_crate_without_an_interface_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = build(folder.path(), "empty-guest", "").unwrap_err();
    assert!(matches!(error, Error::NoExports(_)), "{error}");
    assert!(!folder.path().join(OUTPUT).exists());
}

#[test]
fn a_crate_that_does_not_compile_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = build(folder.path(), "broken-guest", "this is not Rust").unwrap_err();
    let manifest = folder.path().canonicalize().unwrap().join("Cargo.toml");
    assert!(matches!(error, Error::Compile(path) if path == manifest));
}
