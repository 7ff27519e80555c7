//! A whole run of an agent: 1,000 scripted calls of the bundled calculator, 1, 10 and 100
//! in one turn. Every call passes all gates and runs in an instance of its own.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tokio::runtime::Runtime;
use toolstile::Host;
use toolstile::agent::{Agent, Limits, RunStatus, ScriptedLlm, ToolCall};

const CALLS: usize = 1000;

fn script(per_turn: usize) -> ScriptedLlm {
    let turn = |script: ScriptedLlm, turn: usize| {
        let call = |index: usize| {
            let id = format!("c{turn}-{index}");
            ToolCall::new(id, "calculator", r#"{"expression": "(3 + 4) * 5"}"#)
        };
        script.calls((0..per_turn).map(call))
    };
    (0..CALLS / per_turn).fold(ScriptedLlm::new(), turn).text("done").forgetful()
}

async fn run(agent: &Agent) {
    let result = agent.run("go").await.expect("a run");
    assert_eq!((result.status, result.usage.tool_calls), (RunStatus::Answered, CALLS));
}

fn runs(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let host = Host::builder().plugin_dir("").build();
    let host = runtime.block_on(host).expect("a host");
    let mut group = criterion.benchmark_group("run of 1000 calls");
    group.sample_size(20).throughput(Throughput::Elements(CALLS as u64));
    for per_turn in [1, 10, 100] {
        group.bench_function(BenchmarkId::new("per turn", per_turn), |bencher| {
            let limits = Limits { turns: CALLS + 1, ..Limits::default() };
            let fresh = || {
                let agent = host.agent().model(script(per_turn)).limits(limits.clone());
                agent.build().expect("an agent")
            };
            bencher.to_async(&runtime).iter_batched(
                fresh,
                async |agent| run(&agent).await,
                criterion::BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, runs);
criterion_main!(benches);
