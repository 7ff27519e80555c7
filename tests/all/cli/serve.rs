//! `serve`, as an MCP client meets it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use super::workplace::{Workplace, json};
use crate::hostile::guests;

/// A client with a handshake, over standard input and output.
struct Client {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    capabilities: Value,
    /// What came while something else was waited for.
    notified: Vec<String>,
}

impl Client {
    fn start(place: &Workplace, capabilities: Value) -> Self {
        let mut command = place.command(&["serve"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().expect("it starts");
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().expect("piped"));
        let mut client = Self { process, input, output, capabilities, notified: Vec::new() };
        let parameters = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": client.capabilities,
            "clientInfo": {"name": "tester", "version": "1"},
        });
        let answer = client.ask("initialize", parameters);
        assert_eq!(answer["result"]["serverInfo"]["name"], "toolstile", "{answer}");
        client.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn write(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("open");
        writeln!(input, "{message}").expect("it reads");
    }

    /// Every line is a message of the protocol.
    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it writes");
        let message = json(&line);
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    /// Asks, approving what is asked back where the client can be asked.
    fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.write(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}));
        loop {
            let message = self.read();
            match message["method"].as_str() {
                None => return message,
                Some("elicitation/create") => {
                    let content = json!({"decision": "approve"});
                    let result = json!({"action": "accept", "content": content});
                    let id = &message["id"];
                    self.write(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
                    self.notified.push(message["params"]["message"].to_string());
                }
                Some(method) => self.notified.push(method.to_owned()),
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))["result"].clone()
    }

    fn tools(&mut self) -> Vec<String> {
        let listed = self.ask("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().expect("a list").clone();
        tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    }

    fn wait_for(&mut self, method: &str) {
        while !self.notified.iter().any(|notified| notified == method) {
            let message = self.read();
            self.notified.push(message["method"].as_str().unwrap_or_default().to_owned());
        }
        self.notified.clear();
    }

    /// Closes the input and gives the exit code.
    fn end(mut self) -> i32 {
        drop(self.input.take());
        self.process.wait().expect("it ends").code().expect("it exits")
    }
}

#[test]
fn tools_are_listed_and_called_and_the_end_of_input_ends_it() {
    let place = Workplace::with_config("");
    let mut client = Client::start(&place, json!({}));
    assert!(client.tools().contains(&"calculator".to_owned()));
    let answer = client.call("calculator", json!({"expression": "2 ** 64"}));
    assert_eq!(answer["content"][0]["text"], "18446744073709551616", "{answer}");
    let wrong = client.call("calculator", json!({"expresion": 1}));
    assert_eq!(wrong["isError"], true);
    assert!(wrong["content"][0]["text"].to_string().contains("required property"), "{wrong}");
    let unknown = client.ask("tools/call", json!({"name": "missing", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    assert_eq!(client.end(), 0);
}

#[test]
fn confirmation_is_asked_of_the_client_or_the_call_is_refused() {
    let config = "[plugin.calculator]\nconfirm = \"always\"\n";
    let arguments = json!({"expression": "6 * 7"});
    let place = Workplace::with_config(config);
    let mut asked = Client::start(&place, json!({"elicitation": {}}));
    let answer = asked.call("calculator", arguments.clone());
    assert_eq!(answer["content"][0]["text"], "42", "{answer}");
    assert!(asked.notified[0].contains("6 * 7"), "{:?}", asked.notified);
    assert_eq!(asked.end(), 0);
    let mut silent = Client::start(&place, json!({}));
    let refused = silent.call("calculator", arguments);
    assert_eq!(refused["isError"], true);
    let text = refused["content"][0]["text"].to_string();
    assert!(text.contains("confirm = \\\"never\\\""), "{text}");
    assert_eq!(silent.end(), 0);
}

#[test]
fn plugins_come_and_go_while_it_runs() {
    let place = Workplace::with_config("[plugins]\nbundled = false\n");
    place.write("plugins/readme.txt", "nothing yet");
    let mut client = Client::start(&place, json!({}));
    assert!(client.tools().is_empty());
    place.write("plugins/echo.wasm", guests::NEIGHBOUR);
    client.wait_for("notifications/tools/list_changed");
    assert_eq!(client.tools(), ["echo"]);
    std::fs::remove_file(place.path("plugins/echo.wasm")).expect("removed");
    client.wait_for("notifications/tools/list_changed");
    assert!(client.tools().is_empty());
    assert_eq!(client.end(), 0);
}

#[cfg(unix)]
#[test]
fn the_configuration_is_read_again_when_asked_for_and_only_if_it_is_good() {
    let place = Workplace::with_config("[permissions]\ndeny = [\"calculator\"]\n");
    let mut client = Client::start(&place, json!({}));
    assert!(!client.tools().contains(&"calculator".to_owned()));
    place.write("toolstile.toml", "");
    hang_up(&client.process);
    client.wait_for("notifications/tools/list_changed");
    assert!(client.tools().contains(&"calculator".to_owned()));
    place.write("toolstile.toml", "[permisions]\n");
    hang_up(&client.process);
    assert!(client.tools().contains(&"calculator".to_owned()), "it is left as it was");
    assert_eq!(client.end(), 0);
}

#[cfg(unix)]
fn hang_up(process: &Child) {
    let process = process.id().to_string();
    let killed = std::process::Command::new("kill").args(["-HUP", &process]).status();
    assert!(killed.expect("kill").success());
}

#[test]
fn mistakes_of_serving_say_what_would_be_right() {
    let place = Workplace::with_config("");
    for (arguments, parts) in [
        (vec!["serve", "--http", "0.0.0.0:0"], ["needs at least one bearer token", "--token-env"]),
        (vec!["serve", "--http", "nowhere"], ["--http", "invalid"]),
        (vec!["serve", "--token-env", "X"], ["--http", "required"]),
        (
            vec!["serve", "--http", "127.0.0.1:0", "--token-env", "NO_SUCH_VARIABLE"],
            ["`NO_SUCH_VARIABLE` has no bearer token", ""],
        ),
    ] {
        let ran = place.run(&arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{arguments:?}: {}", ran.stderr);
        for part in parts {
            assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
        }
    }
    let config = "[[mcp]]\nnamespace = 'a'\n";
    let ran = Workplace::with_config(config).run(&["list"]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("in `[[mcp]]`: `a` needs either `command` or `url`"));
}

#[test]
fn notes_are_resources() {
    let place = Workplace::with_config("[plugin.notes.grants.notes]\ndir = 'notes'\n");
    let mut client = Client::start(&place, json!({}));
    let list = |client: &mut Client| {
        client.ask("resources/list", json!({}))["result"]["resources"].clone()
    };
    assert_eq!(list(&mut client), json!([]));
    place.write("notes/plans/two words.md", "sow peas\n");
    let uri = "note:///plans/two%20words.md";
    let note = json!({"uri": uri, "name": "plans/two words.md", "mimeType": "text/markdown"});
    assert_eq!(list(&mut client), json!([note]));
    let contents = json!([{"uri": uri, "mimeType": "text/markdown", "text": "sow peas\n"}]);
    assert_eq!(client.ask("resources/read", json!({"uri": uri}))["result"]["contents"], contents);
    let templates = client.ask("resources/templates/list", json!({}));
    assert_eq!(templates["result"]["resourceTemplates"][0]["uriTemplate"], "note:///{+path}");
    for (unknown, code) in [
        ("note:///plans", -32602),
        ("note:///../toolstile.toml", -32002),
        ("note:///none.md", -32002),
    ] {
        let error = client.ask("resources/read", json!({"uri": unknown}))["error"].clone();
        assert_eq!(error["code"], code, "{unknown}: {error}");
        let text = error.to_string();
        assert!(!text.contains(place.path("").to_str().expect("UTF-8")), "{text}");
    }
    assert_eq!(client.end(), 0);
}

#[test]
fn more_notes_than_a_page_has_are_listed_page_by_page() {
    let place = Workplace::with_config("[plugin.notes.grants.notes]\ndir = 'notes'\n");
    let mut client = Client::start(&place, json!({}));
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
    assert_eq!(client.end(), 0);
}

#[test]
fn without_a_grant_a_read_says_what_grants_it() {
    let place = Workplace::with_config("");
    place.write("notes/a.md", "CANARY");
    let mut client = Client::start(&place, json!({}));
    assert_eq!(client.ask("resources/list", json!({}))["result"]["resources"], json!([]));
    let error = client.ask("resources/read", json!({"uri": "note:///a.md"}))["error"].clone();
    let message = error["message"].as_str().unwrap_or_default();
    assert!(message.contains("[plugin.notes.grants.notes]"), "{error}");
    assert_eq!(client.end(), 0);
}
