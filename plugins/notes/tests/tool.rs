//! What the host is shown of the tool, and its answers to calls.

use std::cell::RefCell;
use std::collections::BTreeMap;

use toolstile_plugin_notes::{Limits, Store, append, list_resources, notes, read, read_resource};
use toolstile_sdk::resources::Body;
use toolstile_sdk::serde_json::{Map, Value, json};
use toolstile_sdk::{Error, ErrorKind, Status, Tool, ToolResponse};

/// Notes in memory.
#[derive(Default)]
struct Memory(RefCell<BTreeMap<String, String>>);

impl Memory {
    fn with(path: &str, content: &str) -> Self {
        Self(RefCell::new([(path.to_owned(), content.to_owned())].into()))
    }

    fn note(&self, path: &str) -> Option<String> {
        self.0.borrow().get(path).cloned()
    }
}

impl Store for Memory {
    fn read(&self, path: &str) -> Result<String, Error> {
        let missing = Error { kind: ErrorKind::NotFound, message: "not there".into() };
        self.note(path).ok_or(missing)
    }

    fn append(&self, path: &str, content: &str) -> Result<(), Error> {
        self.0.borrow_mut().entry(path.to_owned()).or_default().push_str(content);
        Ok(())
    }

    fn list(&self) -> Result<Vec<String>, Error> {
        Ok(self.0.borrow().keys().cloned().collect())
    }
}

/// A store that refuses everything.
struct Closed;

impl Store for Closed {
    fn read(&self, _: &str) -> Result<String, Error> {
        Err(Error { kind: ErrorKind::Denied, message: "notes are not granted".into() })
    }

    fn append(&self, path: &str, _: &str) -> Result<(), Error> {
        self.read(path).map(drop)
    }

    fn list(&self) -> Result<Vec<String>, Error> {
        self.read("").map(|_| Vec::new())
    }
}

const SHORT: Limits = Limits { read_chars: 10, append_chars: 10 };

#[test]
fn the_definition_asks_for_the_care_that_notes_need() {
    let definition = notes {}.definition();
    let properties = &definition.input_schema["properties"];
    assert_eq!(properties["action"]["enum"], json!(["read", "append"]));
    assert_eq!(properties["path"]["format"], "notes-path");
    assert_eq!(properties["content"]["type"], json!(["string", "null"]));
    assert_eq!(definition.input_schema["required"], json!(["action", "path"]));
    let rule = json!({ "properties": { "action": { "const": "append" } }, "required": ["action"] });
    assert_eq!(definition.confirm_when, Some(rule));
    let traits = definition.traits;
    assert!(traits.requires_confirmation && traits.external_content);
    assert!(!traits.read_only && !traits.destructive && !traits.supports_parallel);
}

#[test]
fn a_note_is_answered_as_it_is() {
    for content in ["hello\n", "a\r\nb\r\n", "", "a\0b", "\u{feff}hi"] {
        let response = read(&Memory::with("a.md", content), "a.md", Limits::default());
        let expected = ToolResponse::success(content);
        assert_eq!(response, expected.with_data(json!({ "path": "a.md", "exists": true })));
    }
}

#[test]
fn a_long_note_is_cut_between_characters() {
    let whole = "é".repeat(10);
    let response = read(&Memory::with("a.md", &whole), "a.md", SHORT);
    assert_eq!((response.status, response.text), (Status::Success, whole.clone()));
    let response = read(&Memory::with("a.md", &format!("{whole}éé")), "a.md", SHORT);
    assert_eq!(response.status, Status::Partial);
    assert_eq!(response.text, format!("{whole}\n[cut: the first 10 of 12 characters]"));
    assert_eq!(response.data, Some(json!({ "path": "a.md", "exists": true })));
}

#[test]
fn the_default_limits_are_8000_and_50_000_characters() {
    let Limits { read_chars, append_chars } = Limits::default();
    assert_eq!((read_chars, append_chars), (8_000, 50_000));
    assert_eq!(Limits::from_settings(), Ok(Limits::default()));
}

#[test]
fn a_missing_note_is_no_failure() {
    let response = read(&Memory::default(), " ./sub//none.md/ ", Limits::default());
    assert_eq!(response.status, Status::Success);
    assert_eq!(response.text, "There is no note `sub/none.md` yet. Appending to it creates it.");
    assert_eq!(response.data, Some(json!({ "path": "sub/none.md", "exists": false })));
}

#[test]
fn refusals_of_the_host_are_passed_on() {
    let refused = ToolResponse::error("notes are not granted");
    assert_eq!(read(&Closed, "a.md", Limits::default()), refused);
    assert_eq!(append(&Closed, "a.md", "x", Limits::default()), refused);
}

#[test]
fn what_is_appended_ends_with_one_line_break() {
    for (content, kept, characters) in
        [("X", "X\n", 2), ("line\n", "line\n", 5), ("a\r\nb", "a\r\nb\n", 5), ("x\n\n", "x\n\n", 3)]
    {
        let memory = Memory::with("a.md", "before\n");
        let response = append(&memory, "a.md", content, Limits::default());
        assert_eq!(response.text, format!("Appended {characters} characters to `a.md`."));
        let data = json!({ "path": "a.md", "appended_chars": characters });
        assert_eq!((response.status, response.data), (Status::Success, Some(data)));
        assert_eq!(memory.note("a.md"), Some(format!("before\n{kept}")));
    }
}

#[test]
fn blank_content_appends_nothing() {
    for content in ["", "  \n ", "\t\u{3000}"] {
        let memory = Memory::default();
        let response = append(&memory, "n.md", content, Limits::default());
        assert_eq!(response.status, Status::Error);
        assert!(response.text.contains("`content`"), "{}", response.text);
        assert_eq!(memory.note("n.md"), None);
    }
}

#[test]
fn too_much_content_appends_nothing() {
    let memory = Memory::default();
    let response = append(&memory, "n.md", &"é".repeat(11), SHORT);
    assert_eq!(response.status, Status::Error);
    assert_eq!(
        response.text,
        "`content` has 11 characters, at most 10 can be appended at once: \
         split it into several calls"
    );
    assert_eq!(memory.note("n.md"), None);
}

#[test]
fn a_call_without_a_host_is_an_error() {
    let call = |arguments: Value| {
        let arguments: Map<String, Value> = arguments.as_object().cloned().unwrap_or_default();
        notes {}.call(arguments)
    };
    let read = call(json!({ "action": "read", "path": "a.md", "content": "ignored" }));
    assert_eq!(read, ToolResponse::error("`notes` needs a host, and this is no component"));
    let blank = call(json!({ "action": "append", "path": "a.md" }));
    assert!(blank.text.starts_with("there is nothing to append"), "{}", blank.text);
}

#[test]
fn a_resource_is_the_whole_note() {
    let whole = "é".repeat(10_000);
    let memory = Memory::with("two words.MD", &whole);
    let listed = list_resources(&memory).expect("a list");
    let resource = &listed[0];
    assert_eq!((&*resource.uri, &*resource.name), ("note:///two%20words.MD", "two words.MD"));
    assert_eq!(resource.mime_type.as_deref(), Some("text/markdown"));
    let read = read_resource(&memory, &resource.uri).expect("it is there");
    assert!(matches!(read.body, Body::Text(text) if text == whole));
    assert_eq!((read.uri, read.mime_type), (resource.uri.clone(), resource.mime_type.clone()));
    let plain = read_resource(&Memory::with("a", ""), "note:///a").expect("it is there");
    assert_eq!(plain.mime_type.as_deref(), Some("text/plain"));
}

#[test]
fn a_list_that_is_too_long_is_cut() {
    let memory = Memory::default();
    for number in 0..2_000 {
        memory.append(&format!("{number:04}{}", "#".repeat(996)), "x").expect("it is kept");
    }
    let listed = list_resources(&memory).expect("a list");
    // A URI has three characters for each `#`.
    assert_eq!(listed.len(), 2_000_000 / (8 + 4 + 3 * 996 + 1_000));
    assert!(listed.is_sorted_by(|a, b| a.name < b.name));
    let last = "note:///1999".to_owned() + &"%23".repeat(996);
    assert!(read_resource(&memory, &last).is_ok(), "it can be read all the same");
}

#[test]
fn without_a_grant_nothing_is_listed_and_reading_is_refused() {
    assert_eq!(list_resources(&Closed).expect("a list").len(), 0);
    let refused = read_resource(&Closed, "note:///a.md").expect_err("not granted");
    assert_eq!(refused.to_string(), "notes are not granted");
    let missing = read_resource(&Closed, "note:///a/../b").expect_err("no note");
    assert_eq!(missing.kind, ErrorKind::NotFound);
}
