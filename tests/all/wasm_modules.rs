//! Vectors: modules that attack the runtime. They were written for another contract
//! (imports `log`, `get`, `blob`, export `run`), so [`adapted`] puts the core code of
//! each into a component of this one.

mod adapted;
mod compile;
mod generated;
mod wasi;

use std::time::Duration;

use tokio::time::timeout;
use toolstile::core::{Arguments, CallContext, JsonLimits};
use toolstile::{PluginLimits, Tool as _};
use toolstile_tests::{Comparison, case_file, id, vector_lines};
use toolstile_wasm::{Grants, LoadError, PluginSource, RuntimeConfig, WasmRuntime, WasmTool};

/// The longest that one load or one call may take whatever the module does.
const AT_LAST: Duration = Duration::from_secs(30);

/// The first four are refused too, but for exporting no tools: WASI 0.2 is linked
/// for the runtimes of languages, with nothing behind it (see [`wasi`]).
const DELIBERATE: &[(&str, &str)] = &[
    ("wasm-import_clock", "clocks of WASI 0.2 are offered to every plugin"),
    ("wasm-import_env", "the environment of WASI 0.2 is linked, and empty"),
    ("wasm-import_fs", "the preopens of WASI 0.2 are linked, and none"),
    ("wasm-import_sockets", "the sockets of WASI 0.2 are linked; none may be used"),
    ("wasm-wrong_run_type", "types of exports are compared when `list-tools` is asked for"),
];

fn runtime() -> WasmRuntime {
    WasmRuntime::new(&RuntimeConfig::default()).expect("a runtime")
}

/// Loads a component and calls its first tool twice; the word says how that ended.
async fn outcome(runtime: &WasmRuntime, component: Vec<u8>) -> &'static str {
    let limits = PluginLimits { deadline_ms: 500, list_tools_ms: 500, ..Default::default() };
    let source = PluginSource {
        name: "v".into(),
        bytes: component.into(),
        limits,
        grants: Grants::default(),
    };
    match timeout(AT_LAST, runtime.load(source)).await.expect("loading ends") {
        Err(error) => load_outcome(&error),
        Ok(plugin) => match call(&plugin.tools[0]).await {
            "ok" => call(&plugin.tools[0]).await,
            failed => failed,
        },
    }
}

async fn call(tool: &WasmTool) -> &'static str {
    let arguments = Arguments::read(&"{}".into(), JsonLimits::ARGUMENTS).expect("an object");
    match timeout(AT_LAST, tool.call(&arguments, &CallContext::default()))
        .await
        .expect("the call ends")
    {
        // The counter of the isolation vector says how many calls it has seen.
        Ok(response) if response.text == "ok" || response.text == "1" => "ok",
        Ok(_) => "another answer",
        Err(error) => error.kind.as_str(),
    }
}

fn load_outcome(error: &LoadError) -> &'static str {
    match error {
        LoadError::Invalid(_) => "invalid",
        LoadError::UnknownImport { .. } => "unknown import",
        LoadError::NoContract { .. } => "no contract",
        LoadError::Mismatch(_) => "mismatch",
        LoadError::ListTools(error) => error.kind.as_str(),
        _ => "another error",
    }
}

/// What the vectors' words are called here.
fn accepted(expected: &str) -> &'static [&'static str] {
    match expected {
        "ok" => &["ok"],
        "trap:interrupt" => &["deadline"],
        "trap:stack" => &["stack"],
        "trap:unreachable" => &["crash"],
        // A bad pointer given to the host is no trap of the guest's own code.
        "trap" => &["crash", "contract"],
        "error:too-large" => &["host_data"],
        "error:lift" => &["contract", "host_data"],
        // The pool refuses when it compiles what could never be instantiated.
        "error:instantiate" => &["memory", "invalid"],
        "error:load" => &["invalid"],
        "error:link" => &["unknown import", "mismatch"],
        "error:import-audit" => &["unknown import"],
        "error:export" => &["no contract"],
        "error:type" => &["mismatch"],
        _ => &[],
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn modules_that_attack_the_runtime() {
    let runtime = runtime();
    let mut comparison = Comparison::new(DELIBERATE);
    let vectors = vector_lines("security/wasm.jsonl");
    let stored: Vec<_> = vectors.iter().filter(|vector| vector["file"].is_string()).collect();
    for vector in &stored {
        let file = vector["file"].as_str().expect("a file name");
        let text = std::fs::read_to_string(case_file(&format!("security/wasm/{file}")));
        let component = adapted::component(file, &text.expect("the file of the vector"));
        let found = outcome(&runtime, component).await;
        let expected = vector["expect"].as_str().expect("an outcome");
        let holds = accepted(expected).contains(&found);
        comparison.accept(id(vector), holds, || format!("expected {expected}, found {found}"));
    }
    comparison.finish("wasm modules", stored.len());
}

/// Every recipe is a test of this module.
#[test]
fn no_recipe_is_forgotten() {
    let vectors = vector_lines("security/wasm.jsonl");
    let recipes = vectors.iter().filter(|vector| vector["generated"] == true).map(id);
    let known: Vec<&str> = generated::RECIPES.iter().chain(compile::RECIPES).copied().collect();
    let unknown: Vec<&str> = recipes.clone().filter(|recipe| !known.contains(recipe)).collect();
    assert_eq!(unknown, Vec::<&str>::new());
    assert_eq!(recipes.count(), known.len());
}
