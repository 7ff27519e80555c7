//! WASI 0.2 with nothing behind it, for the runtimes of languages that expect it:
//! no environment, no files, no network, no input. What a guest prints goes into
//! the log, within its budget.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use crate::bindings::log::Level;
use crate::interfaces::log::{shown, write_line};
use crate::state::PluginState;

/// Resources (streams, pollables) that a call may hold at the same time.
const MAX_RESOURCES: usize = 256;

/// Bytes of printed text that are kept.
const MAX_PRINTED: usize = 16 * 1024;

/// Random bytes that one call of the guest can ask for.
const MAX_RANDOM: u64 = 64 * 1024;

/// Made when a guest first calls WASI: most plugins never do.
#[derive(Default)]
pub(crate) struct WasiState {
    inner: Option<(WasiCtx, ResourceTable)>,
    printed: Printed,
}

impl std::fmt::Debug for WasiState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WasiState").field("used", &self.inner.is_some()).finish_non_exhaustive()
    }
}

impl WasiState {
    /// Moves what was printed into the log.
    pub(crate) fn finish(&self, state: &mut super::LogBudget, plugin: &str) {
        let printed = self.printed.0.lock().unwrap_or_else(PoisonError::into_inner);
        for line in String::from_utf8_lossy(&printed).lines() {
            if let Some(line) = state.take(line) {
                write_line(plugin, Level::Debug, &shown(line));
            }
        }
    }
}

impl WasiView for PluginState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let WasiState { inner, printed } = &mut self.wasi;
        let (ctx, table) = inner.get_or_insert_with(|| {
            let mut builder = WasiCtxBuilder::new();
            builder.max_random_size(MAX_RANDOM).stdout(printed.clone()).stderr(printed.clone());
            builder.allow_tcp(false).allow_udp(false).allow_ip_name_lookup(false);
            let mut table = ResourceTable::new();
            table.set_max_capacity(MAX_RESOURCES);
            (builder.build(), table)
        });
        WasiCtxView { ctx, table }
    }
}

/// A place for printed text that keeps the beginning and swallows the rest.
#[derive(Clone, Default)]
struct Printed(Arc<Mutex<Vec<u8>>>);

impl IsTerminal for Printed {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Printed {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }
}

impl AsyncWrite for Printed {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MAX_PRINTED.saturating_sub(kept.len());
        kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
