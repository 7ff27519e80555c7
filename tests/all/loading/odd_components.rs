//! Components that are refused for what they ask for or for the tools they list.

use toolstile_tests::{HandWritten, PluginDir, reason};

use super::{guests, names, refused_beside_neighbour};

const CONFIG: &str = "[plugin.bad.limits]\nlist_tools_ms = 300";

async fn assert_refused(component: &[u8], parts: &[&str]) {
    let directory = PluginDir::with([("bad", component)]);
    let reason = refused_beside_neighbour(&directory, "bad.wasm", CONFIG).await;
    for part in parts {
        assert!(reason.contains(part), "`{part}` is not in: {reason}");
    }
}

fn with_schema(schema: &str) -> Vec<u8> {
    HandWritten { tools: vec![("t".into(), schema.into())], ..HandWritten::default() }.build()
}

#[tokio::test]
async fn a_start_function_that_never_ends() {
    let fields = "(func $start (loop $again (br $again))) (start $start)".into();
    let guest = HandWritten { fields, ..HandWritten::default() };
    assert_refused(&guest.build(), &["gave no answer", "300 ms", "`list_tools_ms`"]).await;
}

#[tokio::test]
async fn a_listing_that_never_ends() {
    let list_tools = "(loop $again (br $again)) unreachable".into();
    let guest = HandWritten { list_tools, ..HandWritten::default() };
    assert_refused(&guest.build(), &["gave no answer", "300 ms", "`list_tools_ms`"]).await;
}

#[tokio::test]
async fn a_listing_that_traps() {
    let guest = HandWritten { list_tools: "unreachable".into(), ..HandWritten::default() };
    assert_refused(&guest.build(), &["gave no answer", "crashed"]).await;
}

#[tokio::test]
async fn no_tools_or_too_many() {
    let none = HandWritten::with_tools(Vec::<String>::new());
    assert_refused(&none.build(), &["lists 0 tools; between 1 and 128"]).await;
    let many = HandWritten::with_tools((0..5000).map(|number| format!("t{number}")));
    assert_refused(&many.build(), &["lists 5000 tools"]).await;
}

#[tokio::test]
async fn names_that_are_none() {
    for name in ["", "two words", "a.b", "caf\u{e9}", "a\u{200b}", &"x".repeat(65)] {
        let guest = HandWritten::with_tools([name]);
        assert_refused(&guest.build(), &["one of its tools has a bad name"]).await;
    }
    let twice = HandWritten::with_tools(["a", "b", "a"]);
    assert_refused(&twice.build(), &["lists the tool `a` twice"]).await;
}

#[tokio::test]
async fn schemas_that_are_none() {
    let refused = "the input schema of its tool `t` is refused";
    let large = format!(r#"{{"type":"object","description":"{}"}}"#, "x".repeat(200_000));
    for schema in [&large, "{", r#"{"type":"string"}"#, r#"{"type":"object","properties":7}"#] {
        assert_refused(&with_schema(schema), &[refused]).await;
    }
}

#[tokio::test]
async fn interfaces_that_the_host_does_not_offer() {
    let import = r#"(import "evil:iface/x" (instance (export "f" (func))))"#;
    let guest = HandWritten { before: import.into(), ..HandWritten::default() };
    assert_refused(&guest.build(), &["imports `evil:iface/x`", "does not offer"]).await;
    // Without functions it would link silently.
    let import = r#"(import "wasi:sockets/raw@0.2.0" (instance))"#;
    let guest = HandWritten { before: import.into(), ..HandWritten::default() };
    assert_refused(&guest.build(), &["imports `wasi:sockets/raw@0.2.0`"]).await;
}

#[tokio::test]
async fn an_interface_of_another_type() {
    let import = r#"(import "toolstile:plugin/log@0.1.0" (instance
        (export "write" (func (param "line" u32)))))"#;
    let guest = HandWritten { before: import.into(), ..HandWritten::default() };
    assert_refused(&guest.build(), &["does not fit the contract", "log"]).await;
}

#[tokio::test]
async fn another_version_of_the_contract() {
    let text = HandWritten::default().text().replace("tool@0.1.0", "tool@0.2.0");
    let component = wat::parse_str(text).unwrap();
    assert_refused(&component, &["version `0.2.0` of the contract", "0.1.x"]).await;
}

#[tokio::test]
async fn no_tools_interface_at_all() {
    let component = wat::parse_str("(component)").unwrap();
    assert_refused(&component, &["does not export `toolstile:plugin/tool@0.1.0`"]).await;
}

/// All of a plugin's tools or none: the free name is not registered either.
#[tokio::test]
async fn a_name_that_another_plugin_has() {
    let component = HandWritten::with_tools(["free", "calculator"]).build();
    let directory = PluginDir::with([("bad", &*component), ("neighbour", guests::NEIGHBOUR)]);
    let host = directory.builder("").bundled(true).build().await.expect("a host");
    let expected = "the name `calculator` is taken by a tool of origin `builtin`";
    assert_eq!(reason(&host, "bad.wasm"), expected);
    assert_eq!(names(&host), ["calculator", "notes", "search", "shell", "echo"]);
}
