//! `run` and `chat`: a model that calls tools, from outside.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::thread::JoinHandle;

use serde_json::{Value, json};

use super::workplace::{Ran, Workplace, json as parsed};
use crate::hostile::guests;

const CONFIRMED: &str = "[plugin.calculator]\nconfirm = \"always\"\n";

/// A workplace with a script in which the calculator is called once.
fn place(config: &str) -> Workplace {
    let place = Workplace::with_config(config);
    let script = json!([
        {"calls": [{"id": "c1", "name": "calculator", "arguments": {"expression": "6 * 7"}}]},
        "It is 42.",
    ]);
    place.write("script.json", script.to_string());
    place
}

fn run(place: &Workplace, more: &[&str]) -> Ran {
    place.run(&[&["run", "what?", "--script", "script.json"], more].concat())
}

#[test]
fn the_answer_is_on_stdout_and_the_calls_are_beside_it() {
    let ran = run(&place(""), &[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "It is 42.\n"));
    assert!(ran.stderr.starts_with("✓ calculator {\"expression\":\"6 * 7\"} success "));
    assert!(ran.stderr.trim_end().ends_with(" ms"), "{}", ran.stderr);
}

#[test]
fn json_has_everything_and_nothing_else_is_printed() {
    let ran = run(&place(""), &["--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let result = parsed(&ran.stdout);
    assert_eq!(result["status"], "answered");
    assert_eq!(result["final_output"], "It is 42.");
    assert_eq!(result["usage"]["tool_calls"], 1);
    assert_eq!(result["steps"][1]["tool"]["outcome"], "success");
}

#[test]
fn without_a_model_there_is_a_way_to_get_one() {
    for command in ["run", "chat"] {
        let arguments = [command, "what?"];
        let ran = Workplace::empty().run(&arguments[..if command == "run" { 2 } else { 1 }]);
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
        assert!(ran.stderr.starts_with("error: no model is set\n"), "{}", ran.stderr);
        assert!(ran.stderr.contains("--model PROVIDER:NAME"), "{}", ran.stderr);
    }
}

#[test]
fn what_cannot_be_used_is_said() {
    let place = place("");
    place.write("bad.json", "{}");
    for (arguments, said) in [
        (["run", "q", "--script", "nowhere.json"], "`nowhere.json` cannot be used"),
        (["run", "q", "--script", "bad.json"], "`bad.json` cannot be used"),
        (["run", "q", "--model", "nobody:m"], "nobody"),
        (["run", "q", "--model", "openai"], "openai"),
        (["run", "--resume", "run", "--script=script.json"], "no checkpoint store"),
        (["run", "--resume", "not/one", "--script=script.json"], "1 to 64 letters"),
    ] {
        let ran = place.run(&arguments);
        assert_eq!(ran.code, 3, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(said), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn without_a_terminal_a_confirmation_is_refused_unless_it_was_given() {
    let place = place(CONFIRMED);
    let refused = run(&place, &[]);
    assert_eq!(refused.code, 0, "the model answers all the same");
    assert!(refused.stderr.contains("refused (not_confirmed)"), "{}", refused.stderr);
    assert!(run(&place, &["--yes"]).stderr.contains("success"));
}

/// Three processes: one that asks, one that looks, one that runs what was approved.
#[test]
fn a_run_waits_in_a_file_until_somebody_approves() {
    let place = place(CONFIRMED);
    let kept = ["--checkpoints", "runs.sqlite"];
    let waits = run(&place, &kept);
    assert_eq!((waits.code, waits.stdout.as_str()), (2, ""));
    assert!(waits.stderr.contains(r#""expression" = "6 * 7""#), "{}", waits.stderr);
    let id = waits.stderr.split_once("run ").expect("the run").1;
    let id = id.split(' ').next().expect("its identifier").to_owned();

    place.write("rest.json", r#"["It is 42."]"#);
    let resume = |more: &[&str]| {
        let resume = ["run", "--resume", id.as_str(), "--script", "rest.json"];
        place.run(&[&resume, kept.as_slice(), more].concat())
    };
    let again = resume(&["--json"]);
    assert_eq!(
        (again.code, parsed(&again.stdout)["pending"][0]["call_id"].clone()),
        (2, json!("c1"))
    );
    let listed = place.run(&["run", "--list", "--checkpoints", "runs.sqlite"]);
    assert_eq!((listed.code, listed.stdout), (0, format!("{id}  what?\n")));
    let wrong = resume(&["--edit", "c1={\"expression\": 7}"]);
    assert_eq!(wrong.code, 3);
    assert!(wrong.stderr.contains("/expression"), "{}", wrong.stderr);
    let edited = resume(&["--edit", "c1={\"expression\": \"6 * 8\"}", "--json"]);
    assert_eq!(edited.code, 0, "{}", edited.stderr);
    let result = parsed(&edited.stdout);
    let text = result["steps"][0]["text"].as_str().expect("a text");
    assert!(text.ends_with("\n48"), "{text}");
    let gone = resume(&["--approve", "all"]);
    assert_eq!(gone.code, 3);
    assert!(gone.stderr.contains("there is no unfinished run"), "{}", gone.stderr);
}

/// The process is killed inside a tool. Another one asks before it runs again.
#[cfg(unix)]
#[test]
fn a_killed_process_leaves_a_run_that_asks() {
    let place = Workplace::with_config("[plugins]\nbundled = false\n");
    place.write("plugins/hostile.wasm", guests::HOSTILE);
    place.write("plugins/neighbour.wasm", guests::NEIGHBOUR);
    let script = json!([{"calls": [
        {"id": "a", "name": "echo", "arguments": {"text": "first"}},
        {"id": "b", "name": "endless_loop"},
    ]}]);
    place.write("script.json", script.to_string());
    let arguments = ["run", "go", "--script", "script.json", "--checkpoints", "runs.sqlite"];
    let mut child = place.command(&arguments).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    assert!(lines.next().expect("a line").expect("UTF-8").contains("echo"));
    // The second call has started when it is written down.
    let kept = once_started(&place);
    child.kill().expect("it is killed");
    child.wait().expect("it is gone");

    place.write("rest.json", r#"["done"]"#);
    let resume =
        ["run", "--resume", &kept, "--script", "rest.json", "--checkpoints", "runs.sqlite"];
    let asked = place.run(&[resume.as_slice(), &["--json"]].concat());
    let result = parsed(&asked.stdout);
    assert_eq!(result["pending"][0]["reason"], "interrupted", "{}", asked.stdout);
    let left = place.run(&[resume.as_slice(), &["--reject", "b=leave it"]].concat());
    assert_eq!((left.code, left.stdout.as_str()), (0, "done\n"), "{}", left.stderr);
}

/// Waits until the second call is marked as started, and gives the run.
#[cfg(unix)]
fn once_started(place: &Workplace) -> String {
    use toolstile::agent::{CheckpointStore as _, SqliteStore};
    let store = SqliteStore::open(&place.path("runs.sqlite")).expect("the store");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    loop {
        let runs = runtime.block_on(store.list()).expect("it works");
        if let Some(run) = runs.first() {
            let kept = runtime.block_on(store.load(&run.run)).expect("it works").expect("a run");
            let state: Value = serde_json::from_str(&kept.state).expect("JSON");
            if state["batch"]["calls"][1]["state"] == "started" {
                return run.run.to_string();
            }
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_cancels_a_run() {
    let place = Workplace::with_config("[plugins]\nbundled = false\n");
    place.write("plugins/hostile.wasm", guests::HOSTILE);
    place.write("plugins/neighbour.wasm", guests::NEIGHBOUR);
    let script = json!([{"calls": [{"name": "echo", "arguments": {"text": "x"}}, {"name": "endless_loop"}]}]);
    place.write("script.json", script.to_string());
    let mut command = place.command(&["run", "go", "--script", "script.json", "--json"]);
    // Shows nothing of its own, so the log tells that the second call runs.
    command.args(["--checkpoints", "runs.sqlite"]).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    once_started(&place);
    let pid = i32::try_from(child.id()).expect("a process");
    let killed = std::process::Command::new("kill").args(["-INT", &pid.to_string()]).status();
    assert!(killed.expect("there is `kill`").success());
    let mut stdout = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut stdout).expect("UTF-8");
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
    assert_eq!(parsed(&stdout)["status"], "cancelled");
}

#[test]
fn a_conversation_goes_on_and_approves_in_between() {
    let place = place(CONFIRMED);
    let script = json!([
        {"calls": [{"id": "c1", "name": "calculator", "arguments": {"expression": "6 * 7"}}]},
        "It is 42.", "You are welcome.",
    ]);
    place.write("script.json", script.to_string());
    let typed = "what?\nand?\n/approve\nthanks\n/approve\n/toolz\n/tools\n/quit\n";
    let arguments = ["chat", "--script", "script.json", "--checkpoints", "runs.sqlite"];
    let mut command = place.command(&arguments);
    command.env("XDG_STATE_HOME", place.path("state"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    child.stdin.take().expect("a pipe").write_all(typed.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stdout.contains("It is 42.\n") && stdout.contains("You are welcome.\n"), "{stdout}");
    assert!(stdout.contains("calculator  Evaluates"), "{stdout}");
    for said in [
        "waits for approval of",
        "calls wait for `/approve` or `/reject`",
        "✓ calculator",
        "nothing waits for a decision",
        "`/toolz` is no command here",
    ] {
        assert!(stderr.contains(said), "{said}: {stderr}");
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// One request, answered; then the next.
fn serve(answers: Vec<(&'static str, String)>) -> (String, JoinHandle<Vec<(String, Value)>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let handle = std::thread::spawn(move || {
        let mut requests = Vec::new();
        for (content_type, body) in answers {
            let (mut stream, _) = listener.accept().expect("a connection");
            requests.push(read_request(&mut stream));
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\n\
                 connection: close\r\n\r\n",
                body.len()
            );
            stream.write_all(head.as_bytes()).expect("it reads");
            stream.write_all(body.as_bytes()).expect("it reads");
        }
        requests
    });
    (address, handle)
}

fn read_request(stream: &mut TcpStream) -> (String, Value) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        reader.read_line(&mut head).expect("a request");
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().expect("a number"))
    });
    let mut body = vec![0; length.expect("a length")];
    reader.read_exact(&mut body).expect("a body");
    (head, serde_json::from_slice(&body).expect("JSON"))
}

fn sse(events: &[Value]) -> String {
    let lines: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    lines + "data: [DONE]\n\n"
}

fn chunk(delta: &Value, finish: Option<&str>) -> Value {
    json!({"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
}

/// The real program, a real protocol: a server of our own that speaks as OpenAI does.
#[test]
fn a_server_that_speaks_chat_completions_is_a_model() {
    let call = json!({"role": "assistant", "tool_calls": [{"index": 0, "id": "call_a",
        "type": "function", "function": {"name": "calculator", "arguments": ""}}]});
    let more = json!({"tool_calls": [{"index": 0, "function":
        {"arguments": "{\"expression\": \"6 * 7\"}"}}]});
    let first =
        sse(&[chunk(&call, None), chunk(&more, None), chunk(&json!({}), Some("tool_calls"))]);
    let said = [json!({"role": "assistant", "content": "It is "}), json!({"content": "42."})];
    let second =
        sse(&[chunk(&said[0], None), chunk(&said[1], None), chunk(&json!({}), Some("stop"))]);
    let stream = "text/event-stream";
    let (address, served) = serve(vec![(stream, first), (stream, second)]);
    let place = Workplace::with_config(&format!(
        "[model]\nprovider = \"openai\"\nname = \"m\"\nbase_url = \"{address}/v1\"\n\
         key_env = \"A_KEY\"\n"
    ));
    let mut command = place.command(&["run", "what is 6 * 7?"]);
    let output = command.env("A_KEY", "key-0123456789").output().expect("it runs");
    assert_eq!(
        (output.status.code(), text(&output.stdout)),
        (Some(0), "It is 42.\n".into()),
        "{}",
        text(&output.stderr)
    );
    let requests = served.join().expect("two requests");
    assert!(requests[0].0.starts_with("POST /v1/chat/completions "), "{}", requests[0].0);
    assert!(requests[0].0.to_lowercase().contains("authorization: bearer key-0123456789"));
    let tools = requests[0].1["tools"].as_array().expect("tools");
    let names: Vec<_> = tools.iter().map(|tool| tool["function"]["name"].clone()).collect();
    assert_eq!(names, ["calculator", "notes", "search", "shell"]);
    let messages = requests[1].1["messages"].as_array().expect("messages");
    let result = messages.last().expect("a result");
    assert_eq!((&result["role"], &result["tool_call_id"]), (&json!("tool"), &json!("call_a")));
    assert!(result["content"].to_string().contains("42"), "{result}");
}

#[test]
fn spans_go_to_a_collector() {
    let (address, served) = serve(vec![("application/json", "{}".to_owned())]);
    let place = place("");
    let mut command = place.command(&["run", "secret question", "--script", "script.json"]);
    let output = command.env("OTEL_EXPORTER_OTLP_ENDPOINT", address).output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let requests = served.join().expect("a request");
    assert!(requests[0].0.starts_with("POST /v1/traces "), "{}", requests[0].0);
    let sent = requests[0].1.to_string();
    for part in [
        "invoke_agent agent",
        "chat scripted",
        "execute_tool calculator",
        "gen_ai.tool.call.id",
        "gen_ai.usage.input_tokens",
        "toolstile",
    ] {
        assert!(sent.contains(part), "{part}: {sent}");
    }
    assert!(!sent.contains("secret question") && !sent.contains("6 * 7"), "{sent}");
}
