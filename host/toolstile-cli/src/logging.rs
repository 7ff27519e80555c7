//! Logs, on stderr: those of the host, and the lines that plugins write.

use std::io;

use anstream::{AutoStream, ColorChoice};
use tracing_subscriber::EnvFilter;

/// Starts logging. `RUST_LOG` decides where it is set, else how often `-v` was given.
pub(crate) fn start(verbose: u8) {
    let colour = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
    tracing_subscriber::fmt()
        .with_env_filter(
            EnvFilter::try_from_default_env().unwrap_or_else(|_| default_filter(verbose)),
        )
        .with_writer(io::stderr)
        .with_ansi(colour)
        .without_time()
        .init();
}

fn default_filter(verbose: u8) -> EnvFilter {
    // The commands show quarantined plugins themselves, once and in their own form.
    EnvFilter::new(match verbose {
        0 => "warn,toolstile::loader=error",
        1 => "warn,toolstile=info",
        _ => "info,toolstile=debug",
    })
}
