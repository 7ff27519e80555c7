//! The host interfaces, one file each: what happens when a guest calls an import.

mod denied;
mod log;
mod progress;
mod wasi;

pub(crate) use log::LogBudget;
pub(crate) use progress::Progress;
pub(crate) use wasi::WasiState;
