//! seccomp: which system calls a thread, and whatever it starts, can make.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

/// `EPERM`, the same on every architecture of Linux.
const NOT_PERMITTED: u32 = 1;

/// Numbers of system calls, from the kernel's tables.
#[cfg(target_arch = "x86_64")]
mod number {
    pub(super) const SOCKET: i64 = 41;
    pub(super) const PTRACE: i64 = 101;
    pub(super) const SETPGID: i64 = 109;
    pub(super) const SETSID: i64 = 112;
    pub(super) const PROCESS_VM_READV: i64 = 310;
    pub(super) const PROCESS_VM_WRITEV: i64 = 311;
    /// The same calls under the x32 interface.
    pub(super) const INTERFACES: [i64; 2] = [0, 0x4000_0000];
}
#[cfg(target_arch = "aarch64")]
mod number {
    pub(super) const SOCKET: i64 = 198;
    pub(super) const PTRACE: i64 = 117;
    pub(super) const SETPGID: i64 = 154;
    pub(super) const SETSID: i64 = 157;
    pub(super) const PROCESS_VM_READV: i64 = 270;
    pub(super) const PROCESS_VM_WRITEV: i64 = 271;
    pub(super) const INTERFACES: [i64; 1] = [0];
}
/// Would make system calls that no filter sees.
const IO_URING_SETUP: i64 = 425;

/// Restricts the calling thread.
pub(super) fn restrict(network: bool) -> Result<(), io::ErrorKind> {
    let filter = filter(network).map_err(|_| io::ErrorKind::Unsupported)?;
    seccompiler::apply_filter(&filter).map_err(|_| io::ErrorKind::PermissionDenied)
}

fn filter(network: bool) -> Result<BpfProgram, seccompiler::BackendError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let refuse = SeccompAction::Errno(NOT_PERMITTED);
    SeccompFilter::new(rules(network)?, SeccompAction::Allow, refuse, arch)?.try_into()
}

/// Which calls are refused: always, or under a condition.
fn rules(network: bool) -> Result<BTreeMap<i64, Vec<SeccompRule>>, seccompiler::BackendError> {
    use number::{
        INTERFACES, PROCESS_VM_READV, PROCESS_VM_WRITEV, PTRACE, SETPGID, SETSID, SOCKET,
    };
    let always = [IO_URING_SETUP, PTRACE, PROCESS_VM_READV, PROCESS_VM_WRITEV, SETSID];
    let sockets = (!network).then_some(SOCKET);
    let mut rules = BTreeMap::new();
    for interface in INTERFACES {
        for call in always.into_iter().chain(sockets) {
            rules.insert(interface + call, Vec::new());
        }
        rules.insert(interface + SETPGID, vec![not_zero(0)?, not_zero(1)?]);
    }
    Ok(rules)
}

/// A process may lead a group of its own, which is how a program is started; it may not
/// move others, nor into another group.
fn not_zero(argument: u8) -> Result<SeccompRule, seccompiler::BackendError> {
    let length = SeccompCmpArgLen::Dword;
    SeccompRule::new(vec![SeccompCondition::new(argument, length, SeccompCmpOp::Ne, 0)?])
}
