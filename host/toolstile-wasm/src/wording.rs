//! The operator's words in place of a plugin's own, for example in another language.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use toolstile_core::{SchemaError, ToolDefinition, ToolSchema};

/// The words of one plugin. What is absent stays as the plugin has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Wording {
    /// The title of the tool that is named like the plugin.
    pub title: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// The descriptions of its parameters, by name.
    pub parameters: BTreeMap<String, String>,
    /// What the plugin asks for by name while it runs.
    pub texts: BTreeMap<String, String>,
}

impl Wording {
    /// The definition in these words; the schema is compiled anew, since the one that
    /// is shown must be the one that validates.
    pub(crate) fn apply(&self, definition: ToolDefinition) -> Result<ToolDefinition, SchemaError> {
        let description = self.description.clone().unwrap_or(definition.description);
        let title = self.title.clone().or(definition.title);
        let input_schema = match self.parameters.is_empty() {
            true => definition.input_schema,
            false => self.reword(&definition.input_schema)?,
        };
        Ok(ToolDefinition { title, description, input_schema, ..definition })
    }

    fn reword(&self, schema: &ToolSchema) -> Result<ToolSchema, SchemaError> {
        let mut schema = schema.as_value().clone();
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        for (name, property) in properties.into_iter().flatten() {
            let text = self.parameters.get(name);
            if let (Some(text), Some(property)) = (text, property.as_object_mut()) {
                property.insert("description".to_owned(), text.as_str().into());
            }
        }
        ToolSchema::compile(schema)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use toolstile_core::ToolName;

    #[test]
    fn only_the_words_change() {
        let schema = json!({"properties": {
            "a": {"type": "string", "description": "old"}, "b": {"description": "kept"},
        }});
        let schema = ToolSchema::compile(schema).unwrap();
        let definition = ToolDefinition::new(ToolName::parse("x").unwrap(), "old", schema);
        let wording = Wording {
            description: Some("new".into()),
            parameters: [("a".into(), "neu".into()), ("none".into(), "-".into())].into(),
            ..Wording::default()
        };
        let reworded = wording.apply(definition.clone()).unwrap();
        let expected = json!({"type": "object", "properties": {
            "a": {"type": "string", "description": "neu"}, "b": {"description": "kept"},
        }});
        assert_eq!(reworded.input_schema.as_value(), &expected);
        assert_eq!((reworded.description.as_str(), reworded.title), ("new", None));
        assert_eq!(Wording::default().apply(definition.clone()).unwrap(), definition);
    }
}
