//! How a tool is shown by the commands that show tools, and how lines are aligned.

use serde::Serialize;
use serde_json::Value;
use toolstile::{ConfirmRule, Fingerprint, Host, Origin, RegisteredTool, ToolName};

use crate::output::Output;

/// A tool as JSON.
#[derive(Debug, Serialize)]
pub(crate) struct ToolReport<'a> {
    name: &'a ToolName,
    title: Option<&'a str>,
    description: &'a str,
    origin: &'a Origin,
    fingerprint: &'a Fingerprint,
    asks: &'a [String],
    granted: &'a [String],
    confirm: Value,
    traits: Vec<&'static str>,
    input_schema: &'a Value,
}

impl<'a> From<&'a RegisteredTool> for ToolReport<'a> {
    fn from(tool: &'a RegisteredTool) -> Self {
        let definition = &tool.definition;
        Self {
            name: &definition.name,
            title: definition.title.as_deref(),
            description: &definition.description,
            origin: &tool.origin,
            fingerprint: &tool.fingerprint,
            asks: &tool.capabilities.asked,
            granted: &tool.capabilities.granted,
            confirm: tool.confirm.to_value(),
            traits: definition.traits.names(),
            input_schema: definition.input_schema.as_value(),
        }
    }
}

/// Which calls need confirmation, in a word.
pub(crate) fn confirm_word(rule: &ConfirmRule) -> &'static str {
    match rule {
        ConfirmRule::Never => "never",
        ConfirmRule::Always => "always",
        ConfirmRule::When(_) => "conditional",
    }
}

/// Names in a row; `nothing` where there are none.
pub(crate) fn joined(names: &[impl AsRef<str>]) -> String {
    match names {
        [] => "nothing".to_owned(),
        names => names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", "),
    }
}

/// Rows with all columns but the last padded to the widest cell.
pub(crate) fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// Tells the operator, on stderr, which plugins are not used and what else is odd.
pub(crate) fn show_problems(host: &Host, output: &mut Output) {
    for quarantined in host.quarantined() {
        output.warning(&format!(
            "the plugin `{}` is quarantined: {}",
            quarantined.plugin, quarantined.reason
        ));
    }
    for server in host.servers() {
        for problem in &server.problems {
            let (name, state) = (&server.namespace, server.state);
            output.warning(&format!("the MCP server `{name}` ({state}): {problem}"));
        }
    }
    for warning in host.warnings() {
        output.warning(&warning);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [["a", "bb", "c"], ["aaa", "ä", ""]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(aligned(&rows), ["a    bb  c", "aaa  ä"]);
        assert!(aligned(&[]).is_empty());
    }
}
