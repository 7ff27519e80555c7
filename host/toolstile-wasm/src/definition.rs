//! From what `list-tools` says to checked definitions. A plugin is believed only
//! where it asks for more care.

use toolstile_core::{ConfirmRule, SchemaError, ToolDefinition, ToolName, ToolSchema, ToolTraits};

use crate::bindings::tool::{ToolDefinition as Listed, Traits};
use crate::error::LoadError;

/// Tools of one plugin.
const MAX_TOOLS: usize = 128;
/// Bytes of a description.
const MAX_DESCRIPTION: usize = 16 * 1024;
/// Bytes of a title.
const MAX_TITLE: usize = 256;

/// Checks everything that a plugin lists: all of it is good, or none is used.
pub(crate) fn check_all(listed: Vec<Listed>) -> Result<Vec<ToolDefinition>, LoadError> {
    if listed.is_empty() || listed.len() > MAX_TOOLS {
        return Err(LoadError::ToolCount { count: listed.len(), max: MAX_TOOLS });
    }
    let definitions: Vec<ToolDefinition> =
        listed.into_iter().map(check).collect::<Result<_, _>>()?;
    let mut names: Vec<&str> = definitions.iter().map(|d| d.name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(LoadError::DuplicateTool(pair[0].to_owned())),
        None => Ok(definitions),
    }
}

fn check(listed: Listed) -> Result<ToolDefinition, LoadError> {
    let name = ToolName::parse(&listed.name)?;
    check_length(&name, "title", listed.title.as_deref().unwrap_or_default(), MAX_TITLE)?;
    check_length(&name, "description", &listed.description, MAX_DESCRIPTION)?;
    let schema_error = |which| {
        let tool = name.to_string();
        move |reason: SchemaError| LoadError::Schema { tool, which, reason }
    };
    let parse_optional = |text: Option<String>, which| {
        text.map(|text| ToolSchema::parse(&text)).transpose().map_err(schema_error(which))
    };
    let input_schema =
        ToolSchema::parse(&listed.input_schema).map_err(schema_error("input schema"))?;
    let confirm_when = parse_optional(listed.confirm_when, "confirm-when schema")?;
    Ok(ToolDefinition {
        title: listed.title,
        description: listed.description,
        input_schema,
        output_schema: parse_output(listed.output_schema).map_err(schema_error("output schema"))?,
        traits: convert_traits(listed.traits),
        confirm: confirm_rule(listed.traits, confirm_when),
        name,
    })
}

/// Results may be of any type, unlike arguments.
fn parse_output(text: Option<String>) -> Result<Option<ToolSchema>, SchemaError> {
    let Some(text) = text else { return Ok(None) };
    let schema = toolstile_core::parse_json(&text, toolstile_core::JsonLimits::SCHEMA)?;
    ToolSchema::compile_any(schema).map(Some)
}

fn check_length(
    tool: &ToolName,
    which: &'static str,
    text: &str,
    max: usize,
) -> Result<(), LoadError> {
    match text.len() {
        bytes if bytes > max => {
            Err(LoadError::TextTooLong { tool: tool.to_string(), which, bytes, max })
        }
        _ => Ok(()),
    }
}

fn confirm_rule(traits: Traits, confirm_when: Option<ToolSchema>) -> ConfirmRule {
    match confirm_when {
        Some(schema) => ConfirmRule::When(schema),
        None if traits.contains(Traits::REQUIRES_CONFIRMATION) => ConfirmRule::Always,
        None => ConfirmRule::Never,
    }
}

fn convert_traits(traits: Traits) -> ToolTraits {
    ToolTraits {
        external_content: traits.contains(Traits::EXTERNAL_CONTENT),
        supports_parallel: traits.contains(Traits::SUPPORTS_PARALLEL),
        read_only: traits.contains(Traits::READ_ONLY),
        destructive: traits.contains(Traits::DESTRUCTIVE),
        idempotent: traits.contains(Traits::IDEMPOTENT),
        open_world: traits.contains(Traits::OPEN_WORLD),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(name: &str, schema: &str) -> Listed {
        Listed {
            name: name.into(),
            title: None,
            description: "d".into(),
            input_schema: schema.into(),
            output_schema: None,
            traits: Traits::empty(),
            confirm_when: None,
        }
    }

    #[test]
    fn one_bad_tool_spoils_the_plugin() {
        let good = || listed("a", "{}");
        assert_eq!(check_all(vec![good()]).unwrap().len(), 1);
        for (bad, part) in [
            (listed("a b", "{}"), "bad name"),
            (good(), "twice"),
            (listed("b", "{"), "input schema"),
            (listed("b", r#"{"type": "string"}"#), "input schema"),
            (Listed { confirm_when: Some("7".into()), ..listed("b", "{}") }, "confirm-when"),
            (Listed { description: "x".repeat(20_000), ..listed("b", "{}") }, "description"),
        ] {
            let error = check_all(vec![good(), bad]).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        assert!(matches!(check_all(Vec::new()), Err(LoadError::ToolCount { .. })));
    }

    #[test]
    fn a_condition_alone_asks_for_care_too() {
        let tool = Listed { confirm_when: Some("{}".into()), ..listed("a", "{}") };
        let definitions = check_all(vec![tool]).unwrap();
        assert!(matches!(definitions[0].confirm, ConfirmRule::When(_)));
    }
}
