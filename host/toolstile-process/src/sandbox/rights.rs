//! Capabilities (capabilities(7)): what root may do beyond everybody else, looking into
//! other processes among it. A program that root starts gets them from the bounding set,
//! so the set is emptied before.

use caps::CapSet;

/// Takes every capability away from whatever the calling thread will start. A thread
/// without the right to do so has none to give.
pub(super) fn give_up() {
    for capability in caps::all() {
        // Unknown to this kernel, or not ours to drop: then nobody gets it from here.
        let _ = caps::drop(None, CapSet::Bounding, capability);
    }
    for set in [CapSet::Ambient, CapSet::Inheritable] {
        let _ = caps::clear(None, set);
    }
}

#[cfg(test)]
mod tests {
    use caps::Capability;

    use super::*;

    /// Whether a program that is started now by root would have it.
    fn would_give(capability: Capability) -> bool {
        caps::has_cap(None, CapSet::Bounding, capability).unwrap_or(false)
    }

    #[test]
    fn only_the_calling_thread_gives_up_its_rights() {
        let before = would_give(Capability::CAP_SYS_ADMIN);
        let privileged = caps::has_cap(None, CapSet::Effective, Capability::CAP_SETPCAP).unwrap();
        let left = std::thread::spawn(|| {
            give_up();
            would_give(Capability::CAP_SYS_ADMIN)
        });
        assert_eq!(left.join().unwrap(), before && !privileged);
        assert_eq!(would_give(Capability::CAP_SYS_ADMIN), before);
    }
}
