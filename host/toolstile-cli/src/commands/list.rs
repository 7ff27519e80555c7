//! `toolstile list`: every tool, who it is, what it may do, and what is not used.

use clap::Args;
use serde::Serialize;
use toolstile::{Fingerprint, Host, HostConfig, Quarantined, RegisteredTool, ServerReport};

use super::report::{ToolReport, aligned, confirm_word, joined, show_problems};
use crate::cli::Global;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BAD, BOLD, Output, shown, styled};

const EXAMPLES: &str = "\
ASKS FOR is what a plugin imports, GRANTED what it got of that. PERMITTED is what
`[permissions]` says, CONFIRM which calls a person must approve.

Examples:
  toolstile list
  toolstile list --pins >> toolstile.toml";

/// Arguments of `list`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct List {
    /// Print everything that is known as JSON
    #[arg(long)]
    json: bool,
    /// Print the fingerprints as `[expected_fingerprints]` for `toolstile.toml`, also
    /// of tools that differ from what is pinned there
    #[arg(long, conflicts_with = "json")]
    pins: bool,
}

impl List {
    /// Loads the plugins and lists them.
    pub(crate) async fn run(&self, global: &Global, output: &mut Output) -> Result<Exit, CliError> {
        let config = global.load_config()?;
        if self.pins {
            print_pins(config, output).await?;
            return Ok(Exit::Done);
        }
        let host = load(config).await?;
        match self.json {
            true => print_json(&host, output)?,
            false => print_text(&host, output)?,
        }
        host.shutdown().await;
        Ok(Exit::Done)
    }
}

async fn load(config: HostConfig) -> Result<Host, CliError> {
    Ok(Host::builder().config(config).build().await?)
}

/// The shape of `list --json`.
#[derive(Debug, Serialize)]
struct Listing<'a> {
    tools: Vec<ListedTool<'a>>,
    quarantined: Vec<Quarantined>,
    servers: Vec<ServerReport>,
    warnings: Vec<String>,
}

#[derive(Debug, Serialize)]
struct ListedTool<'a> {
    #[serde(flatten)]
    tool: ToolReport<'a>,
    permitted: bool,
}

fn print_json(host: &Host, output: &mut Output) -> Result<(), CliError> {
    let tools = host.all_tools();
    let listed = |tool: &'_ RegisteredTool| host.permits(tool);
    let tools = tools
        .iter()
        .map(|tool| ListedTool { permitted: listed(tool), tool: ToolReport::from(tool.as_ref()) });
    Ok(output.json_pretty(&Listing {
        tools: tools.collect(),
        quarantined: host.quarantined(),
        servers: host.servers(),
        warnings: host.warnings(),
    })?)
}

fn print_text(host: &Host, output: &mut Output) -> Result<(), CliError> {
    let tools = host.all_tools();
    let header = ["TOOL", "ORIGIN", "FINGERPRINT", "PERMITTED", "CONFIRM", "ASKS FOR", "GRANTED"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    rows.extend(tools.iter().map(|tool| row(host, tool)));
    let lines = aligned(&rows);
    if tools.is_empty() {
        output.line("no tools")?;
    } else {
        output.line(styled(BOLD, &lines[0]))?;
    }
    for (line, tool) in lines.iter().skip(1).zip(&tools) {
        match host.permits(tool) {
            true => output.line(line)?,
            false => output.line(styled(BAD, line))?,
        }
    }
    print_quarantined(&host.quarantined(), output)?;
    print_servers(&host.servers(), output)?;
    for warning in host.warnings() {
        output.warning(&warning);
    }
    Ok(())
}

fn row(host: &Host, tool: &RegisteredTool) -> Vec<String> {
    vec![
        tool.name().to_string(),
        tool.origin.to_string(),
        tool.fingerprint.short().to_owned(),
        if host.permits(tool) { "yes" } else { "no" }.to_owned(),
        confirm_word(&tool.confirm).to_owned(),
        joined(&tool.capabilities.asked),
        joined(&tool.capabilities.granted),
    ]
}

fn print_quarantined(quarantined: &[Quarantined], output: &mut Output) -> Result<(), CliError> {
    if quarantined.is_empty() {
        return Ok(());
    }
    output.line(format_args!("\n{}", styled(BOLD, "QUARANTINED")))?;
    for Quarantined { plugin, reason } in quarantined {
        output.line(format_args!("{}: {}", styled(BAD, shown(plugin)), shown(reason)))?;
    }
    Ok(())
}

fn print_servers(servers: &[ServerReport], output: &mut Output) -> Result<(), CliError> {
    if servers.is_empty() {
        return Ok(());
    }
    output.line(format_args!("\n{}", styled(BOLD, "MCP SERVERS")))?;
    for server in servers {
        let ServerReport { namespace, state, tools, problems, .. } = server;
        let state = match *state {
            "ready" => format!("{state}, {tools} tool(s)"),
            state => styled(BAD, state),
        };
        output.line(format_args!("{}: {state}", shown(namespace)))?;
        for problem in problems {
            output.line(format_args!("  {}", shown(problem)))?;
        }
    }
    Ok(())
}

/// The pins of what is there now. The pins that the configuration has must not keep
/// anything from being loaded; they are compared here, so that nobody pastes a change
/// without having seen it.
async fn print_pins(mut config: HostConfig, output: &mut Output) -> Result<(), CliError> {
    let pinned = std::mem::take(&mut config.expected_fingerprints);
    let host = load(config).await?;
    output.plain("[expected_fingerprints]\n")?;
    for tool in host.all_tools() {
        let name = tool.name().as_str();
        output.plain(&pin_line(name, &tool.fingerprint))?;
        let changed = pinned.get(name).map(|pin| pin.check(name, &tool.fingerprint));
        if let Some(Err(mismatch)) = changed {
            output.warning(&mismatch.to_string());
        }
    }
    show_problems(&host, output);
    Ok(())
}

/// A line of TOML. Tool names and part names are bare keys.
fn pin_line(name: &str, fingerprint: &Fingerprint) -> String {
    let part = |(part, digest): (&String, &String)| format!("{part} = \"{digest}\"");
    let parts: Vec<String> = fingerprint.parts().iter().map(part).collect();
    let parts = parts.join(", ");
    format!("{name} = {{ fingerprint = \"{fingerprint}\", parts = {{ {parts} }} }}\n")
}
