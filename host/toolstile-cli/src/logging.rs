//! Logs, on stderr: those of the host, and the lines that plugins write. And the spans
//! of runs, for those who have a collector.

use std::io;

use anstream::{AutoStream, ColorChoice};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

use crate::telemetry::Exporting;

/// Starts logging. `RUST_LOG` decides where it is set, else how often `-v` was given.
pub(crate) fn start(verbose: u8, exporting: Option<&Exporting>) {
    let colour = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| default_filter(verbose));
    let log = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        .with_ansi(colour)
        .without_time()
        .with_filter(filter);
    tracing_subscriber::registry().with(exporting.map(Exporting::layer)).with(log).init();
}

fn default_filter(verbose: u8) -> EnvFilter {
    // The commands show plugins and servers that are not used themselves, once and in
    // their own form. A server that is gone cannot end its session either.
    EnvFilter::new(match verbose {
        0 => "warn,toolstile::loader=error,toolstile_mcp::client=error,rmcp=off",
        1 => "warn,toolstile=info",
        _ => "info,toolstile=debug",
    })
}
