//! DuckDuckGo: the results as a page for people.
//!
//! What is looked for: an element of class `result` for each result, with
//! `result--ad` if it is an advertisement; in it an element of class `result__a`
//! that holds the title and links to the page, mostly by a redirect of
//! DuckDuckGo's own, and one of class `result__snippet`.

use html5gum::{HtmlString, StartTag, Token};

use crate::answer::MAX_ENTRIES;
use crate::{Answer, Entry, Reason, html};

/// How a page is answered that asks for a person.
pub(super) const CAPTCHA_STATUS: u16 = 202;

pub(super) fn read(body: &[u8]) -> Result<Answer, Reason> {
    let mut page = Page::default();
    for token in html::tokens(&String::from_utf8_lossy(body)) {
        page.see(token);
        if page.results.len() > MAX_ENTRIES {
            break;
        }
    }
    page.finish()
}

/// What is known of a page.
#[derive(Default)]
struct Page {
    results: Vec<Listed>,
    /// The element whose text is being read.
    open: Option<Open>,
    asks_for_person: bool,
    says_nothing_found: bool,
}

/// A result, as the page has it.
#[derive(Default)]
struct Listed {
    title: String,
    snippet: String,
    link: String,
    is_ad: bool,
}

struct Open {
    tag: HtmlString,
    /// Elements of the same tag that are open, itself included.
    depth: usize,
    part: Part,
    text: String,
}

#[derive(Clone, Copy)]
enum Part {
    Title,
    Snippet,
}

impl Page {
    fn see(&mut self, token: Token) {
        match token {
            Token::StartTag(tag) => self.start(&tag),
            Token::EndTag(tag) => self.end(&tag.name),
            Token::String(text) => {
                if let Some(open) = &mut self.open {
                    open.text += &html::string(&text);
                }
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: &StartTag<()>) {
        let classes = html::attribute(tag, "class");
        let has = |class: &str| classes.split_ascii_whitespace().any(|known| known == class);
        self.asks_for_person |= classes.contains("anomaly-modal");
        self.says_nothing_found |= has("no-results") || has("result--no-result");
        if has("result") {
            self.close();
            self.results.push(Listed { is_ad: has("result--ad"), ..Listed::default() });
        } else if has("result__a") {
            self.open(tag, Part::Title);
            self.result().link = html::attribute(tag, "href");
        } else if has("result__snippet") {
            self.open(tag, Part::Snippet);
        } else if let Some(open) = self.open.as_mut().filter(|open| open.tag == tag.name) {
            open.depth += 1;
        }
    }

    fn end(&mut self, tag: &HtmlString) {
        let Some(open) = self.open.as_mut().filter(|open| open.tag == *tag) else { return };
        open.depth -= 1;
        if open.depth == 0 {
            self.close();
        }
    }

    fn open(&mut self, tag: &StartTag<()>, part: Part) {
        self.close();
        let open = Open { tag: tag.name.clone(), depth: 1, part, text: String::new() };
        self.open = Some(open);
    }

    /// Gives what was read to the result, also where the page forgot an end tag.
    fn close(&mut self) {
        let Some(Open { part, text, .. }) = self.open.take() else { return };
        match part {
            Part::Title => self.result().title = text,
            Part::Snippet => self.result().snippet = text,
        }
    }

    /// The result that the page is in.
    fn result(&mut self) -> &mut Listed {
        if self.results.is_empty() {
            self.results.push(Listed::default());
        }
        let last = self.results.len() - 1;
        &mut self.results[last]
    }

    fn finish(mut self) -> Result<Answer, Reason> {
        self.close();
        match self.results.is_empty() {
            true if self.asks_for_person => Err(Reason::Captcha),
            true if !self.says_nothing_found => Err(Reason::Unreadable),
            _ => Ok(Answer::new(None, self.results.iter().filter_map(Listed::entry))),
        }
    }
}

impl Listed {
    /// Nothing, if it is an advertisement.
    fn entry(&self) -> Option<Entry> {
        let target = target(&self.link);
        let is_ad = self.is_ad || target.starts_with("https://duckduckgo.com/y.js");
        (!is_ad).then(|| Entry::new(Some(&self.title), Some(&self.snippet), Some(&target)))
    }
}

/// Where a link leads: the parameter `uddg` of a redirect, or the link itself.
fn target(link: &str) -> String {
    let link = if link.starts_with("//") { format!("https:{link}") } else { link.to_owned() };
    let redirects = ["https://duckduckgo.com/l/?", "http://duckduckgo.com/l/?", "/l/?"];
    let parameters = redirects.iter().find_map(|redirect| link.strip_prefix(redirect));
    let target = parameters.and_then(|parameters| {
        let mut parameters = form_urlencoded::parse(parameters.as_bytes());
        parameters.find(|(name, _)| name == "uddg")
    });
    target.map_or(link.clone(), |(_, target)| target.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_are_followed_by_their_parameter() {
        let direct = "https://a.example/?b=c%20d";
        let encoded = "https%3A%2F%2Fa.example%2F%3Fb%3Dc%2520d";
        for link in [
            format!("//duckduckgo.com/l/?uddg={encoded}&rut=1"),
            format!("https://duckduckgo.com/l/?kh=-1&uddg={encoded}"),
            format!("/l/?uddg={encoded}"),
            direct.to_owned(),
        ] {
            assert_eq!(target(&link), direct, "{link}");
        }
        assert_eq!(target("//a.example/"), "https://a.example/");
        assert_eq!(target("//duckduckgo.com/l/?rut=1"), "https://duckduckgo.com/l/?rut=1");
    }
}
