//! How far a long call has come. Always granted; reports beyond the budget of a
//! call are dropped. In native code they do nothing.

use crate::bindings::toolstile::plugin::progress;

/// Reports progress. `done` and `total` share a unit of the tool's choice;
/// `done` does not decrease within a call.
pub fn report(done: f64, total: Option<f64>, message: Option<&str>) {
    if cfg!(target_family = "wasm") {
        progress::report(done, total, message);
    }
}
