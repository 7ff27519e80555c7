//! From the grants of the configuration to what a plugin is handed: directories are
//! opened, programs found, hosts parsed. Whatever is wrong keeps the one plugin from
//! being loaded.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use toolstile_core::Offered;
use toolstile_http::{Credential, Grant, Http, HttpConfig, HttpLimits, Place, SecretValue};
use toolstile_notes::{Access, Notes, NotesConfig, Quotas};
use toolstile_shell::{Shell, ShellConfig};
use toolstile_wasm::Grants;

use crate::config::HostConfig;
use crate::config_grants::{
    ClientGrant, HttpCredential, HttpGrant, HttpTarget, NotesAccess, NotesGrant, ShellGrant,
};
use crate::secrets::Secrets;
use crate::texts::PromptPack;

/// Methods of a target that names none.
const READING: [&str; 2] = ["GET", "HEAD"];

/// What all plugins are granted from: the configuration, and what was read for it.
#[derive(Debug, Default)]
pub(crate) struct Means {
    pub(crate) secrets: Secrets,
    pub(crate) pack: PromptPack,
}

/// What a plugin is granted.
pub(crate) fn grants_of(
    plugin: &str,
    config: &HostConfig,
    means: &Means,
) -> Result<Grants, String> {
    let settings = config.settings(plugin);
    let grants = settings.grants;
    let named = |grant: &'static str| {
        move |error: String| format!("`[plugin.{plugin}.grants.{grant}]`: {error}")
    };
    Ok(Grants {
        notes: grants.notes.map(|g| notes(&g, config)).transpose().map_err(named("notes"))?,
        shell: grants.shell.map(|g| shell(&g, config)).transpose().map_err(named("shell"))?,
        http: grants.http.map(|g| http(&g, &means.secrets)).transpose().map_err(named("http"))?,
        exposure: grants.exposure.map(|g| g.tools).unwrap_or_default(),
        client: grants.client.map(client).unwrap_or_default(),
        settings: settings.settings,
        wording: means.pack.wording(plugin),
    })
}

fn client(grant: ClientGrant) -> Offered {
    Offered { elicit: grant.elicit, sample: grant.sample, roots: grant.roots }
}

fn notes(grant: &NotesGrant, config: &HostConfig) -> Result<Arc<Notes>, String> {
    let default = Quotas::default();
    let quotas = Quotas {
        max_file_bytes: grant.max_file_bytes.unwrap_or(default.max_file_bytes),
        max_total_bytes: grant.max_total_bytes.unwrap_or(default.max_total_bytes),
        max_files: grant.max_files.unwrap_or(default.max_files),
    };
    let access = match grant.access {
        NotesAccess::Read => Access::Read,
        NotesAccess::ReadAppend => Access::ReadAppend,
    };
    let directory = config.resolve(&grant.dir);
    let notes = Notes::open(NotesConfig { directory, access, quotas });
    notes.map(Arc::new).map_err(|error| error.to_string())
}

/// The settings of a shell grant, with the files of its policies read.
pub(crate) fn shell_config(grant: &ShellGrant, config: &HostConfig) -> Result<ShellConfig, String> {
    let mut shell = ShellConfig::new(config.resolve(&grant.dir), grant.programs.clone());
    for file in &grant.profiles {
        let path = config.resolve(file);
        let text = fs::read_to_string(&path)
            .map_err(|error| format!("`{}` cannot be read: {error}", path.display()))?;
        shell.profiles.push((file.display().to_string(), text));
    }
    shell.path = grant.path.clone().unwrap_or(shell.path);
    shell.read = grant.read.iter().map(|directory| config.resolve(directory)).collect();
    shell.timeout = grant.timeout_ms.map_or(shell.timeout, Duration::from_millis);
    shell.max_output_bytes = grant.max_output_bytes.unwrap_or(shell.max_output_bytes);
    shell.writable = grant.writable;
    shell.network = grant.network;
    Ok(shell)
}

fn shell(grant: &ShellGrant, config: &HostConfig) -> Result<Arc<Shell>, String> {
    let shell = Shell::new(shell_config(grant, config)?);
    shell.map(Arc::new).map_err(|error| error.to_string())
}

fn http(grant: &HttpGrant, secrets: &Secrets) -> Result<Arc<Http>, String> {
    let default = HttpLimits::default();
    let limits = HttpLimits {
        timeout: grant.timeout_ms.map_or(default.timeout, Duration::from_millis),
        max_response_bytes: grant.max_response_bytes.unwrap_or(default.max_response_bytes),
        ..default
    };
    let grants = grant.allow.iter().map(target).collect::<Result<_, _>>()?;
    let credential = |credential: &HttpCredential| credential_of(credential, secrets);
    let credentials = grant.credentials.iter().map(credential).collect::<Result<_, _>>()?;
    let http = Http::new(HttpConfig { grants, credentials, limits, ..HttpConfig::default() });
    http.map(Arc::new).map_err(|error| error.to_string())
}

fn target(target: &HttpTarget) -> Result<Grant, String> {
    let parsed = match target {
        HttpTarget::Url(url) => Grant::parse(url, &READING),
        HttpTarget::WithMethods(with) => Grant::parse(&with.url, &with.methods),
    };
    parsed.map_err(|error| error.to_string())
}

fn credential_of(credential: &HttpCredential, secrets: &Secrets) -> Result<Credential, String> {
    let name = &credential.secret;
    let value = secrets.get(name).map(SecretValue::new);
    if value.is_none() && !secrets.missing.contains_key(name) {
        return Err(format!("there is no secret `{name}` in `[secrets]`"));
    }
    let place = match (&credential.header, &credential.query) {
        (Some(header), None) => {
            Place::Header { name: header.clone(), prefix: credential.prefix.clone() }
        }
        (None, Some(query)) => Place::Query { name: query.clone() },
        _ => return Err(format!("the credential `{name}` needs either `header` or `query`")),
    };
    let grant = Grant::parse(&credential.target, &READING).map_err(|error| error.to_string())?;
    Ok(Credential { grant, secret: name.clone(), value, place })
}
