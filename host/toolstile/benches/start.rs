//! How long a host takes until its tools can be called, with 1, 10 and 100 plugins,
//! with an empty and with a warm compile cache; and what a plugin takes of memory.
//!
//! The plugins are the bundled calculator with the name of its tool changed, so that
//! each is a component of its own with a tool of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use criterion::{BatchSize, Criterion, criterion_group};
use tokio::runtime::Runtime;
use toolstile::{Host, HostConfig};

/// Writes `count` different components.
fn write_plugins(directory: &Path, count: usize) {
    let calculator = toolstile_plugins::bundled().first().expect("a bundled plugin").component;
    for number in 0..count {
        let path = directory.join(format!("plugin-{number:03}.wasm"));
        std::fs::write(path, renamed(calculator, number)).expect("the directory is writable");
    }
}

/// The calculator under a name of the same length.
fn renamed(calculator: &[u8], number: usize) -> Vec<u8> {
    let (old, new) = (b"calculator", format!("calc{number:06}"));
    let mut bytes = calculator.to_vec();
    let places = calculator.windows(old.len()).enumerate().filter(|(_, part)| part == old);
    for (at, _) in places {
        bytes[at..at + old.len()].copy_from_slice(new.as_bytes());
    }
    bytes
}

async fn start(plugins: &Path, cache: &Path) -> Host {
    let mut config = HostConfig::default();
    config.plugins.bundled = false;
    config.plugins.dir = plugins.to_owned();
    config.runtime.cache_dir = Some(cache.to_owned());
    Host::builder().config(config).build().await.expect("a host")
}

/// Resident memory of this process in KiB (Linux).
fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// What this process was started for: to load the plugins of a directory from a cache
/// and to say what they took. A process of its own has no memory of other work.
#[expect(clippy::print_stdout, reason = "a figure that criterion has no place for")]
fn print_memory(runtime: &Runtime, plugins: &Path, cache: &Path) {
    let empty = tempfile::tempdir().expect("a directory");
    let engine = runtime.block_on(start(empty.path(), cache));
    let before = resident_kib();
    let host = runtime.block_on(start(plugins, cache));
    let (Some(before), Some(after)) = (before, resident_kib()) else { return };
    let loaded = host.plugins().len();
    println!("memory: {loaded} plugins, {} KiB each", (after - before) / loaded.max(1) as u64);
    drop(engine);
}

fn measure_memory(plugins: &Path, cache: &Path) {
    let program = std::env::current_exe().expect("this program has a path");
    let child = Command::new(program).env(MEMORY, plugins).env(MEMORY_CACHE, cache).status();
    assert!(child.is_ok_and(|status| status.success()));
}

const MEMORY: &str = "TOOLSTILE_BENCH_MEMORY_OF";
const MEMORY_CACHE: &str = "TOOLSTILE_BENCH_CACHE";

fn start_up(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let mut group = criterion.benchmark_group("start");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    for count in [1, 10, 100] {
        let plugins = tempfile::tempdir().expect("a directory");
        write_plugins(plugins.path(), count);
        let warm = tempfile::tempdir().expect("a directory");
        let host = runtime.block_on(start(plugins.path(), warm.path()));
        assert_eq!(host.plugins().len(), count, "{:?}", host.quarantined().first());
        drop(host);
        // The cache writes behind the caller's back.
        std::thread::sleep(Duration::from_secs(2));
        measure_memory(plugins.path(), warm.path());
        group.bench_function(format!("warm/{count}"), |b| {
            b.to_async(&runtime).iter(|| start(plugins.path(), warm.path()));
        });
        if count > 10 {
            continue;
        }
        group.bench_function(format!("cold/{count}"), |b| {
            let empty = || tempfile::tempdir().expect("a directory");
            b.to_async(&runtime).iter_batched(
                empty,
                async |cache| start(plugins.path(), cache.path()).await,
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, start_up);

fn main() {
    let given = |name| std::env::var_os(name).map(PathBuf::from);
    if let (Some(plugins), Some(cache)) = (given(MEMORY), given(MEMORY_CACHE)) {
        return print_memory(&Runtime::new().expect("a runtime"), &plugins, &cache);
    }
    benches();
    Criterion::default().configure_from_args().final_summary();
}
