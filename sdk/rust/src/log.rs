//! Lines for the operator's log. Always granted; lines beyond the budget of a
//! call are dropped. In native code they do nothing.

use crate::bindings::toolstile::plugin::log::{Level, write};

/// For somebody who searches for a fault.
pub fn debug(message: impl AsRef<str>) {
    line(Level::Debug, message.as_ref());
}

/// The normal course of things.
pub fn info(message: impl AsRef<str>) {
    line(Level::Info, message.as_ref());
}

/// Something unexpected that did not stop the call.
pub fn warn(message: impl AsRef<str>) {
    line(Level::Warn, message.as_ref());
}

/// Something that made the call fail.
pub fn error(message: impl AsRef<str>) {
    line(Level::Error, message.as_ref());
}

fn line(level: Level, message: &str) {
    if cfg!(target_family = "wasm") {
        write(level, message);
    }
}
