//! When a call must have ended. The clock stands still while a person or a model is asked.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// The deadline of one call. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Deadline(Arc<watch::Sender<Clock>>);

#[derive(Clone, Copy, Debug)]
enum Clock {
    Runs(Instant),
    Stands(Duration),
}

/// The clock stands still until this is dropped.
#[derive(Debug)]
pub(crate) struct Standing(Deadline);

impl Deadline {
    pub(crate) fn after(limit: Duration) -> Self {
        Self(Arc::new(watch::Sender::new(Clock::Runs(Instant::now() + limit))))
    }

    /// Stops the clock.
    pub(crate) fn stop(&self) -> Standing {
        self.0.send_modify(|clock| {
            if let Clock::Runs(end) = *clock {
                *clock = Clock::Stands(end.saturating_duration_since(Instant::now()));
            }
        });
        Standing(self.clone())
    }

    /// Waits until it has passed.
    pub(crate) async fn passed(&self) {
        let mut changes = self.0.subscribe();
        loop {
            let clock = *changes.borrow_and_update();
            let changed = changes.changed();
            match clock {
                Clock::Runs(end) => tokio::select! {
                    () = tokio::time::sleep_until(end) => return,
                    _ = changed => {}
                },
                Clock::Stands(_) => drop(changed.await),
            }
        }
    }
}

impl Drop for Standing {
    fn drop(&mut self) {
        self.0.0.send_modify(|clock| {
            if let Clock::Stands(left) = *clock {
                *clock = Clock::Runs(Instant::now() + left);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::timeout;

    #[tokio::test]
    async fn a_clock_that_stands_does_not_pass_and_goes_on_after() {
        let deadline = Deadline::after(Duration::from_millis(20));
        let standing = deadline.stop();
        let waited = timeout(Duration::from_millis(100), deadline.passed()).await;
        assert!(waited.is_err(), "it passed while the clock stood still");
        drop(standing);
        deadline.passed().await;
    }
}
