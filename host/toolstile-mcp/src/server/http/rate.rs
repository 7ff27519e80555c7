//! How often one peer may ask.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

/// After so many requests, peers that were not seen lately are forgotten.
const SWEEP: u32 = 1024;

#[derive(Debug)]
pub(super) struct Rate {
    limiter: DefaultKeyedRateLimiter<IpAddr>,
    since_sweep: AtomicU32,
}

impl Rate {
    /// So many requests in a second, and as many at once after a pause.
    pub(super) fn per_second(requests: NonZeroU32) -> Self {
        let limiter = RateLimiter::keyed(Quota::per_second(requests));
        Self { limiter, since_sweep: AtomicU32::new(0) }
    }

    /// Whether a request of this peer is one of those it may make now.
    pub(super) fn admits(&self, peer: IpAddr) -> bool {
        if self.since_sweep.fetch_add(1, Ordering::Relaxed) % SWEEP == SWEEP - 1 {
            self.limiter.retain_recent();
        }
        self.limiter.check_key(&peer).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_peer_has_a_budget_of_its_own() {
        let rate = Rate::per_second(NonZeroU32::new(2).unwrap());
        let [a, b] = ["10.0.0.1", "10.0.0.2"].map(|peer| peer.parse::<IpAddr>().unwrap());
        let admitted: Vec<bool> = [a, a, a, b].map(|peer| rate.admits(peer)).into();
        assert_eq!(admitted, [true, true, false, true]);
    }
}
