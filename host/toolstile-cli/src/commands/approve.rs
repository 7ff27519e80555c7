//! `toolstile approve`: writes down what plugins and servers are now, so that nothing else
//! is used from then on.

use clap::Args;
use toolstile::{Host, HostConfig, LOCK_FILE, Lock};

use super::lock::print_differences;
use crate::cli::Global;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;

const EXAMPLES: &str = "\
Writes `toolstile.lock` beside `toolstile.toml`: the digest of each plugin file, what it
asks for, and every tool as it is. While that file is there, whatever is not as it says
is quarantined. Plugins that come with toolstile need no approval.

Examples:
  toolstile approve
  toolstile approve weather
  toolstile lock --diff";

/// Arguments of `approve`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Approve {
    /// Plugins (file stems) and MCP servers (namespaces); without any, all
    names: Vec<String>,
}

impl Approve {
    /// Shows what is different from what was approved, and approves it.
    pub(crate) async fn run(&self, global: &Global, output: &mut Output) -> Result<Exit, CliError> {
        let config = global.load_config()?;
        let path = config.lock_file();
        let before = Lock::read(&path)?.unwrap_or_default();
        let now = as_it_is(config, &before, output).await?;
        let after = self.approved(&before, &now)?;
        print_differences(&before.compare(&after), &after, output)?;
        after.write(&path)?;
        let (plugins, servers) = (after.plugins.len(), after.mcp.len());
        output.line(format_args!(
            "`{LOCK_FILE}` approves {plugins} plugin(s) and {servers} MCP server(s)"
        ))?;
        for entry in after.compare(&now).keys() {
            output.warning(&format!("{entry} is not what `{LOCK_FILE}` says, and not used"));
        }
        Ok(Exit::Done)
    }

    fn approved(&self, before: &Lock, now: &Lock) -> Result<Lock, CliError> {
        if self.names.is_empty() {
            return Ok(now.clone());
        }
        let mut after = before.clone();
        match after.approve(now, &self.names).first() {
            None => Ok(after),
            Some(unknown) => Err(CliError::NothingToApprove {
                name: (*unknown).to_owned(),
                known: now.plugins.keys().chain(now.mcp.keys()).cloned().collect(),
            }),
        }
    }
}

/// What is there now, whatever was approved; what is not there for another reason is said.
pub(crate) async fn as_it_is(
    config: HostConfig,
    before: &Lock,
    output: &mut Output,
) -> Result<Lock, CliError> {
    let host = Host::builder().config(config).without_lock().build().await?;
    super::report::show_problems(&host, output);
    let now = host.to_approve(before);
    host.shutdown().await;
    Ok(now)
}
