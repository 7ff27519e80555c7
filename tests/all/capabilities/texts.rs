//! Prompt packs: the words of the bundled tools in another language.

use serde_json::json;

use super::{Person, Place, text};

#[tokio::test]
async fn a_language_changes_words_and_nothing_else() {
    let english = Place::with_config("").host(&Person::who_declines()).await;
    let chinese =
        Place::with_config("[texts]\nlanguage = 'zh'\n").host(&Person::who_declines()).await;
    for (plain, translated) in english.all_tools().iter().zip(chinese.all_tools()) {
        let (plain, translated) = (&plain.definition, &translated.definition);
        assert_eq!(plain.name, translated.name);
        if plain.name.as_str().starts_with("reach_") || plain.name.as_str() == "fetch" {
            assert_eq!(plain, translated, "the words are those of the bundled tools");
            continue;
        }
        assert_ne!(plain.description, translated.description, "{}", plain.name);
        assert!(translated.description.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)));
        let names = |schema: &toolstile::ToolSchema| {
            let properties = schema.as_value()["properties"].as_object().unwrap();
            properties.keys().cloned().collect::<Vec<_>>()
        };
        assert_eq!(names(&plain.input_schema), names(&translated.input_schema));
        assert_ne!(plain.input_schema, translated.input_schema, "{}", plain.name);
    }
}

#[tokio::test]
async fn answers_are_in_the_language_too() {
    let config = "[texts]\nlanguage = 'zh'\n[plugin.notes.grants.notes]\ndir = 'notes'\n";
    let place = Place::with_config(config);
    let host = place.host(&Person::who_declines()).await;
    let answer = text(&host, "notes", json!({"action": "read", "path": "none.md"})).await;
    assert!(answer.contains("none.md"), "{answer}");
    assert!(answer.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)), "{answer}");
}

#[tokio::test]
async fn the_operators_own_words_go_over_them() {
    let mut place = Place::with_config("[plugin.notes.grants.notes]\ndir = 'notes'\n");
    place.write("words.toml", "[tools.notes]\ndescription = 'My notes.'\n");
    place.config.texts.file = Some("words.toml".into());
    let host = place.host(&Person::who_declines()).await;
    let tools = host.all_tools();
    let notes = tools.iter().find(|tool| tool.name().as_str() == "notes").unwrap();
    assert_eq!(notes.definition.description, "My notes.");
}

#[tokio::test]
async fn an_unknown_language_is_an_error_that_names_the_known_ones() {
    let place = Place::with_config("[texts]\nlanguage = 'xx'\n");
    let error = place.builder().build().await.unwrap_err().to_string();
    assert!(error.contains("`xx`") && error.contains("zh"), "{error}");
}
