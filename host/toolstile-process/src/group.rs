//! Ending everything that a run started.

use rustix::process::{Pid, Signal, kill_process_group};

/// The variable that every process of a run carries in its environment.
pub(crate) const MARKER: &str = "TOOLSTILE_RUN";

/// The processes of one run. Ends them when it is dropped.
#[derive(Debug)]
pub(crate) struct Group {
    leader: Option<Pid>,
    /// `NAME=value` of the marker.
    marker: String,
}

impl Group {
    /// `leader` is the first process, which leads a group of its own.
    pub(crate) fn new(leader: Option<u32>, marker: &str) -> Self {
        let leader = leader.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        Self { leader, marker: format!("{MARKER}={marker}") }
    }

    /// Ends all of them. The group goes first; then those that left it.
    pub(crate) fn end(&self) {
        if let Some(leader) = self.leader {
            // An error means that nobody is left in it.
            let _ = kill_process_group(leader, Signal::KILL);
        }
        strays::end(&self.marker);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(target_os = "linux")]
mod strays {
    //! Processes that left the group, found by their environment.

    use std::fs;

    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    /// A process may start others while it is looked for.
    const SWEEPS: usize = 20;

    pub(super) fn end(marker: &str) {
        for _ in 0..SWEEPS {
            let found = processes().filter(|pid| end_if_marked(*pid, marker)).count();
            if found == 0 {
                return;
            }
        }
    }

    fn processes() -> impl Iterator<Item = i32> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
    }

    /// The process is held by a descriptor before it is looked at, so that its number
    /// cannot come to mean another one.
    fn end_if_marked(pid: i32, marker: &str) -> bool {
        if !is_marked(pid, marker) {
            return false;
        }
        let held = Pid::from_raw(pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        let Some(process) = held.filter(|_| is_marked(pid, marker)) else { return false };
        pidfd_send_signal(&process, Signal::KILL).is_ok()
    }

    fn is_marked(pid: i32, marker: &str) -> bool {
        // A zombie has no environment any more, and those of other users are not ours.
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == marker.as_bytes())
    }
}

#[cfg(not(target_os = "linux"))]
mod strays {
    //! Without `/proc` the group is all that can be found.

    pub(super) fn end(_marker: &str) {}
}
