//! Landlock: which files a thread, and whatever it starts, can reach
//! (<https://docs.kernel.org/userspace-api/landlock.html>).

use std::io;
use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath,
    PathFd, Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError,
    RulesetStatus, Scope,
};

use super::Sandbox;

/// The newest version whose rights are asked for; a kernel with fewer gives fewer.
const VERSION: ABI = ABI::V6;

/// What programs are made of.
const SYSTEM: [&str; 11] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/run/current-system",
];
/// What programs look at of themselves and of their machine. Processes outside of the
/// sandbox keep their memory and their environment to themselves.
const KERNEL: [&str; 2] = ["/proc", "/sys/devices/system/cpu"];
/// Devices that are no way out.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Restricts the calling thread. `false` when the kernel has no Landlock.
pub(super) fn restrict(
    sandbox: &Sandbox,
    program: &Path,
    directory: &Path,
) -> Result<bool, io::ErrorKind> {
    let status = rules(sandbox, program, directory).and_then(RulesetCreated::restrict_self);
    let status = status.map_err(|_| io::ErrorKind::PermissionDenied)?;
    Ok(status.ruleset != RulesetStatus::NotEnforced)
}

fn rules(
    sandbox: &Sandbox,
    program: &Path,
    directory: &Path,
) -> Result<RulesetCreated, RulesetError> {
    let (all, run) = (AccessFs::from_all(VERSION), AccessFs::from_read(VERSION));
    // Nothing in a directory that is only read may be run: what lies there is data.
    let read = run & !AccessFs::Execute;
    let device = AccessFs::ReadFile | AccessFs::WriteFile;
    let mut rules = ruleset(sandbox.network)?;
    rules = add(rules, SYSTEM.map(Path::new), run)?;
    rules = add(rules, KERNEL.map(Path::new), read)?;
    rules = add(rules, DEVICES.map(Path::new), device)?;
    rules = add(rules, [program], AccessFs::Execute | AccessFs::ReadFile)?;
    rules = add(rules, [directory], read)?;
    rules = add(rules, sandbox.read.iter().map(AsRef::as_ref), read)?;
    add(rules, sandbox.write.iter().map(AsRef::as_ref), all)
}

fn ruleset(network: bool) -> Result<RulesetCreated, RulesetError> {
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(VERSION))?
        .scope(Scope::from_all(VERSION))?;
    if !network {
        rules = rules.handle_access(AccessNet::from_all(VERSION))?;
    }
    rules.create()
}

/// Paths that do not exist give nothing.
fn add<'a>(
    mut rules: RulesetCreated,
    paths: impl IntoIterator<Item = &'a Path>,
    rights: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    for path in paths {
        let Ok(file) = PathFd::new(path) else { continue };
        let rights = match path.is_dir() {
            true => rights,
            false => rights & AccessFs::from_file(VERSION),
        };
        rules = rules.add_rule(PathBeneath::new(file, rights))?;
    }
    Ok(rules)
}
