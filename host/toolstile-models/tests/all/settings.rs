//! Names of models, keys and addresses.

use toolstile_agent::ChatModel;
use toolstile_models::{ModelSettings, NameMap, Provider, SchemaProfile, connect, parse_model};

#[test]
fn a_model_is_named_by_provider_and_name() {
    assert_eq!(parse_model("ollama:qwen3:8b").unwrap(), (Provider::Ollama, "qwen3:8b".to_owned()));
    let wrong = [
        ("gpt", "\"gpt\" names no model; write `provider:name`, for example `ollama:qwen3`"),
        (
            "openai:",
            "\"openai:\" names no model; write `provider:name`, for example `ollama:qwen3`",
        ),
        (
            "mistral:x",
            "the provider \"mistral\" is not known; known are `openai`, `anthropic`, `gemini`, \
             `ollama`",
        ),
    ];
    for (text, expected) in wrong {
        assert_eq!(parse_model(text).unwrap_err().to_string(), expected);
    }
}

#[test]
fn a_missing_key_names_its_variable() {
    for provider in [Provider::OpenAi, Provider::Anthropic, Provider::Gemini] {
        for settings in [
            ModelSettings::new(provider, "any"),
            ModelSettings::new(provider, "any").with_key("  "),
        ] {
            let error = connect(settings).unwrap_err().to_string();
            let variable = provider.key_variable().unwrap();
            assert_eq!(error, format!("the provider `{provider}` needs a key; set `{variable}`"));
        }
    }
    assert!(connect(ModelSettings::new(Provider::Ollama, "any")).is_ok());
}

#[test]
fn addresses_are_looked_at_before_anything_is_sent() {
    for url in ["no url", "ftp://host", "http://user:secret@host/", "http://host/?a=b"] {
        let settings = ModelSettings::new(Provider::Ollama, "any").with_base_url(url);
        let error = connect(settings).unwrap_err().to_string();
        assert!(error.starts_with("the base URL `"), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
}

#[test]
fn a_key_that_is_no_header_is_refused() {
    let settings = ModelSettings::new(Provider::OpenAi, "any").with_key("a\nb");
    let error = connect(settings).unwrap_err().to_string();
    assert_eq!(error, "the key has characters that cannot stand in a header");
}

#[test]
fn nothing_shows_the_key() {
    let settings = ModelSettings::new(Provider::OpenAi, "any").with_key("sk-secret");
    assert!(!format!("{settings:?}").contains("sk-secret"));
    let model = connect(settings).unwrap();
    assert!(!format!("{model:?}").contains("sk-secret"));
    assert_eq!((model.provider(), ChatModel::name(&model)), ("openai", "any"));
}

#[test]
fn the_names_of_telemetry_are_not_the_short_ones() {
    let names: Vec<&str> = Provider::ALL.iter().map(|provider| provider.as_str()).collect();
    assert_eq!(names, ["openai", "anthropic", "gcp.gemini", "ollama"]);
}

#[test]
fn names_lead_there_and_back() {
    let tools = ["1a", "_1a", "__1a", "-b", "c"];
    let names = NameMap::new(SchemaProfile::Gemini, tools);
    let shown: Vec<String> = tools.iter().map(|name| names.to_wire(name)).collect();
    assert_eq!(shown, ["___1a", "_1a", "__1a", "_-b", "c"]);
    for (tool, shown) in tools.iter().zip(&shown) {
        assert_eq!(names.from_wire(shown), *tool);
    }
    let long = "1".repeat(64);
    assert_eq!(NameMap::new(SchemaProfile::Gemini, [long.as_str()]).to_wire(&long).len(), 64);
    assert_eq!(NameMap::new(SchemaProfile::OpenAi, ["1a"]).to_wire("1a"), "1a");
}
