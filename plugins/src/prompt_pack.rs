//! The words of the bundled plugins, one file for each language.
//!
//! A prompt pack is TOML: under `[tools.NAME]` the `title` and the `description` of
//! a tool, the descriptions of its `parameters` and the `texts` it answers with, by
//! the names that the plugin's `src/texts.rs` gives them. `en.toml` repeats what is
//! compiled into the plugins, for translators to start from.

/// The languages (BCP 47) with their packs, sorted.
const PACKS: [(&str, &str); 2] =
    [("en", include_str!("../texts/en.toml")), ("zh", include_str!("../texts/zh.toml"))];

const LANGUAGES: [&str; PACKS.len()] = {
    let mut languages = [""; PACKS.len()];
    let mut index = 0;
    while index < PACKS.len() {
        languages[index] = PACKS[index].0;
        index += 1;
    }
    languages
};

/// The languages that there are words in, sorted.
pub fn languages() -> &'static [&'static str] {
    &LANGUAGES
}

/// The prompt pack of a language, as TOML.
pub fn prompt_pack(language: &str) -> Option<&'static str> {
    PACKS.iter().find(|(known, _)| *known == language).map(|(_, pack)| *pack)
}
