//! What one call costs: through all gates, and the least that wasmtime needs for a
//! fresh instance. Both sides use the same component, allocator settings and call,
//! in the same run; quote the ratio.
//!
//! `floor/sync` is the bare minimum: `InstancePre`, a new store, one instance, one
//! call, no limits but the epoch. `floor/async` is the same on a fiber, as anything
//! that wants to stop a guest needs it. `gated` is everything: name, permissions,
//! schema, confirmation rule, limits, deadline, audit record.

use std::hint::black_box;
use std::sync::Arc;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use tokio::runtime::Runtime;
use toolstile_core::{Call, Origin, RegisteredTool, ToolExecutor, ToolRegistry};
use toolstile_wasm::{Allocator, Grants, PluginLimits, PluginSource, RuntimeConfig, WasmRuntime};
use wasmtime::component::{Component, ComponentExportIndex, InstancePre, Linker};
use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Store,
};

#[path = "../src/bindings.rs"]
#[allow(unused_imports, dead_code, reason = "the floor uses one function of the contract")]
mod bindings;

const ARGUMENTS: &str = r#"{"expression":"(3 + 4) * 5"}"#;

fn component() -> &'static [u8] {
    let mut plugins = toolstile_plugins::bundled().iter();
    plugins.find(|plugin| plugin.name == "calculator").expect("bundled").component
}

/// The calculator behind all gates.
fn gated(runtime: &Runtime) -> (ToolExecutor, Allocator) {
    let wasm = WasmRuntime::new(&RuntimeConfig::default()).expect("a runtime");
    let source = PluginSource {
        name: "calculator".into(),
        bytes: component().into(),
        limits: PluginLimits::default(),
        grants: Grants::default(),
    };
    let plugin = runtime.block_on(wasm.load(source)).expect("the calculator loads");
    let registry = Arc::new(ToolRegistry::default());
    for tool in plugin.tools {
        let tool = RegisteredTool::new(Arc::new(tool), Origin::Builtin);
        registry.register(tool).expect("a free name");
    }
    (ToolExecutor::builder(registry).build(), wasm.report().allocator)
}

/// The calculator on bare wasmtime, with the same allocator settings.
struct Floor {
    engine: Engine,
    pre: InstancePre<()>,
    tool: bindings::tool::GuestIndices,
    call_tool: ComponentExportIndex,
}

impl Floor {
    fn new(allocator: Allocator) -> Self {
        let mut config = Config::new();
        config.epoch_interruption(true).concurrency_support(false);
        config.max_wasm_stack(512 << 10).async_stack_size(1 << 20);
        if allocator != Allocator::OnDemand {
            let mut pool = PoolingAllocationConfig::default();
            pool.total_component_instances(64).total_core_instances(1024).total_memories(128);
            pool.total_tables(512).total_stacks(128).max_unused_warm_slots(64);
            pool.max_memory_size(64 << 20);
            if allocator == Allocator::PoolPagemapScan {
                pool.pagemap_scan(Enabled::Yes).linear_memory_keep_resident(2 << 20);
                pool.table_keep_resident(64 << 10);
            }
            config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
        }
        let engine = Engine::new(&config).expect("an engine");
        let component = Component::from_binary(&engine, component()).expect("it compiles");
        let pre = Linker::new(&engine).instantiate_pre(&component).expect("it links");
        let tool = component.get_export_index(None, "toolstile:plugin/tool@0.1.0");
        let call_tool = component.get_export_index(tool.as_ref(), "call-tool").expect("exported");
        Self {
            tool: bindings::tool::GuestIndices::new(&pre).expect("it fits the contract"),
            pre,
            engine,
            call_tool,
        }
    }

    /// The floor below the floor: no fiber, so nothing could stop the guest.
    fn call_sync(&self) -> String {
        let mut store = Store::new(&self.engine, ());
        store.set_epoch_deadline(1 << 40);
        let instance = self.pre.instantiate(&mut store).expect("an instance");
        let call = instance.get_typed_func::<(&str, &str), (bindings::tool::ToolResponse,)>(
            &mut store,
            &self.call_tool,
        );
        let answer = call.expect("its type").call(&mut store, ("calculator", ARGUMENTS));
        answer.expect("an answer").0.text
    }

    async fn call(&self) -> String {
        let mut store = Store::new(&self.engine, ());
        store.set_epoch_deadline(1 << 40);
        let instance = self.pre.instantiate_async(&mut store).await.expect("an instance");
        let tool = self.tool.load(&mut store, &instance).expect("its type");
        let arguments = ARGUMENTS.to_owned();
        let answer = tool.call_call_tool(&mut store, "calculator", &arguments).await;
        answer.expect("an answer").text
    }
}

async fn gated_call(executor: &ToolExecutor) -> String {
    executor.execute(Call::new("calculator", ARGUMENTS)).await.response().text
}

fn one_at_a_time(group: &mut BenchmarkGroup<'_, WallTime>, floor: &Floor, executor: &ToolExecutor) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    assert_eq!(runtime.block_on(floor.call()), "35");
    assert_eq!(runtime.block_on(gated_call(executor)), "35");
    assert_eq!(floor.call_sync(), "35");
    group.bench_function("floor/sync", |b| b.iter(|| floor.call_sync()));
    group.bench_function("floor/async", |b| b.to_async(&runtime).iter(|| floor.call()));
    group.bench_function("gated", |b| b.to_async(&runtime).iter(|| gated_call(executor)));
}

/// Sixteen calls started together; the time is that of all sixteen.
fn sixteen_at_once(
    group: &mut BenchmarkGroup<'_, WallTime>,
    runtime: &Runtime,
    floor: &Arc<Floor>,
    executor: &ToolExecutor,
) {
    group.throughput(Throughput::Elements(16));
    group.bench_function("floor/async", |b| {
        b.to_async(runtime).iter(|| async {
            let calls: Vec<_> = (0..16)
                .map(|_| {
                    let floor = Arc::clone(floor);
                    tokio::spawn(async move { floor.call().await })
                })
                .collect();
            for call in calls {
                black_box(call.await.expect("an answer"));
            }
        });
    });
    group.bench_function("gated", |b| {
        b.to_async(runtime).iter(|| async {
            let calls: Vec<_> = (0..16)
                .map(|_| {
                    let executor = executor.clone();
                    tokio::spawn(async move { gated_call(&executor).await })
                })
                .collect();
            for call in calls {
                black_box(call.await.expect("an answer"));
            }
        });
    });
}

fn call(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let (executor, allocator) = gated(&runtime);
    let floor = Arc::new(Floor::new(allocator));
    let mut group = criterion.benchmark_group("call/1");
    one_at_a_time(&mut group, &floor, &executor);
    group.finish();
    let mut group = criterion.benchmark_group("call/16");
    sixteen_at_once(&mut group, &runtime, &floor, &executor);
    group.finish();
}

criterion_group!(benches, call);
criterion_main!(benches);
