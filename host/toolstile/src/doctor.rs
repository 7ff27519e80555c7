//! What this machine and this configuration give: the engine, the sandbox of
//! programs, directories, programs, secrets.

use serde::Serialize;
use toolstile_shell::{Shell, sandbox_support};

use crate::config::HostConfig;
use crate::config_grants::ShellGrant;
use crate::grants::{Means, grants_of, shell_config};
use crate::inspect::inspect_runtime;
use crate::secrets::Secrets;
use crate::texts::PromptPack;

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was looked at.
    pub subject: String,
    /// How it is.
    pub health: Health,
    /// What was found.
    pub finding: String,
}

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// As it should be.
    Good,
    /// It works, with less than there could be.
    Fair,
    /// It does not work.
    Bad,
}

impl Check {
    fn new(subject: impl Into<String>, health: Health, finding: impl Into<String>) -> Self {
        Self { subject: subject.into(), health, finding: finding.into() }
    }

    fn of(subject: impl Into<String>, result: Result<String, String>) -> Self {
        match result {
            Ok(finding) => Self::new(subject, Health::Good, finding),
            Err(error) => Self::new(subject, Health::Bad, error),
        }
    }
}

/// Looks at everything that a host with this configuration would use, without loading
/// a plugin. Directories of notes that are missing are made.
#[must_use]
pub fn doctor(config: &HostConfig) -> Vec<Check> {
    let secrets = Secrets::read(config);
    let mut checks = vec![engine(config), plugin_directory(config)];
    checks.extend(sandbox());
    checks.extend(config.secrets.keys().map(|name| secret(name, &secrets)));
    let (pack, texts) = match PromptPack::read(config) {
        Ok(pack) => (pack, None),
        Err(error) => (PromptPack::default(), Some(Check::new("texts", Health::Bad, error))),
    };
    checks.extend(texts);
    let means = Means { secrets, pack };
    for plugin in config.plugin.keys() {
        checks.extend(grants(plugin, config, &means));
    }
    checks
}

fn engine(config: &HostConfig) -> Check {
    let report = inspect_runtime(config).map_err(|error| error.to_string());
    let described = report.map(|report| {
        let cache = report.cache_dir.map_or("not kept".to_owned(), |dir| dir.display().to_string());
        format!("wasmtime {}, {}, compiled code: {cache}", report.wasmtime, report.allocator)
    });
    Check::of("engine", described)
}

fn plugin_directory(config: &HostConfig) -> Check {
    let directory = config.resolve(&config.plugins.dir);
    let subject = "plugin directory";
    match (
        config.plugins.dir.as_os_str().is_empty(),
        toolstile_wasm::read_directory(&directory, |_| 0),
    ) {
        (true, _) => Check::new(subject, Health::Good, "none is read"),
        (_, Ok(entries)) => {
            let found = format!("`{}`, {} component files", directory.display(), entries.len());
            Check::new(subject, Health::Good, found)
        }
        (_, Err(error)) => Check::new(subject, Health::Bad, error.to_string()),
    }
}

/// The second wall around programs: what their arguments cannot show.
fn sandbox() -> [Check; 2] {
    let support = sandbox_support();
    let check = |subject, there, yes: &str, no: &str| match there {
        true => Check::new(subject, Health::Good, yes),
        false => Check::new(subject, Health::Fair, no),
    };
    [
        check(
            "sandbox of files",
            support.files(),
            "Landlock keeps programs inside their granted directories",
            "this kernel has no Landlock: programs run with the host's own rights, and commands \
             that files could turn into others need a confirmation",
        ),
        check(
            "sandbox of the network",
            support.network(),
            "seccomp keeps programs from opening sockets",
            "this system has no seccomp: programs can open connections",
        ),
    ]
}

fn secret(name: &str, secrets: &Secrets) -> Check {
    let subject = format!("secret `{name}`");
    match secrets.missing.get(name) {
        None => Check::new(subject, Health::Good, "set"),
        Some(reason) => Check::new(subject, Health::Fair, format!("not set: {reason}")),
    }
}

fn grants(plugin: &str, config: &HostConfig, means: &Means) -> Vec<Check> {
    let settings = config.settings(plugin);
    let mut checks = Vec::new();
    if settings.grants != Default::default() {
        let granted = grants_of(plugin, config, means).map(|grants| {
            let names: Vec<_> = grants.capabilities().iter().map(ToString::to_string).collect();
            names.join(", ")
        });
        checks.push(Check::of(format!("grants of `{plugin}`"), granted));
    }
    checks.extend(settings.grants.shell.iter().flat_map(|grant| programs(plugin, grant, config)));
    checks
}

/// Programs that are listed: where they were found, and whether a policy knows them.
fn programs(plugin: &str, grant: &ShellGrant, config: &HostConfig) -> Vec<Check> {
    let shell = shell_config(grant, config).and_then(|c| Shell::new(c).map_err(|e| e.to_string()));
    let Ok(shell) = shell else { return Vec::new() };
    let describe = |program: toolstile_shell::ProgramReport| {
        let subject = format!("program `{}` of `{plugin}`", program.name);
        match (program.path, program.profile) {
            (None, _) => Check::new(subject, Health::Bad, "not found"),
            (Some(path), true) => Check::new(subject, Health::Good, path.display().to_string()),
            (Some(path), false) => {
                let found = format!(
                    "{}, without an argument policy: every call is asked about",
                    path.display()
                );
                Check::new(subject, Health::Fair, found)
            }
        }
    };
    shell.report().programs.into_iter().map(describe).collect()
}
