//! Finding the arguments that a schema marks with a `format`.

use serde_json::{Map, Value};

use crate::schema_cost::dereference;

/// Schemas nested in one another, references followed.
const MAX_DEPTH: usize = 64;

/// Keywords whose schemas apply to the value that their parent applies to.
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const SINGLE: [&str; 3] = ["if", "then", "else"];

/// A string among the arguments whose schema names a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormattedText<'a> {
    /// Where in the arguments (RFC 6901).
    pub path: String,
    /// The value of the keyword `format`.
    pub format: &'a str,
    /// The string.
    pub text: &'a str,
}

/// Whether `format` stands anywhere in a schema, so that others need no search.
pub(crate) fn mentions_format(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.contains_key("format") || members.values().any(mentions_format)
        }
        Value::Array(items) => items.iter().any(mentions_format),
        _ => false,
    }
}

/// The strings of `value` that `root` marks with a format, each once for each format.
/// Every alternative of `anyOf` and its like counts, whether or not it is the one that
/// made the value valid.
pub(crate) fn formatted<'a>(root: &'a Value, value: &'a Value) -> Vec<FormattedText<'a>> {
    let mut search = Search { root, found: Vec::new() };
    search.visit(root, value, "", 0);
    search.found
}

struct Search<'a> {
    root: &'a Value,
    found: Vec<FormattedText<'a>>,
}

impl<'a> Search<'a> {
    fn visit(&mut self, schema: &'a Value, value: &'a Value, path: &str, depth: usize) {
        let Some(members) = schema.as_object().filter(|_| depth <= MAX_DEPTH) else { return };
        if members.contains_key("$ref") {
            let target = dereference(self.root, schema);
            if !std::ptr::eq(target, schema) {
                self.visit(target, value, path, depth + 1);
            }
        }
        self.note(members, value, path);
        for alternative in in_place(members) {
            self.visit(alternative, value, path, depth + 1);
        }
        match value {
            Value::Object(object) => self.visit_members(members, object, path, depth),
            Value::Array(items) => self.visit_items(members, items, path, depth),
            _ => {}
        }
    }

    fn note(&mut self, schema: &'a Map<String, Value>, value: &'a Value, path: &str) {
        let format = schema.get("format").and_then(Value::as_str);
        let (Some(format), Some(text)) = (format, value.as_str()) else { return };
        let found = FormattedText { path: path.to_owned(), format, text };
        if !self.found.contains(&found) {
            self.found.push(found);
        }
    }

    fn visit_members(
        &mut self,
        schema: &'a Map<String, Value>,
        object: &'a Map<String, Value>,
        path: &str,
        depth: usize,
    ) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        for (name, value) in object {
            let path = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
            let named = properties.and_then(|properties| properties.get(name));
            // Which patterns match is not asked: a check too many does no harm.
            let matched = patterns.into_iter().flat_map(Map::values);
            let rest = schema.get("additionalProperties");
            for schema in named.into_iter().chain(matched).chain(rest) {
                self.visit(schema, value, &path, depth + 1);
            }
        }
    }

    fn visit_items(
        &mut self,
        schema: &'a Map<String, Value>,
        items: &'a [Value],
        path: &str,
        depth: usize,
    ) {
        let first = schema.get("prefixItems").and_then(Value::as_array);
        for (position, value) in items.iter().enumerate() {
            let path = format!("{path}/{position}");
            let own = first.and_then(|first| first.get(position));
            for schema in own.into_iter().chain(schema.get("items")) {
                self.visit(schema, value, &path, depth + 1);
            }
        }
    }
}

fn in_place(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let lists = LISTS.iter().filter_map(|keyword| schema.get(*keyword)?.as_array());
    lists.flatten().chain(SINGLE.iter().filter_map(|keyword| schema.get(*keyword)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(schema: &Value, value: &Value) -> Vec<(String, String)> {
        let found = formatted(schema, value);
        found.iter().map(|f| (f.path.clone(), format!("{}={}", f.format, f.text))).collect()
    }

    #[test]
    fn formats_are_found_wherever_a_schema_can_put_them() {
        let schema = json!({
            "properties": {
                "command": {"type": "string", "format": "shell-command"},
                "paths": {"type": "array", "items": {"$ref": "#/$defs/path"}},
                "either": {"anyOf": [{"type": "null"}, {"format": "http-url"}]},
            },
            "additionalProperties": {"format": "other"},
            "$defs": {"path": {"type": "string", "format": "notes-path"}},
        });
        let value = json!({"command": "ls", "paths": ["a", 7, "b"], "either": "u", "x/y": "z"});
        let mut all = found(&schema, &value);
        all.retain(|(_, format)| !format.starts_with("other=") || format == "other=z");
        let expected = [
            ("/command", "shell-command=ls"),
            ("/either", "http-url=u"),
            ("/paths/0", "notes-path=a"),
            ("/paths/2", "notes-path=b"),
            ("/x~1y", "other=z"),
        ];
        let mut all: Vec<_> = all.iter().map(|(p, f)| (p.as_str(), f.as_str())).collect();
        all.sort_unstable();
        assert_eq!(all, expected);
    }

    #[test]
    fn a_schema_that_contains_itself_ends() {
        let schema = json!({"properties": {"next": {"$ref": "#"}, "p": {"format": "notes-path"}}});
        let value = json!({"p": "a", "next": {"p": "b", "next": {"p": "c"}}});
        assert_eq!(found(&schema, &value).len(), 3);
    }
}
