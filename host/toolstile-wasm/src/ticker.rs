//! The thread that advances the engine's epoch, so that no guest holds a thread
//! longer than one tick.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

use wasmtime::{Engine, EngineWeak};

/// The time between two ticks: the longest that a guest runs before it yields.
pub(crate) const TICK: Duration = Duration::from_millis(10);

/// Ticks without a call after which the thread sleeps until the next one.
const IDLE_TICKS: u32 = 50;

/// Advances the epoch while calls run. The thread ends with the engine.
#[derive(Debug)]
pub(crate) struct Ticker {
    shared: Arc<Shared>,
    thread: Thread,
}

#[derive(Debug, Default)]
struct Shared {
    running: AtomicUsize,
    asleep: AtomicBool,
    ended: AtomicBool,
}

/// A call is running; dropped when it ends.
#[derive(Debug)]
pub(crate) struct Running<'a>(&'a Shared);

impl Ticker {
    pub(crate) fn start(engine: &Engine) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let (engine, for_thread) = (engine.weak(), Arc::clone(&shared));
        let handle = thread::Builder::new()
            .name("toolstile-ticker".into())
            .spawn(move || for_thread.tick(&engine))?;
        Ok(Self { shared, thread: handle.thread().clone() })
    }

    /// Keeps the ticks coming until the guard is dropped.
    pub(crate) fn run(&self) -> Running<'_> {
        self.shared.running.fetch_add(1, Ordering::SeqCst);
        if self.shared.asleep.load(Ordering::SeqCst) {
            self.thread.unpark();
        }
        Running(&self.shared)
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        self.thread.unpark();
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Shared {
    fn tick(&self, engine: &EngineWeak) {
        let mut idle = 0;
        while !self.ended.load(Ordering::SeqCst) {
            idle = if self.running.load(Ordering::SeqCst) == 0 { idle + 1 } else { 0 };
            match idle > IDLE_TICKS {
                true => self.sleep(),
                false => thread::sleep(TICK),
            }
            match engine.upgrade() {
                Some(engine) => engine.increment_epoch(),
                None => return,
            }
        }
    }

    /// Sleeps until a call comes. `asleep` is set before `running` is read, and
    /// [`Ticker::run`] does it the other way round, so that one of them sees the
    /// other and no call is left without ticks.
    fn sleep(&self) {
        self.asleep.store(true, Ordering::SeqCst);
        while self.running.load(Ordering::SeqCst) == 0 && !self.ended.load(Ordering::SeqCst) {
            thread::park();
        }
        self.asleep.store(false, Ordering::SeqCst);
    }
}
