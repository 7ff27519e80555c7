//! The deliberate differences between what Python infers and what Rust does.
//!
//! Both sides are cut into facts, one for each keyword of each parameter. A fact
//! on one side alone has to be explained by a difference that the case names,
//! and every difference that a case names has to explain something.

use std::collections::{BTreeMap, BTreeSet};

use toolstile_sdk::ToolDefinition;
use toolstile_sdk::serde_json::{Value, json};

/// Facts by their path: `name`, `description`, `required`, or
/// `parameter keyword`.
pub(crate) type Facts = BTreeMap<String, Value>;

/// A deliberate difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Difference {
    /// A tool without a description is a defect, so the translation has one.
    DescriptionNeeded,
    /// The model sees every paragraph up to the first heading.
    AllParagraphs,
    /// A parameter without a description has none, instead of an empty one.
    NoEmptyDescriptions,
    /// Integers have the bounds of their type, so that the host refuses what
    /// the tool could not read.
    Bounds,
    /// The types inside lists, maps and tuples are known, so they are shown.
    Elements,
    /// `null` is as good as absent for an `Option`.
    Nullable,
}

impl Difference {
    /// Whether this difference is why a fact is `python` there and `rust` here.
    fn explains(self, path: &str, python: Option<&Value>, rust: Option<&Value>) -> bool {
        let keyword = path.rsplit(' ').next().unwrap_or(path);
        let of_parameter = path.contains(' ');
        match self {
            Self::DescriptionNeeded => path == "description" && python == Some(&json!("")),
            Self::AllParagraphs => path == "description" && starts_with(rust, python),
            Self::NoEmptyDescriptions => {
                of_parameter
                    && keyword == "description"
                    && python == Some(&json!(""))
                    && rust.is_none()
            }
            Self::Bounds => matches!(keyword, "minimum" | "maximum") && python.is_none(),
            Self::Elements => {
                const ELEMENTS: [&str; 5] =
                    ["items", "additionalProperties", "prefixItems", "minItems", "maxItems"];
                ELEMENTS.contains(&keyword) && python.is_none()
            }
            Self::Nullable => {
                keyword == "type" && python.is_some_and(|ty| rust == Some(&json!([ty, "null"])))
            }
        }
    }
}

fn starts_with(longer: Option<&Value>, shorter: Option<&Value>) -> bool {
    let (Some(Value::String(longer)), Some(Value::String(shorter))) = (longer, shorter) else {
        return false;
    };
    longer.starts_with(shorter) && longer[shorter.len()..].starts_with("\n\n")
}

/// The facts of a vector.
pub(crate) fn python_facts(case: &Value) -> Facts {
    facts(&case["name"], &case["tool_description"], &case["parameters"])
}

/// The facts of a translation.
pub(crate) fn rust_facts(definition: &ToolDefinition) -> Facts {
    facts(&json!(definition.name), &json!(definition.description), &definition.input_schema)
}

fn facts(name: &Value, description: &Value, schema: &Value) -> Facts {
    let mut facts =
        Facts::from([("name".into(), name.clone()), ("description".into(), description.clone())]);
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        if keyword != "properties" {
            facts.insert(keyword.clone(), value.clone());
        }
    }
    for (parameter, property) in schema["properties"].as_object().into_iter().flatten() {
        for (keyword, value) in property.as_object().into_iter().flatten() {
            facts.insert(format!("{parameter} {keyword}"), value.clone());
        }
    }
    facts
}

/// Says what is unexplained, or explained in vain; empty when all is well.
pub(crate) fn complaints(python: &Facts, rust: &Facts, named: &[Difference]) -> Vec<String> {
    let paths: BTreeSet<&String> = python.keys().chain(rust.keys()).collect();
    let mut unused: BTreeSet<Difference> = named.iter().copied().collect();
    let mut complaints = Vec::new();
    for path in paths {
        let (there, here) = (python.get(path), rust.get(path));
        if there == here {
            continue;
        }
        match named.iter().find(|difference| difference.explains(path, there, here)) {
            Some(difference) => _ = unused.remove(difference),
            None => complaints.push(format!("`{path}`: {there:?} there, {here:?} here")),
        }
    }
    complaints.extend(unused.iter().map(|difference| format!("{difference:?} explains nothing")));
    complaints
}
