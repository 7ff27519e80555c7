//! How instances get their memory. The choice decides what a call costs more than
//! anything else here, so it is probed on the machine at hand.

use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::error::RuntimeError;
use crate::limits::{MAX_CORE_INSTANCES, MAX_MEMORIES, MAX_TABLES, to_usize};
use crate::runtime::RuntimeConfig;

/// Instances that exist at the same time, over all plugins.
pub(crate) const MAX_INSTANCES: u32 = 64;

/// Bytes of a linear memory that stay mapped between calls. A plugin's first pages
/// are touched by every call; keeping them saves the page faults.
const KEEP_RESIDENT: usize = 2 << 20;
const TABLE_KEEP_RESIDENT: usize = 64 << 10;

/// Where instances get their memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Allocator {
    /// A pool whose used pages are found by `PAGEMAP_SCAN` (Linux 6.7) and reset in
    /// place: the fastest.
    PoolPagemapScan,
    /// A pool whose pages are given back after each call. Keeping them without the
    /// scan would reset pages that were never touched, which is slower than this.
    Pool,
    /// Mapped for each instance: slower, but it works where address space is short.
    OnDemand,
}

impl std::fmt::Display for Allocator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::PoolPagemapScan => "pool, used pages found by a scan",
            Self::Pool => "pool",
            Self::OnDemand => "memory on demand",
        })
    }
}

impl Allocator {
    /// From the fastest to the one that works everywhere.
    const CANDIDATES: [Self; 3] = [Self::PoolPagemapScan, Self::Pool, Self::OnDemand];

    fn apply(self, config: &mut Config, runtime: &RuntimeConfig) {
        let scan = match self {
            Self::OnDemand => {
                config.allocation_strategy(InstanceAllocationStrategy::OnDemand);
                return;
            }
            Self::Pool => false,
            Self::PoolPagemapScan => true,
        };
        let mut pool = pool_of(runtime);
        if scan {
            pool.pagemap_scan(Enabled::Yes);
            pool.linear_memory_keep_resident(KEEP_RESIDENT);
            pool.table_keep_resident(TABLE_KEEP_RESIDENT);
        }
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    }
}

/// Slots for [`MAX_INSTANCES`] plugins; their sizes follow the largest limits that
/// any plugin was given.
fn pool_of(runtime: &RuntimeConfig) -> PoolingAllocationConfig {
    let mut pool = PoolingAllocationConfig::default();
    let per_instance = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    pool.total_component_instances(MAX_INSTANCES)
        // Most components have three or four core instances and one memory.
        .total_core_instances(MAX_INSTANCES * 16)
        .total_memories(MAX_INSTANCES * 2)
        .total_tables(MAX_INSTANCES * 8)
        .total_stacks(MAX_INSTANCES * 2)
        .max_core_instances_per_component(per_instance(MAX_CORE_INSTANCES))
        .max_memories_per_component(per_instance(MAX_MEMORIES))
        .max_tables_per_component(per_instance(MAX_TABLES))
        .max_memory_size(to_usize(runtime.largest.memory_bytes))
        .table_elements(to_usize(runtime.largest.table_elements))
        .max_unused_warm_slots(MAX_INSTANCES);
    pool
}

/// The engine with the best allocator that this machine has.
pub(crate) fn probe(
    config: &Config,
    runtime: &RuntimeConfig,
) -> Result<(Engine, Allocator), RuntimeError> {
    let candidates: &[Allocator] = match runtime.pooling {
        true => &Allocator::CANDIDATES,
        false => &[Allocator::OnDemand],
    };
    let mut reasons = Vec::new();
    for allocator in candidates {
        let mut config = config.clone();
        allocator.apply(&mut config, runtime);
        match Engine::new(&config) {
            Ok(engine) => return Ok((engine, *allocator)),
            Err(error) => reasons.push(format!("{allocator:?}: {error:#}")),
        }
    }
    Err(RuntimeError::Engine(reasons.join("; ")))
}
