//! How long a host takes until its tools can be called, with 1, 10 and 100 plugins,
//! with an empty and with a warm compile cache; and what a plugin takes of memory.
//!
//! The plugins are the bundled calculator with a custom section that makes each file
//! different, so that each is compiled and kept on its own, as different plugins
//! would be. Their tools are named alike, so all but the first are quarantined when
//! they are registered: everything before that is done for each.

use std::path::Path;
use std::time::Duration;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use tokio::runtime::Runtime;
use toolstile::{Host, HostConfig};

/// Writes `count` different components.
fn write_plugins(directory: &Path, count: usize) {
    let calculator = toolstile_plugins::bundled().first().expect("a bundled plugin").component;
    for number in 0..count {
        let mut bytes = calculator.to_vec();
        bytes.extend(custom_section(number as u8));
        let path = directory.join(format!("plugin-{number:03}.wasm"));
        std::fs::write(path, bytes).expect("the directory is writable");
    }
}

/// A custom section (id 0) named `n` that holds one byte.
fn custom_section(content: u8) -> [u8; 5] {
    [0, 3, 1, b'n', content]
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

#[expect(clippy::print_stderr, reason = "a figure that criterion has no place for")]
fn print_memory(runtime: &Runtime, plugins: &Path, cache: &Path, count: usize) {
    let Some(before) = resident_kib() else { return };
    let host = runtime.block_on(start(plugins, cache));
    let Some(after) = resident_kib() else { return };
    let each = (after.saturating_sub(before)) as f64 / count as f64;
    eprintln!("memory: {count} plugins, {each:.0} KiB each, engine included");
    drop(host);
}

fn start_up(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let mut group = criterion.benchmark_group("start");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    for count in [1, 10, 100] {
        let plugins = tempfile::tempdir().expect("a directory");
        write_plugins(plugins.path(), count);
        let warm = tempfile::tempdir().expect("a directory");
        runtime.block_on(start(plugins.path(), warm.path()));
        // The cache writes behind the caller's back.
        std::thread::sleep(Duration::from_secs(2));
        print_memory(&runtime, plugins.path(), warm.path(), count);
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
criterion_main!(benches);
