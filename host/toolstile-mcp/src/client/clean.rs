//! What a server writes, made fit to be shown: nothing in it that cannot be seen, and no
//! more of it than was allowed.

use serde_json::Value;

/// What stands where text was cut.
const CUT: &str = "… [cut]";

/// Text without control characters (tab and line breaks stay) and without format
/// characters (Unicode category Cf, which hide text or turn it around; the joiners and
/// the soft hyphen, which spelling needs, stay), and at most so many characters. Says
/// whether something was cut.
pub(crate) fn clean(text: &str, limit: usize) -> (String, bool) {
    // Most of what is dropped is not worth reading on for.
    let scan = limit.saturating_mul(8).saturating_add(1024).max(2048);
    let mut cleaned = String::new();
    let mut kept = 0;
    for (position, character) in text.chars().enumerate() {
        if position >= scan {
            cleaned.push_str(CUT);
            return (cleaned, true);
        }
        if !is_kept(character) {
            continue;
        }
        if kept == limit {
            cleaned.push_str(CUT);
            return (cleaned, true);
        }
        cleaned.push(character);
        kept += 1;
    }
    (cleaned, false)
}

/// The same in one line, for errors of servers and of what reaches them.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    clean(&text.replace('\n', " "), limit).0
}

fn is_kept(character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' | '\u{200c}' | '\u{200d}' | '\u{ad}' => true,
        character if character.is_control() => false,
        character => !is_format(character),
    }
}

/// Unicode 17, general category Cf.
fn is_format(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
        | '\u{890}'..='\u{891}' | '\u{8e2}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}'
        | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0001}' | '\u{e0020}'..='\u{e007f}')
}

/// Cleans every `description` and `title` in a schema.
pub(crate) fn clean_schema(schema: &mut Value, limit: usize) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(|item| clean_schema(item, limit)),
        Value::Object(members) => {
            for (name, value) in members.iter_mut() {
                match value {
                    Value::String(text) if name == "description" || name == "title" => {
                        *text = clean(text, limit).0;
                    }
                    value => clean_schema(value, limit),
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hidden_characters_go_and_spelling_stays() {
        assert_eq!(clean("a\0b\u{7}c\u{202e}d\u{e0041}", 100).0, "abcd");
        assert_eq!(
            clean("Zeit\u{ad}plan \u{200c}\u{200d}\n\t", 100).0,
            "Zeit\u{ad}plan \u{200c}\u{200d}\n\t"
        );
        assert_eq!(clean("xxxxx", 4), ("xxxx… [cut]".to_owned(), true));
        assert_eq!(clean("xxxx\0", 4), ("xxxx".to_owned(), false));
    }

    #[test]
    fn nested_descriptions_are_cleaned_and_names_are_not() {
        let mut schema = json!({"properties": {"description": {"description": "a\u{200b}b"}}});
        clean_schema(&mut schema, 10);
        assert_eq!(schema, json!({"properties": {"description": {"description": "ab"}}}));
    }
}
