//! Components that cost much to compile: bounded by the format, by the size of the
//! file, and by time.

use toolstile_tests::{HandWritten, PluginDir};

/// The recipes that are tests here.
pub(super) const RECIPES: &[&str] =
    &["wasm-compile_br_table", "wasm-compile_many_funcs", "wasm-compile_one_huge_func"];

/// Why a component is not used under a configuration.
async fn refused(component: &[u8], config: &str) -> String {
    let directory = PluginDir::with([("bomb", component)]);
    let host = directory.host(config).await;
    host.quarantined().first().map(|q| q.reason.clone()).unwrap_or_default()
}

/// A component with this core function beside what it needs.
fn with_function(body: &str) -> Vec<u8> {
    HandWritten { fields: format!("(func {body})"), ..HandWritten::default() }.build()
}

/// One function of 300,000 additions.
fn huge_function() -> Vec<u8> {
    let add = "(i32.const 1) (i32.add) ";
    with_function(&format!("(result i32) (i32.const 0) {}", add.repeat(300_000)))
}

fn many_functions() -> Vec<u8> {
    let one = "(func (result i32) (i32.add (i32.const 1) (i32.mul (i32.const 2) (i32.const 3))))";
    HandWritten { fields: one.repeat(30_000), ..HandWritten::default() }.build()
}

#[tokio::test]
async fn functions_beyond_the_bounds_of_the_format_are_refused() {
    let locals = with_function(&format!("(local {})", "i32 ".repeat(50_001)));
    let reason = refused(&locals, "").await;
    assert!(reason.contains("too many locals"), "{reason}");
    let targets = format!("(br_table {}(i32.const 0))", "0 ".repeat(7_600_000));
    let size = "[limits]\ncomponent_bytes = 4000000";
    let reason = refused(&with_function(&targets), size).await;
    assert!(reason.contains("limit `component_bytes`"), "{reason}");
}

/// What takes long to compile ends at the limit, and nobody waits for the rest.
#[tokio::test]
async fn compiling_is_bounded_in_time_and_size() {
    for component in [huge_function(), many_functions()] {
        let reason = refused(&component, "[limits]\ncompile_ms = 50").await;
        assert!(reason.contains("limit `compile_ms`"), "{reason}");
        let reason = refused(&component, "[limits]\ncomponent_bytes = 100000").await;
        assert!(reason.contains("limit `component_bytes`"), "{reason}");
    }
}
