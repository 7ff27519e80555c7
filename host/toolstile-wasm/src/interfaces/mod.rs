//! The host interfaces, one file each: what happens when a guest calls an import.

mod client;
mod denied;
mod exposure;
mod http;
mod log;
mod notes;
mod progress;
mod settings;
mod shell;
mod wasi;

pub(crate) use log::LogBudget;
pub(crate) use progress::Progress;
pub(crate) use wasi::WasiState;
