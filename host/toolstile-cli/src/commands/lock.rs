//! `toolstile lock`: whether plugins and servers are what was approved, and what differs.

use std::collections::BTreeMap;

use clap::Args;
use toolstile::{Difference, Lock as LockData, LockedTool};

use super::approve::as_it_is;
use crate::cli::Global;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BAD, BOLD, GOOD, Output, shown, styled};

const EXAMPLES: &str = "\
The exit code is 0 when everything is as `toolstile.lock` says, and 2 when not.

Examples:
  toolstile lock --check
  toolstile lock --diff
  toolstile lock --diff --json";

/// Arguments of `lock`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Lock {
    /// Name what is not as it was approved
    #[arg(long, required_unless_present = "diff")]
    check: bool,
    /// Show every difference
    #[arg(long, conflicts_with = "check")]
    diff: bool,
    /// Print `{"plugin NAME": [{"path", "approved", "now"}]}`
    #[arg(long)]
    json: bool,
}

/// Differences by plugin and server.
type Differences = BTreeMap<String, Vec<Difference>>;

impl Lock {
    /// Compares what is there with what was approved.
    pub(crate) async fn run(&self, global: &Global, output: &mut Output) -> Result<Exit, CliError> {
        let config = global.load_config()?;
        let path = config.lock_file();
        let Some(approved) = LockData::read(&path)? else { return Err(CliError::NoLock(path)) };
        let now = as_it_is(config, &approved, output).await?;
        let differences = approved.compare(&now);
        match (self.json, self.diff) {
            (true, _) => output.json_pretty(&differences)?,
            (_, true) => print_differences(&differences, &now, output)?,
            _ => print_names(&differences, output)?,
        }
        if !differences.is_empty() {
            return Ok(Exit::Refused);
        }
        if !self.json {
            output.line(styled(GOOD, "everything is as it was approved"))?;
        }
        Ok(Exit::Done)
    }
}

fn print_names(differences: &Differences, output: &mut Output) -> Result<(), CliError> {
    for (entry, found) in differences {
        output.line(format_args!("{}: {}", styled(BAD, shown(entry)), in_a_word(found)))?;
    }
    Ok(())
}

fn in_a_word(found: &[Difference]) -> &'static str {
    match found {
        [Difference { path, approved: None, .. }] if path.is_empty() => "not approved",
        [Difference { path, now: None, .. }] if path.is_empty() => "gone",
        _ => "changed",
    }
}

/// Every difference; of what is new, what it asks for and its tools.
pub(crate) fn print_differences(
    differences: &Differences,
    now: &LockData,
    output: &mut Output,
) -> Result<(), CliError> {
    for (entry, found) in differences {
        let word = in_a_word(found);
        output.line(format_args!("{}: {word}", styled(BOLD, shown(entry))))?;
        let lines = match word {
            "not approved" => summary(entry, now),
            "gone" => Vec::new(),
            _ => found.iter().map(ToString::to_string).collect(),
        };
        for line in lines {
            output.line(format_args!("  {}", shown(&line)))?;
        }
    }
    Ok(())
}

/// What is new, in a few lines.
fn summary(entry: &str, now: &LockData) -> Vec<String> {
    let plugin = entry.strip_prefix("plugin ").and_then(|name| now.plugins.get(name));
    let server = entry.strip_prefix("mcp server ").and_then(|name| now.mcp.get(name));
    let mut lines = Vec::new();
    if let Some(plugin) = plugin {
        let asks: Vec<&String> = plugin.asks.iter().collect();
        lines.push(format!("sha256 {}", plugin.sha256));
        lines.push(format!("asks for {}", super::report::joined(&asks)));
    }
    let tools = plugin.map(|plugin| &plugin.tools).or(server.map(|server| &server.tools));
    lines.extend(tools.into_iter().flatten().map(|(name, tool)| describe(name, tool)));
    lines
}

fn describe(name: &str, tool: &LockedTool) -> String {
    let description = tool.definition.get("description").and_then(serde_json::Value::as_str);
    let line = description.unwrap_or_default().lines().next().unwrap_or_default();
    format!("tool `{name}`: {line}")
}
