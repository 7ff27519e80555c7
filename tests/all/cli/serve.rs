//! `serve`, as a client over standard input and output meets it.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use super::workplace::Workplace;

/// A client that asks one thing after the other, without a handshake (MCP 2026-07-28).
struct Client {
    server: Child,
    requests: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Client {
    /// The server has made its directory of notes when this returns.
    fn of(place: &Workplace) -> Self {
        let mut command = place.command(&["serve"]);
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = pipes.spawn().expect("it starts");
        let requests = server.stdin.take().expect("a pipe");
        let answers = BufReader::new(server.stdout.take().expect("a pipe")).lines();
        let mut client = Self { server, requests, answers };
        client.ask("server/discover", json!({}));
        client
    }

    fn ask(&mut self, method: &str, mut parameters: Value) -> Value {
        parameters["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters});
        writeln!(self.requests, "{request}").expect("the server listens");
        let answer = self.answers.next().expect("an answer").expect("text");
        serde_json::from_str(&answer).expect("JSON")
    }

    fn read(&mut self, uri: &str) -> Value {
        self.ask("resources/read", json!({"uri": uri}))
    }

    /// Goes away, and the server with it.
    fn close(mut self) {
        drop(self.requests);
        assert!(self.server.wait().expect("it ends").success());
    }
}

#[test]
fn notes_are_resources() {
    let place = Workplace::with_config("[plugin.notes.grants.notes]\ndir = 'notes'\n");
    let mut client = Client::of(&place);
    let list = |client: &mut Client| {
        client.ask("resources/list", json!({}))["result"]["resources"].clone()
    };
    assert_eq!(list(&mut client), json!([]));
    place.write("notes/plans/two words.md", "sow peas\n");
    let uri = "note:///plans/two%20words.md";
    let note = json!({"uri": uri, "name": "plans/two words.md", "mimeType": "text/markdown"});
    assert_eq!(list(&mut client), json!([note]));
    let contents = json!([{"uri": uri, "mimeType": "text/markdown", "text": "sow peas\n"}]);
    assert_eq!(client.read(uri)["result"]["contents"], contents);
    let templates = client.ask("resources/templates/list", json!({}));
    assert_eq!(templates["result"]["resourceTemplates"][0]["uriTemplate"], "note:///{+path}");
    for unknown in ["note:///plans", "note:///../toolstile.toml", "note:///none.md"] {
        let error = client.read(unknown)["error"].clone();
        assert_eq!(error["code"], -32602, "{unknown}: {error}");
        let text = error.to_string();
        assert!(!text.contains(place.path("").to_str().expect("UTF-8")), "{text}");
    }
    client.close();
}

#[test]
fn more_notes_than_a_page_has_are_listed_page_by_page() {
    let place = Workplace::with_config("[plugin.notes.grants.notes]\ndir = 'notes'\n");
    let mut client = Client::of(&place);
    for number in 0..250 {
        place.write(&format!("notes/{number:03}"), "");
    }
    let first = client.ask("resources/list", json!({}))["result"].clone();
    let cursor = &first["nextCursor"];
    let second = client.ask("resources/list", json!({"cursor": cursor}))["result"].clone();
    assert_eq!(second.get("nextCursor"), None);
    let pages = [&first, &second].map(|page| page["resources"].as_array().expect("a list"));
    let names: Vec<&str> = pages.into_iter().flatten().filter_map(|n| n["name"].as_str()).collect();
    let expected: Vec<String> = (0..250).map(|number| format!("{number:03}")).collect();
    assert_eq!(names, expected);
    place.write("notes/250", "");
    let stale = client.ask("resources/list", json!({"cursor": cursor}));
    assert_eq!(stale["error"]["code"], -32602, "{stale}");
    client.close();
}

#[test]
fn without_a_grant_a_read_says_what_grants_it() {
    let place = Workplace::with_config("");
    place.write("notes/a.md", "CANARY");
    let mut client = Client::of(&place);
    assert_eq!(client.ask("resources/list", json!({}))["result"]["resources"], json!([]));
    let error = client.read("note:///a.md")["error"].clone();
    let message = error["message"].as_str().unwrap_or_default();
    assert!(message.contains("[plugin.notes.grants.notes]"), "{error}");
    client.close();
}
