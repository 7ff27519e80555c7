//! What a component says about itself in its type: the contract that it was built
//! against and the interfaces that it imports. Read before anything of it runs.

use std::collections::BTreeSet;

use serde::Serialize;
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::capabilities::Capability;
use crate::error::LoadError;

/// The version of the contract (`wit/`) that this host speaks.
pub const CONTRACT_VERSION: &str = "0.1.0";

/// The WASI 0.2 interfaces that are linked, with nothing behind them.
const WASI: [&str; 27] = [
    "wasi:cli/environment",
    "wasi:cli/exit",
    "wasi:cli/stderr",
    "wasi:cli/stdin",
    "wasi:cli/stdout",
    "wasi:cli/terminal-input",
    "wasi:cli/terminal-output",
    "wasi:cli/terminal-stderr",
    "wasi:cli/terminal-stdin",
    "wasi:cli/terminal-stdout",
    "wasi:clocks/monotonic-clock",
    "wasi:clocks/wall-clock",
    "wasi:filesystem/preopens",
    "wasi:filesystem/types",
    "wasi:io/error",
    "wasi:io/poll",
    "wasi:io/streams",
    "wasi:random/insecure",
    "wasi:random/insecure-seed",
    "wasi:random/random",
    "wasi:sockets/instance-network",
    "wasi:sockets/ip-name-lookup",
    "wasi:sockets/network",
    "wasi:sockets/tcp",
    "wasi:sockets/tcp-create-socket",
    "wasi:sockets/udp",
    "wasi:sockets/udp-create-socket",
];

/// One interface that a component imports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Import {
    /// The interface, for example `toolstile:plugin/log@0.1.0`.
    pub interface: String,
    /// The capability that it belongs to; absent for mere types.
    pub capability: Option<&'static str>,
}

/// What the type of a component says.
pub(crate) struct Contract {
    /// The version of the `tool` interface that the component exports.
    pub(crate) version: String,
    pub(crate) imports: Vec<Import>,
    pub(crate) asked: BTreeSet<Capability>,
}

/// Reads the type of a component and refuses every import that is not known by
/// name. Linking alone would not do: an instance without functions links silently.
pub(crate) fn read(component: &Component, engine: &Engine) -> Result<Contract, LoadError> {
    let kind = component.component_type();
    let mut imports = Vec::new();
    let mut asked = BTreeSet::new();
    for (name, _) in kind.imports(engine) {
        let capability = classify(name)?;
        asked.extend(capability);
        let capability = capability.map(Capability::as_str);
        imports.push(Import { interface: name.to_owned(), capability });
    }
    imports.sort_by(|a, b| a.interface.cmp(&b.interface));
    let exports: Vec<String> = kind.exports(engine).map(|(name, _)| name.to_owned()).collect();
    Ok(Contract { version: version_of(&exports)?, imports, asked })
}

fn classify(import: &str) -> Result<Option<Capability>, LoadError> {
    let (name, version) = import.split_once('@').unwrap_or((import, ""));
    let unknown = || LoadError::UnknownImport { interface: import.to_owned() };
    if let Some(interface) = name.strip_prefix("toolstile:plugin/") {
        check_version(version)?;
        return ours(interface).ok_or_else(unknown);
    }
    match WASI.contains(&name) && version.starts_with("0.2.") {
        true => Ok(Some(Capability::Wasi)),
        false => Err(unknown()),
    }
}

/// The capability of one of our interfaces: `Some(None)` for mere types.
fn ours(interface: &str) -> Option<Option<Capability>> {
    let capability = match interface {
        "types" => None,
        "log" => Some(Capability::Log),
        "progress" => Some(Capability::Progress),
        "settings" => Some(Capability::Settings),
        "notes" => Some(Capability::Notes),
        "shell" => Some(Capability::Shell),
        "http" => Some(Capability::Http),
        "exposure" => Some(Capability::Exposure),
        "client" => Some(Capability::Client),
        _ => return None,
    };
    Some(capability)
}

/// The version to speak with a component: one that this host knows, where it exports
/// several.
fn version_of(exports: &[String]) -> Result<String, LoadError> {
    let prefix = "toolstile:plugin/tool@";
    let mut versions = exports.iter().filter_map(|name| name.strip_prefix(prefix));
    let first = versions.next().ok_or_else(|| LoadError::NoContract {
        exports: exports.iter().take(8).cloned().collect(),
    })?;
    let known = versions.find(|version| check_version(version).is_ok());
    let version = if check_version(first).is_ok() { first } else { known.unwrap_or(first) };
    check_version(version)?;
    Ok(version.to_owned())
}

/// `0.1.x` is one compatible track.
fn check_version(version: &str) -> Result<(), LoadError> {
    match version.strip_prefix("0.1.").is_some_and(|patch| patch.parse::<u32>().is_ok()) {
        true => Ok(()),
        false => Err(LoadError::UnsupportedContract { found: version.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_version_is_chosen_among_several() {
        let exports = |versions: &[&str]| -> Vec<String> {
            versions.iter().map(|v| format!("toolstile:plugin/tool@{v}")).collect()
        };
        assert_eq!(version_of(&exports(&["0.1.2"])).unwrap(), "0.1.2");
        assert_eq!(version_of(&exports(&["0.1.0", "0.2.0"])).unwrap(), "0.1.0");
        assert_eq!(version_of(&exports(&["0.2.0", "0.1.0"])).unwrap(), "0.1.0");
        let error = version_of(&exports(&["0.2.0"])).unwrap_err();
        assert!(matches!(error, LoadError::UnsupportedContract { found } if found == "0.2.0"));
        assert!(matches!(version_of(&[]), Err(LoadError::NoContract { .. })));
    }

    #[test]
    fn imports_are_known_by_name_and_version() {
        assert_eq!(classify("toolstile:plugin/notes@0.1.3").unwrap(), Some(Capability::Notes));
        assert_eq!(classify("toolstile:plugin/types@0.1.0").unwrap(), None);
        assert_eq!(classify("wasi:cli/environment@0.2.9").unwrap(), Some(Capability::Wasi));
        for unknown in [
            "evil:iface/x",
            "wasi:http/outgoing-handler@0.2.0",
            "wasi:sockets/raw@0.2.0",
            "wasi:cli/environment@0.3.0",
            "toolstile:plugin/root@0.1.0",
            "log",
        ] {
            assert!(matches!(classify(unknown), Err(LoadError::UnknownImport { .. })), "{unknown}");
        }
        for version in ["toolstile:plugin/log@0.2.0", "toolstile:plugin/log"] {
            let error = classify(version).unwrap_err();
            assert!(matches!(error, LoadError::UnsupportedContract { .. }), "{error}");
        }
    }
}
