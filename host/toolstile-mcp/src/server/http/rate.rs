//! How often one peer may ask.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};

use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};

/// After so many requests, peers that were not seen lately are forgotten.
const SWEEP: u32 = 1024;

#[derive(Debug)]
pub(super) struct Rate {
    remote: DefaultKeyedRateLimiter<IpAddr>,
    local: DefaultDirectRateLimiter,
    since_sweep: AtomicU32,
}

impl Rate {
    /// So many requests in a second, and as many at once after a pause: of each peer
    /// elsewhere, and of this machine.
    pub(super) fn new(remote: NonZeroU32, local: NonZeroU32) -> Self {
        Self {
            remote: RateLimiter::keyed(Quota::per_second(remote)),
            local: RateLimiter::direct(Quota::per_second(local)),
            since_sweep: AtomicU32::new(0),
        }
    }

    /// Whether a request of this peer is one of those it may make now.
    pub(super) fn admits(&self, peer: IpAddr) -> bool {
        if peer.to_canonical().is_loopback() {
            return self.local.check().is_ok();
        }
        if self.since_sweep.fetch_add(1, Ordering::Relaxed) % SWEEP == SWEEP - 1 {
            self.remote.retain_recent();
        }
        self.remote.check_key(&peer).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted<const N: usize>(peers: [&str; N]) -> [bool; N] {
        let [remote, local] = [2, 3].map(|rate| NonZeroU32::new(rate).unwrap());
        let rate = Rate::new(remote, local);
        peers.map(|peer| rate.admits(peer.parse().unwrap()))
    }

    #[test]
    fn each_peer_has_a_budget_of_its_own() {
        let [a, b] = ["10.0.0.1", "10.0.0.2"];
        assert_eq!(admitted([a, a, a, b]), [true, true, false, true]);
    }

    #[test]
    fn this_machine_has_one_budget_and_a_larger_one() {
        let peers = ["127.0.0.1", "::1", "::ffff:127.0.0.1", "127.0.0.2", "10.0.0.1"];
        assert_eq!(admitted(peers), [true, true, true, false, true]);
    }
}
