//! `toolstile inspect`: a component file or the runtime, looked at but not used.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use serde_json::Value;
use toolstile::{
    HostConfig, Import, InspectError, Inspection, PluginLimits, RegisteredTool, RuntimeReport,
    ToolSchema, inspect, inspect_runtime,
};

use super::report::{ToolReport, aligned, confirm_word, joined};
use crate::cli::Global;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BOLD, DIM, Output, shown, styled};

const EXAMPLES: &str = "\
Of the component only `list-tools` runs, with nothing granted. The fingerprints are
those that the tools would have as a file of that name in the plugin directory. A
file that would be quarantined ends with exit code 3 and the reason.

Examples:
  toolstile inspect plugins/text-stats.wasm
  toolstile inspect --runtime";

/// Arguments of `inspect`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Inspect {
    /// The component file
    #[arg(required_unless_present = "runtime")]
    file: Option<PathBuf>,
    /// Show how the WebAssembly engine is set up on this machine
    #[arg(long, conflicts_with = "file")]
    runtime: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Inspect {
    /// Looks at the file, or the runtime.
    pub(crate) async fn run(&self, global: &Global, output: &mut Output) -> Result<Exit, CliError> {
        let config = global.load_config()?;
        match &self.file {
            Some(path) => self.show_file(path, &config, output).await?,
            None => self.show_runtime(&config, output)?,
        }
        Ok(Exit::Done)
    }

    async fn show_file(
        &self,
        path: &Path,
        config: &HostConfig,
        output: &mut Output,
    ) -> Result<(), CliError> {
        let unusable = |source: InspectError| CliError::Plugin { path: path.to_owned(), source };
        let inspection = inspect(path, config).await.map_err(unusable)?;
        match self.json {
            true => Ok(output.json_pretty(&FileReport::new(path, &inspection))?),
            false => print_file(path, &inspection, output),
        }
    }

    fn show_runtime(&self, config: &HostConfig, output: &mut Output) -> Result<(), CliError> {
        let report = inspect_runtime(config).map_err(CliError::Runtime)?;
        match self.json {
            true => Ok(output.json_pretty(&report)?),
            false => print_runtime(&report, output),
        }
    }
}

/// The shape of `inspect FILE --json`.
#[derive(Debug, Serialize)]
struct FileReport<'a> {
    file: String,
    bytes: usize,
    sha256: &'a str,
    contract: &'a str,
    imports: &'a [Import],
    asks: Vec<&'static str>,
    tools: Vec<InspectedTool<'a>>,
    limits: PluginLimits,
}

#[derive(Debug, Serialize)]
struct InspectedTool<'a> {
    #[serde(flatten)]
    tool: ToolReport<'a>,
    output_schema: Option<&'a Value>,
}

impl<'a> FileReport<'a> {
    fn new(path: &Path, inspection: &'a Inspection) -> Self {
        let plugin = &inspection.plugin;
        let tools = inspection.tools.iter().map(|tool| InspectedTool {
            output_schema: tool.definition.output_schema.as_ref().map(ToolSchema::as_value),
            tool: ToolReport::from(tool),
        });
        Self {
            file: path.display().to_string(),
            bytes: plugin.bytes,
            sha256: &plugin.sha256,
            contract: &plugin.contract_version,
            imports: &plugin.imports,
            asks: asked(inspection),
            tools: tools.collect(),
            limits: plugin.limits,
        }
    }
}

fn asked(inspection: &Inspection) -> Vec<&'static str> {
    inspection.plugin.capabilities.asked().map(|capability| capability.as_str()).collect()
}

fn print_file(path: &Path, inspection: &Inspection, output: &mut Output) -> Result<(), CliError> {
    let plugin = &inspection.plugin;
    print_pairs(
        [
            ("file", path.display().to_string()),
            ("size", format!("{} bytes", plugin.bytes)),
            ("sha256", plugin.sha256.clone()),
            ("contract", plugin.contract_version.clone()),
            ("asks for", joined(&asked(inspection))),
        ],
        output,
    )?;
    print_heading("imports", output)?;
    for import in &plugin.imports {
        output.line(format_args!("  {}", shown(&import.interface)))?;
    }
    if plugin.imports.is_empty() {
        output.line("  nothing")?;
    }
    for tool in &inspection.tools {
        print_tool(tool, output)?;
    }
    print_heading("limits", output)?;
    let limits = serde_json::to_value(plugin.limits).map_err(std::io::Error::from)?;
    print_pairs(pairs_of(&limits), output)
}

fn print_tool(tool: &RegisteredTool, output: &mut Output) -> Result<(), CliError> {
    let definition = &tool.definition;
    print_heading(&format!("tool {}", tool.name()), output)?;
    print_pairs(
        [
            ("title", definition.title.clone().unwrap_or_default()),
            ("fingerprint", tool.fingerprint.to_string()),
            ("confirm", confirm_word(&tool.confirm).to_owned()),
            ("traits", joined(&definition.traits.names())),
        ],
        output,
    )?;
    for line in definition.description.lines() {
        output.line(format_args!("  {}", shown(line)))?;
    }
    print_schema("input schema", &definition.input_schema, output)?;
    match &definition.output_schema {
        Some(schema) => print_schema("output schema", schema, output),
        None => Ok(()),
    }
}

fn print_schema(label: &str, schema: &ToolSchema, output: &mut Output) -> Result<(), CliError> {
    let text = format!("{:#}", schema.as_value());
    output.line(styled(DIM, format_args!("  {label}")))?;
    for line in text.lines() {
        output.line(format_args!("    {}", shown(line)))?;
    }
    Ok(())
}

fn print_runtime(report: &RuntimeReport, output: &mut Output) -> Result<(), CliError> {
    let report = serde_json::to_value(report).map_err(std::io::Error::from)?;
    print_pairs(pairs_of(&report), output)
}

fn print_heading(heading: &str, output: &mut Output) -> Result<(), CliError> {
    Ok(output.line(format_args!("\n{}", styled(BOLD, heading)))?)
}

fn pairs_of(object: &Value) -> impl Iterator<Item = (&str, String)> {
    object.as_object().into_iter().flatten().map(|(key, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        (key.as_str(), text)
    })
}

fn print_pairs<'a>(
    pairs: impl IntoIterator<Item = (&'a str, String)>,
    output: &mut Output,
) -> Result<(), CliError> {
    let rows: Vec<Vec<String>> = pairs
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| vec![format!("  {key}"), shown(&value).into_owned()])
        .collect();
    for line in aligned(&rows) {
        output.line(line)?;
    }
    Ok(())
}
