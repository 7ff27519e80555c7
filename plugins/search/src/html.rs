//! HTML as tokens. The tokenizer is html5gum's, which follows the standard
//! (<https://html.spec.whatwg.org/multipage/parsing.html#tokenization>); no tree is
//! built.

use html5gum::{DefaultEmitter, StartTag, StringReader, Token, Tokenizer};

/// The tokens of a page. What stands in a script or a style sheet is no markup.
pub(crate) fn tokens(page: &str) -> impl Iterator<Item = Token> {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let tokenizer: Tokenizer<StringReader<'_>> = Tokenizer::new_with_emitter(page, emitter);
    tokenizer.flatten()
}

/// The text of a fragment, without its tags and with its entities decoded.
pub(crate) fn text(fragment: &str) -> String {
    let texts = Tokenizer::new(fragment).flatten().filter_map(|token: Token| match token {
        Token::String(text) => Some(string(&text)),
        _ => None,
    });
    texts.collect()
}

/// The value of an attribute; empty where there is none.
pub(crate) fn attribute(tag: &StartTag<()>, name: &str) -> String {
    tag.attributes.get(name.as_bytes()).map(|value| string(value)).unwrap_or_default()
}

pub(crate) fn string(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fragment_is_its_text() {
        assert_eq!(text("a <strong>b</strong> &amp; &#x27;c&#39; &lt;d&gt;"), "a b & 'c' <d>");
        assert_eq!(text("unclosed <b>tag <i"), "unclosed tag ");
    }

    #[test]
    fn scripts_hold_no_tags() {
        let page = "<script>var a = '<a class=\"x\">';</script><p>";
        let tags = tokens(page).filter(|token| matches!(token, Token::StartTag(_)));
        assert_eq!(tags.count(), 2);
    }
}
