//! Prompt packs: the words of the bundled tools in another language, or the operator's
//! own.

use std::collections::BTreeMap;
use std::fs;

use serde::Deserialize;
use toolstile_core::nearest;
use toolstile_wasm::Wording;

use crate::config::HostConfig;

/// A prompt pack: a TOML file for one language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PromptPack {
    /// The language (BCP 47), for people.
    #[serde(default, rename = "language")]
    _language: String,
    /// The words of each tool.
    #[serde(default)]
    pub(crate) tools: BTreeMap<String, Wording>,
}

impl PromptPack {
    /// The pack that the configuration names; the operator's own goes over the one of
    /// the language, tool by tool and text by text.
    pub(crate) fn read(config: &HostConfig) -> Result<Self, String> {
        let mut pack = match &config.texts.language {
            Some(language) => bundled(language)?,
            None => Self::default(),
        };
        if let Some(file) = &config.texts.file {
            let path = config.resolve(file);
            let text = fs::read_to_string(&path)
                .map_err(|error| format!("`{}` cannot be read: {error}", path.display()))?;
            let own: Self = toml::from_str(&text)
                .map_err(|error| format!("`{}` is no prompt pack: {error}", path.display()))?;
            pack.extend(own);
        }
        Ok(pack)
    }

    /// The words of one plugin.
    pub(crate) fn wording(&self, plugin: &str) -> Wording {
        self.tools.get(plugin).cloned().unwrap_or_default()
    }

    fn extend(&mut self, own: Self) {
        for (tool, words) in own.tools {
            let known = self.tools.entry(tool).or_default();
            known.title = words.title.or(known.title.take());
            known.description = words.description.or(known.description.take());
            known.parameters.extend(words.parameters);
            known.texts.extend(words.texts);
        }
    }
}

fn bundled(language: &str) -> Result<PromptPack, String> {
    let known = || toolstile_plugins::languages().iter().copied();
    let text = toolstile_plugins::prompt_pack(language).ok_or_else(|| {
        let near = nearest(language, known()).map(|near| format!("; did you mean `{near}`?"));
        let all = known().collect::<Vec<_>>().join(", ");
        format!(
            "no words come in the language `{language}`{}",
            near.unwrap_or(format!("; there are: {all}"))
        )
    })?;
    toml::from_str(text).map_err(|error| format!("the words of `{language}`: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_that_comes_with_the_host_is_a_pack() {
        for language in toolstile_plugins::languages() {
            let pack = bundled(language).unwrap();
            assert!(pack.tools.contains_key("notes"), "{language}");
        }
        assert!(bundled("xx").unwrap_err().contains("`xx`"));
    }

    #[test]
    fn the_operators_words_go_over_those_of_the_language() {
        let mut pack = bundled("zh").unwrap();
        let before = pack.wording("notes");
        pack.extend(toml::from_str("[tools.notes]\ntitle = 'Mine'\n").unwrap());
        let after = pack.wording("notes");
        assert_eq!(after.title.as_deref(), Some("Mine"));
        assert_eq!((after.description, after.texts), (before.description, before.texts));
    }
}
