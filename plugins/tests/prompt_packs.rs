//! The prompt packs hold what the plugins say: in English the very words, in every
//! language the same keys and the same placeholders.

use std::collections::{BTreeMap, BTreeSet};

use toolstile_plugins::{bundled, languages, prompt_pack};
use toolstile_sdk::settings::Text;
use toolstile_sdk::{Tool, ToolDefinition};

#[derive(Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Pack {
    language: String,
    tools: BTreeMap<String, Words>,
}

#[derive(Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    title: String,
    description: String,
    parameters: BTreeMap<String, String>,
    #[serde(default)]
    texts: BTreeMap<String, String>,
}

fn pack(language: &str) -> Pack {
    let pack = prompt_pack(language).expect("the language is known");
    let pack: Pack = toml::from_str(pack).expect("the pack is well-formed");
    assert_eq!(pack.language, language);
    pack
}

/// The words that are compiled into the plugins.
fn compiled() -> BTreeMap<String, Words> {
    let tools = [
        words(&toolstile_plugin_calculator::calculator {}, &[]),
        words(&toolstile_plugin_notes::notes {}, toolstile_plugin_notes::texts::ALL),
        words(&toolstile_plugin_search::search {}, toolstile_plugin_search::texts::ALL),
        words(&toolstile_plugin_shell::shell {}, toolstile_plugin_shell::texts::ALL),
    ];
    tools.into()
}

fn words(tool: &dyn Tool, texts: &[Text]) -> (String, Words) {
    let ToolDefinition { title, description, input_schema, .. } = tool.definition();
    let properties = input_schema["properties"].as_object().expect("it takes arguments");
    let parameter = |(name, schema): (&String, &toolstile_sdk::serde_json::Value)| {
        let description = schema["description"].as_str().expect("every parameter is described");
        (name.clone(), description.to_owned())
    };
    let words = Words {
        title: title.expect("every tool has a title"),
        description,
        parameters: properties.iter().map(parameter).collect(),
        texts: texts.iter().map(|text| (text.name.into(), text.default.into())).collect(),
    };
    assert_eq!(words.texts.len(), texts.len(), "no name is used twice");
    (tool.name().to_owned(), words)
}

#[test]
fn the_english_pack_is_what_the_plugins_say() {
    let (pack, compiled) = (pack("en"), compiled());
    assert_eq!(pack.tools.keys().collect::<Vec<_>>(), compiled.keys().collect::<Vec<_>>());
    for (name, words) in compiled {
        assert_eq!(pack.tools[&name], words, "{name}");
    }
}

#[test]
fn every_bundled_plugin_has_words() {
    let names: Vec<&str> = bundled().iter().map(|plugin| plugin.name).collect();
    assert_eq!(names, ["calculator", "notes", "search", "shell"]);
    assert_eq!(pack("en").tools.keys().collect::<Vec<_>>(), names);
}

#[test]
fn every_language_has_all_keys_and_placeholders() {
    let english = shape(&pack("en"));
    assert_eq!(languages(), ["en", "zh"]);
    for language in languages() {
        assert_eq!(shape(&pack(language)), english, "{language}");
    }
    assert_eq!(prompt_pack("xx"), None);
}

/// Every key with the placeholders of its text.
fn shape(pack: &Pack) -> BTreeMap<String, BTreeSet<String>> {
    let mut shape = BTreeMap::new();
    for (tool, words) in &pack.tools {
        let Words { title, description, parameters, texts } = words;
        for (key, text) in [("title", title), ("description", description)] {
            assert!(!text.trim().is_empty(), "{tool}.{key}");
            shape.insert(format!("{tool}.{key}"), BTreeSet::new());
        }
        for (name, text) in parameters {
            assert!(!text.trim().is_empty(), "{tool}.{name}");
            shape.insert(format!("{tool}.parameters.{name}"), BTreeSet::new());
        }
        for (name, text) in texts {
            shape.insert(format!("{tool}.texts.{name}"), placeholders(text));
        }
    }
    shape
}

fn placeholders(text: &str) -> BTreeSet<String> {
    let parts = text.split('{').skip(1);
    parts.filter_map(|part| Some(part.split_once('}')?.0.to_owned())).collect()
}
