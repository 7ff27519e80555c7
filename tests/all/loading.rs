//! The plugin directory: what is loaded, what is quarantined and why, and that one
//! bad file never costs another plugin anything.

mod lock;
mod odd_components;
mod odd_files;
mod reload;
mod settings;

use toolstile::Host;
use toolstile_tests::{PluginDir, reason};

use crate::hostile::guests;

/// Loads a file beside a good neighbour, asserts that the neighbour is there and the
/// file is not, and gives the reason.
async fn refused_beside_neighbour(directory: &PluginDir, file: &str, config: &str) -> String {
    directory.add("neighbour.wasm", guests::NEIGHBOUR);
    let host = directory.host(config).await;
    assert_eq!(names(&host), ["echo"], "the neighbour alone is loaded");
    assert_eq!(host.quarantined().len(), 1, "{:?}", host.quarantined());
    reason(&host, file)
}

/// The names of all tools, in their order.
fn names(host: &Host) -> Vec<String> {
    host.all_tools().iter().map(|tool| tool.name().to_string()).collect()
}

#[tokio::test]
async fn a_component_in_the_directory_is_a_plugin() {
    let host = PluginDir::with([("my-echo", guests::NEIGHBOUR)]).host("").await;
    let tools = host.all_tools();
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0].origin.to_string(), "plugin:my-echo");
    assert_eq!(host.call("echo", r#"{"text": "a"}"#).await.model_text(), "a");
    let plugin = &host.plugins()[0].plugin;
    assert_eq!(plugin.contract_version, "0.1.0");
    assert_eq!(plugin.bytes, guests::NEIGHBOUR.len());
}

/// The digest is that of the file, so hash and code come from the same bytes even
/// though the file is gone by the time it is called.
#[tokio::test]
async fn a_file_is_read_once() {
    let directory = PluginDir::with([("echo", guests::NEIGHBOUR)]);
    let host = directory.host("").await;
    directory.add("echo.wasm", b"something else");
    let digest = toolstile::core::sha256_hex(guests::NEIGHBOUR);
    assert_eq!(host.plugins()[0].plugin.sha256, digest);
    assert_eq!(host.call("echo", r#"{"text": "a"}"#).await.model_text(), "a");
}

#[tokio::test]
async fn what_is_asked_for_is_shown_and_not_granted() {
    let host = PluginDir::with([("note_reader", guests::NOTE_READER)]).host("").await;
    let tools = host.all_tools();
    assert_eq!(tools[0].capabilities.asked, ["notes"]);
    assert_eq!(tools[0].capabilities.granted, Vec::<String>::new());
    let answer = host.call("read_note", r#"{"path": "a.md"}"#).await.model_text();
    let expected = "Error: the capability `notes` is not granted to `note_reader`; the operator \
        grants it by `[plugin.note_reader.grants.notes]` with a `dir` in `toolstile.toml`";
    assert_eq!(answer, expected);
}

#[tokio::test]
async fn a_missing_directory_has_no_plugins() {
    let directory = PluginDir::default();
    let host = directory.builder("").plugin_dir(directory.path("absent")).build().await;
    let host = host.expect("a host");
    assert_eq!((names(&host).len(), host.quarantined().len()), (0, 0));
    assert_eq!(host.warnings(), Vec::<String>::new());
}
