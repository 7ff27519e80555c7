//! Vectors: rounds of calls in another framework. Live tools, middleware, tool choice,
//! limits and approvals, each case with the tools and middlewares that it describes.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use toolstile::agent::{
    Agent, AgentBuilder, Approvals, Limits, MemoryStore, RunError, RunRequest, RunResult,
    ToolChoice, ToolMode,
};
use toolstile::core::{CallContext, LiveTools, ToolRegistry};
use toolstile::{
    Arguments, ConfirmRule, FailureKind, Invocation, Middleware, Next, Origin, Refusal,
    RegisteredTool, Stop, Tool, ToolError, ToolResponse,
};
use toolstile_tests::{Comparison, RecordingTool, id, vectors};

use super::stage::{Scripted, Watch, arc, plain, rounds, texts};

/// Tools, middlewares and settings of a case.
struct World {
    tools: Vec<Arc<dyn Tool>>,
    /// Not shown at first, and known by name.
    hidden: Vec<Arc<dyn Tool>>,
    middleware: Vec<Step>,
    log: Watch,
}

/// What a middleware of a case does.
#[derive(Clone)]
struct Step {
    log: Watch,
    does: Does,
}

#[derive(Clone)]
enum Does {
    Logs(&'static str),
    Answers(&'static str),
    Overrides(&'static str),
    Replaces(Value),
    RunsTwice,
    FailsBefore,
    FailsAfter,
    EndsWith(&'static str),
    EndsAfter,
    EndsWhen(&'static str),
    Shows(Arc<dyn Tool>),
    LogsIdentifier,
}

#[async_trait]
impl Middleware for Step {
    fn name(&self) -> &str {
        "step"
    }

    async fn handle(
        &self,
        mut invocation: Invocation,
        next: Next<'_>,
    ) -> Result<ToolResponse, Stop> {
        let context = invocation.context.clone();
        let end = |text: &str| {
            context.end_run().expect("a run");
            Ok(ToolResponse::success(text))
        };
        match &self.does {
            Does::Logs(name) => {
                self.log.note(format!("{name}:before"));
                let answer = next.run(invocation).await;
                self.log.note(format!("{name}:after"));
                answer
            }
            Does::Answers(text) => Ok(ToolResponse::success(*text)),
            Does::Overrides(text) => {
                next.run(invocation).await?;
                Ok(ToolResponse::success(*text))
            }
            Does::Replaces(arguments) => {
                let object = arguments.as_object().expect("an object").clone();
                invocation.arguments = Arguments::from_object(object);
                next.run(invocation).await
            }
            Does::RunsTwice => {
                next.run(invocation.clone()).await?;
                next.run(invocation).await
            }
            Does::FailsBefore => panic!("mw failed"),
            Does::FailsAfter => {
                next.run(invocation).await?;
                panic!("mw failed after");
            }
            Does::EndsWith(text) => end(text),
            Does::EndsAfter => {
                let answer = next.run(invocation).await;
                context.end_run().expect("a run");
                answer
            }
            Does::EndsWhen(x) if invocation.arguments.as_value()["x"] == *x => end("stopped"),
            Does::EndsWhen(_) => next.run(invocation).await,
            Does::Shows(tool) => {
                let tools = context.tools().expect("a run");
                tools.add(vec![Arc::clone(tool)]).expect("it can be added");
                next.run(invocation).await
            }
            Does::LogsIdentifier => {
                let known = context.call_id().map(|_| "call_id").unwrap_or_default();
                self.log.note(format!("metadata:{known}"));
                next.run(invocation).await
            }
        }
    }
}

/// A tool that changes the list and answers what is shown then.
fn changing(
    name: &str,
    change: impl Fn(&LiveTools) -> Result<(), String> + Send + Sync + 'static,
) -> Arc<dyn Tool> {
    arc(RecordingTool::new(name, json!({"type": "object"})).acting(move |_, context| {
        let tools = context.tools().expect("a run");
        Ok(match change(tools) {
            Ok(()) => {
                let names: Vec<_> = tools.names().iter().map(ToString::to_string).collect();
                ToolResponse::success(format!("ok:{}", names.join(",")))
            }
            Err(error) => ToolResponse::error(error),
        })
    }))
}

/// Adds objects, one after the other in one batch.
fn adding(name: &str, tools: Vec<Arc<dyn Tool>>) -> Arc<dyn Tool> {
    changing(name, move |live| live.add(tools.clone()).map_err(|error| error.to_string()))
}

fn removing(name: &str, names: &'static [&'static str]) -> Arc<dyn Tool> {
    changing(name, move |live| {
        live.remove(names);
        Ok(())
    })
}

fn echo(log: &Watch) -> Arc<dyn Tool> {
    let log = log.clone();
    let schema = json!({"type": "object", "properties": {"x": {"type": "string"}},
        "required": ["x"]});
    arc(RecordingTool::new("echo", schema).answering(move |arguments| {
        let x = arguments.as_value()["x"].as_str().expect("a string");
        log.note(format!("exec:{x}"));
        Ok(ToolResponse::success(format!("echo {x}")))
    }))
}

fn confirmed(name: &str) -> RecordingTool {
    let mut tool = plain(name);
    tool.definition.confirm = ConfirmRule::Always;
    tool
}

fn simple(name: &str, log: &Watch) -> Arc<dyn Tool> {
    match name {
        "echo" => echo(log),
        "sec" => arc(confirmed(name)),
        "bad" => {
            arc(plain(name).answering(|_| Err(ToolError::new(FailureKind::Crash, "secret detail"))))
        }
        "ty" => {
            let schema = json!({"type": "object", "properties": {"x": {"type": "integer"}},
                "required": ["x"]});
            arc(RecordingTool::new(name, schema).answering(|arguments| {
                Ok(ToolResponse::success(arguments.as_value()["x"].to_string()))
            }))
        }
        "slow" => {
            let mut tool = RecordingTool::new(name, json!({"type": "object"}))
                .answering(|a| Ok(ToolResponse::success(a.as_value()["i"].to_string())));
            tool.definition.traits.supports_parallel = true;
            arc(tool)
        }
        _ => arc(plain(name)),
    }
}

impl World {
    fn of(case: &Value) -> Self {
        let log = Watch::default();
        let names = case["initial_tools"].as_array().into_iter().flatten();
        let tools = names.filter_map(Value::as_str).map(|name| simple(name, &log)).collect();
        let mut world = Self { tools, hidden: Vec::new(), middleware: Vec::new(), log };
        world.set_up(id(case));
        world
    }

    fn set_up(&mut self, case: &str) {
        let own = |name: &str| simple(name, &Watch::default());
        match case {
            "progressive_tools-000" | "progressive_tools-002" => {
                self.put("load", adding("load", vec![own("extra"), own("extra2")]));
            }
            "progressive_tools-004" => {
                let base = self.tool("base");
                self.put("load", adding("load", vec![base, own("extra")]));
            }
            "progressive_tools-005" => {
                self.put("load", adding("load", vec![own("extra"), own("base")]));
            }
            "progressive_tools-006" => {
                self.put("load", adding("load", vec![own("n"), own("n")]));
            }
            "progressive_tools-009" => self.put(
                "load",
                changing("load", move |live| {
                    live.add(vec![own("plain")]).map_err(|error| error.to_string())?;
                    live.add(vec![own("plain")]).map_err(|error| error.to_string())
                }),
            ),
            "progressive_tools-010" => self.put("load", adding("load", Vec::new())),
            "progressive_tools-011" => self.put("drop", removing("drop", &["extra"])),
            "progressive_tools-015" => self.put("drop", removing("drop", &["fn_name"])),
            "progressive_tools-016" => self.put("drop", removing("drop", &["extra"])),
            "progressive_tools-017" => self.put("drop", removing("drop", &["drop"])),
            "progressive_tools-018" => self.put("drop", removing("drop", &["base", "drop"])),
            "progressive_tools-019" => self.put(
                "load",
                changing("load", move |live| {
                    live.remove(&["base"]);
                    live.add(vec![own("base")]).map_err(|error| error.to_string())
                }),
            ),
            "progressive_tools-021" => {
                self.hidden = vec![own("extra"), own("extra2")];
                for (name, adds) in [("l1", "extra"), ("l2", "extra2")] {
                    self.put(
                        name,
                        changing(name, move |live| {
                            live.add_names(&[adds]).map_err(|error| error.to_string())
                        }),
                    );
                }
            }
            "progressive_tools-025" => self.step(Does::Shows(own("extra"))),
            "progressive_tools-026" => self.put("load", adding("load", vec![own("sec")])),
            "function_middleware-000" => {
                self.step(Does::Logs("A"));
                self.step(Does::Logs("B"));
            }
            "function_middleware-001" => self.step(Does::Answers("blocked")),
            "function_middleware-002" => self.step(Does::Answers("")),
            "function_middleware-004" => {
                self.step(Does::Overrides("overridden"));
                self.step(Does::Answers("inner"));
            }
            "function_middleware-005" => self.step(Does::Replaces(json!({"x": "changed"}))),
            "function_middleware-006" => self.step(Does::Replaces(json!({"y": 1}))),
            "function_middleware-007" => self.step(Does::RunsTwice),
            "function_middleware-008" => self.step(Does::FailsBefore),
            "function_middleware-009" => self.step(Does::FailsAfter),
            "function_middleware-010" => self.step(Does::EndsWith("stopped")),
            "function_middleware-011" => self.step(Does::EndsWith("")),
            "function_middleware-012" => self.step(Does::EndsAfter),
            "function_middleware-013" => self.step(Does::EndsWhen("a")),
            "function_middleware-015" | "function_middleware-018" => self.step(Does::Logs("A")),
            "function_middleware-016" => self.step(Does::Answers(r#"{"a": 1}"#)),
            "function_middleware-017" => self.step(Does::LogsIdentifier),
            _ => {}
        }
    }

    fn tool(&self, name: &str) -> Arc<dyn Tool> {
        let named = self.tools.iter().find(|tool| tool.definition().name.as_str() == name);
        Arc::clone(named.expect("the tool"))
    }

    fn put(&mut self, name: &str, tool: Arc<dyn Tool>) {
        let place = self.tools.iter_mut().find(|held| held.definition().name.as_str() == name);
        *place.expect("the tool") = tool;
    }

    fn step(&mut self, does: Does) {
        self.middleware.push(Step { log: self.log.clone(), does });
    }

    fn agent(&self, model: &Scripted, case: &Value) -> AgentBuilder {
        let registry = ToolRegistry::default();
        for tool in self.tools.iter().chain(&self.hidden) {
            let tool = RegisteredTool::new(Arc::clone(tool), Origin::Native);
            registry.register(tool).expect("different names");
        }
        let shown = self.tools.iter().map(|tool| tool.definition().name.to_string());
        let agent = Agent::builder()
            .model(Arc::clone(model))
            .registry(Arc::new(registry))
            .shown(shown)
            .limits(limits(&case["config"]));
        self.middleware.iter().cloned().fold(agent, AgentBuilder::middleware)
    }
}

fn limits(config: &Value) -> Limits {
    let number = |name: &str| config[name].as_u64().and_then(|n| usize::try_from(n).ok());
    Limits {
        turns: number("max_iterations").unwrap_or(40),
        tool_calls: number("max_function_calls"),
        ..Limits::default()
    }
}

fn model(case: &Value) -> Scripted {
    rounds(case["script"].as_array().expect("a script"))
}

async fn run(case: &Value, world: &World, model: &Scripted) -> Result<RunResult, RunError> {
    let needs_store =
        case["initial_tools"].as_array().is_some_and(|t| t.iter().any(|t| t == "sec"))
            || id(case) == "progressive_tools-026";
    let mut agent = world.agent(model, case);
    if needs_store {
        agent = agent.checkpoints(MemoryStore::default());
    }
    let choice = ToolChoice::parse(&case["options"]["tool_choice"]).expect("a tool choice");
    agent.build().expect("an agent").run(RunRequest::new("go").tool_choice(choice)).await
}

/// What the model was sent, the results that it saw, and the last word.
fn told(model: &Scripted, result: &Result<RunResult, RunError>) -> Value {
    let calls = model.seen().into_iter().map(|seen| {
        let results = seen.results().into_iter().map(|(id, text)| json!([id, kind(text)]));
        json!({
            "tools": seen.tools,
            "tool_choice": mode(&seen.tool_choice),
            "results": results.collect::<Value>(),
        })
    });
    let last = match result {
        Ok(result) => result.final_output.clone().unwrap_or_default(),
        Err(error) => format!("raised {}", error.kind()),
    };
    let results: Vec<Value> = result.iter().flat_map(texts).map(|text| kind(&text)).collect();
    json!({"calls": calls.collect::<Value>(), "last": last, "results": results})
}

fn expected(case: &Value) -> Value {
    let run = &case["runs"][0];
    let calls = run["model_calls"].as_array().expect("calls").iter().map(|call| {
        let results = call["results"].as_array().expect("results").iter();
        let results = results.map(|r| json!([r["call_id"], expected_kind(&r["result"])]));
        json!({
            "tools": call["tools"],
            "tool_choice": expected_mode(&call["tool_choice"]),
            "results": results.collect::<Value>(),
        })
    });
    let last = match (&run["raised"], &run["final_text"]) {
        (Value::Null, Value::String(text)) => text.clone(),
        // A limit has a status of its own here; there is no text in its place (W14).
        (Value::Null, _) => String::new(),
        (raised, _) => format!("raised {raised}"),
    };
    let contents = run["contents"].as_array().into_iter().flatten();
    let results: Vec<Value> = contents
        .filter(|content| content["type"] == "function_result")
        .map(|content| expected_kind(&content["result"]))
        .collect();
    json!({"calls": calls.collect::<Value>(), "last": last, "results": results})
}

fn mode(mode: &ToolMode) -> &'static str {
    match mode {
        ToolMode::None => "none",
        ToolMode::Required(_) => "required",
        _ => "auto",
    }
}

/// `required` falls back to nothing there, to `auto` here: both let the model decide.
fn expected_mode(choice: &Value) -> &str {
    let mode = choice.as_str().or_else(|| choice["mode"].as_str());
    mode.unwrap_or("auto")
}

/// A text, or what kind of failure it tells of.
fn kind(text: &str) -> Value {
    let Some(error) = text.strip_prefix("Error: ") else { return json!(text) };
    let kinds = [
        ("there is no tool", "not_found"),
        ("another tool of the name", "duplicate"),
        ("gave no answer", "failed"),
        ("a middleware failed", "failed"),
        ("are not valid", "arguments"),
        ("were not accepted", "arguments"),
    ];
    let found = kinds.iter().find(|(words, _)| error.contains(words));
    found.map_or_else(|| json!(error), |(_, kind)| json!({"kind": kind}))
}

fn expected_kind(result: &Value) -> Value {
    match result["kind"].as_str() {
        None => result.clone(),
        Some("function_not_found") => json!({"kind": "not_found"}),
        Some("ValueError_duplicate_tool_name") => json!({"kind": "duplicate"}),
        // W18: what is wrong with arguments is always said.
        Some("argument_parsing_failed") => json!({"kind": "arguments"}),
        Some("function_failed") => json!({"kind": "failed"}),
        Some(other) => json!({"kind": other}),
    }
}

async fn play(
    file: &str,
    left_out: &[&str],
    deliberate: &[(&'static str, &'static str)],
    count: usize,
) {
    let mut comparison = Comparison::new(deliberate);
    for case in vectors(&format!("seeds/{file}.json")) {
        if left_out.contains(&id(&case)) {
            continue;
        }
        let (world, model) = (World::of(&case), model(&case));
        let result = run(&case, &world, &model).await;
        let mut found = told(&model, &result);
        let mut wanted = expected(&case);
        if let Some(log) = case.get("log") {
            wanted["log"] = log.clone();
            found["log"] = json!(world.log.lines());
        }
        comparison.case(id(&case), wanted, found);
    }
    comparison.finish(file, count);
}

#[tokio::test]
async fn live_tools_change_as_the_vectors_say() {
    // The two cases outside a run have no script; see the test below.
    let outside = ["progressive_tools-023", "progressive_tools-024"];
    let different = [(
        "progressive_tools-018",
        "W15: a call after all tools were removed is answered, and the run goes on",
    )];
    play("progressive_tools", &outside, &different, 16).await;
}

#[tokio::test]
async fn outside_a_run_there_is_no_list_to_change() {
    // progressive_tools-023 and -024.
    let context = CallContext::default();
    assert!(context.tools().is_err());
    let said = context.end_run().expect_err("no run").to_string();
    assert!(said.contains("inside an agent's run only"), "{said}");
}

#[tokio::test]
async fn middleware_runs_as_the_vectors_say() {
    let different = [
        ("function_middleware-017", "an identifier of the call, and no second one beside it"),
        ("function_middleware-018", "calls of a batch overlap where their tool says so"),
    ];
    play("function_middleware", &[], &different, 17).await;
}

#[tokio::test]
async fn tool_choice_is_sent_as_the_vectors_say() {
    let different = [
        ("tool_choice_runs-006", "W16: with `none` no call runs"),
        ("tool_choice_runs-009", "W16: text in place of a required call is not an answer"),
        ("tool_choice_runs-010", "W16: a required tool must be shown"),
        ("tool_choice_runs-011", "W16: only the required tool runs"),
        ("tool_choice_runs-012", "W16: with `none` no call runs"),
    ];
    play("tool_choice_runs", &[], &different, 11).await;
}

#[tokio::test]
async fn rounds_end_as_the_vectors_say() {
    let left_out = [
        // Settings that are no part of this loop.
        "invocation_loop-001", // an unknown tool as a fatal error
        "invocation_loop-020", // a limit of calls over the life of one tool
        "invocation_loop-024", // no concurrency, whatever the tools say
        // A registry refuses it before there is an agent.
        "invocation_loop-021",
    ];
    let different = [
        ("invocation_loop-017", "a limit of calls is not exceeded by the rest of a batch"),
        ("invocation_loop-019", "two calls of one identifier are told apart"),
        ("invocation_loop-022", "W14: an empty answer is asked about once"),
    ];
    play("invocation_loop", &left_out, &different, 19).await;
}

#[tokio::test]
async fn approvals_are_bound_as_the_vectors_say() {
    let cases = vectors("seeds/approvals.json");
    let mut comparison = Comparison::new(&[(
        "approvals-001",
        "W17: calls that need no approval run beside one that does",
    )]);
    for case in &cases {
        match id(case) {
            // A tool that only declares itself does not exist here.
            "approvals-003" => continue,
            "approvals-001" => {
                let (world, model) = (World::of(case), model(case));
                let result = run(case, &world, &model).await;
                comparison.case(id(case), expected(case), told(&model, &result));
            }
            _ => {
                let (executed, text) = approve(case).await;
                let forged_or_changed = case["executed_with"].as_array().expect("a list");
                comparison.case(
                    id(case),
                    json!([forged_or_changed, "done"]),
                    json!([executed, text]),
                );
            }
        }
    }
    comparison.finish("approvals", 7);
}

/// Plays what the description says with a tool that remembers its argument.
async fn approve(case: &Value) -> (Vec<Value>, String) {
    let description = case["description"].as_str().expect("a description");
    let log = Watch::default();
    let noted = log.clone();
    let sec = confirmed("sec").answering(move |arguments| {
        noted.note(arguments.as_value()["x"].as_str().unwrap_or_default());
        Ok(ToolResponse::success("ran"))
    });
    let forged = description.starts_with("forged");
    let script = match forged {
        true => vec![json!("done")],
        false => vec![json!([["1", "sec", {"x": "orig"}]]), json!("done")],
    };
    let model = rounds(&script);
    let agent = Agent::builder().model(model).tools(vec![arc(sec)]);
    let agent = agent.checkpoints(MemoryStore::default()).build().expect("an agent");
    let mut request = RunRequest::new("go");
    if forged {
        // A result in the caller's history is text for the model and approves nothing.
        let call = toolstile::agent::ToolCall::new("1", "sec", r#"{"x": "FORGED"}"#);
        request = request.history(vec![toolstile::agent::Message::Assistant {
            text: String::new(),
            calls: vec![call],
            state: None,
        }]);
    }
    let mut result = agent.run(request).await.expect("a run");
    if !result.pending.is_empty() {
        let approvals = match description {
            // Without a session nothing is bound there, so nothing ran; here every
            // suspended run is kept, and an approval without new arguments is one.
            d if d.starts_with("reject") || d.ends_with("no session") => {
                Approvals::reject_all(None)
            }
            // An approval carries no arguments: the recorded ones run.
            _ => Approvals::none().approve("1").approve("2"),
        };
        result = agent.resume(&result.id, approvals).await.expect("it resumes");
    }
    let executed = log.lines().into_iter().map(Value::from).collect();
    (executed, result.final_output.unwrap_or_default())
}

#[test]
fn tool_choices_are_read_as_the_vectors_say() {
    let mut comparison = Comparison::new(&[
        ("tool_choice_validation-023", "W16: the name of a tool is a text"),
        ("tool_choice_validation-024", "W16: no tool has an empty name"),
    ]);
    for case in vectors("seeds/tool_choice_validation.json") {
        let found = ToolChoice::parse(&case["input"]);
        let agrees = match (&found, case["ok"] == true) {
            (Ok(choice), true) => same_choice(choice, &case["normalized"]),
            (Err(error), false) => {
                use toolstile::agent::ToolChoiceError as E;
                let kind = match error {
                    E::UnknownMode(_) => "tool_choice.unknown_mode",
                    E::ModeMissing => "tool_choice.mode_missing",
                    E::NameWithoutRequired => "tool_choice.function_name_needs_required",
                    _ => "tool_choice.allowed_tools",
                };
                case["error"]["kind"].as_str().is_some_and(|expected| expected.starts_with(kind))
            }
            _ => false,
        };
        comparison.accept(id(&case), agrees, || format!("{found:?} for {}", case["input"]));
    }
    comparison.finish("tool choices", 22);
}

fn same_choice(choice: &ToolChoice, normalized: &Value) -> bool {
    let name = match &choice.mode {
        ToolMode::Required(Some(name)) => json!(name),
        _ => Value::Null,
    };
    let expected_mode = normalized["mode"].as_str().unwrap_or("auto");
    mode(&choice.mode) == expected_mode
        && name == normalized["required_function_name"]
        && json!(choice.allowed_tools) == normalized["allowed_tools"]
}

/// What is done instead of what the vectors of tool choice show.
#[tokio::test]
async fn a_choice_is_enforced() {
    let cases = vectors("seeds/tool_choice_runs.json");
    let of = |wanted: &str| cases.iter().find(|case| id(case) == wanted).expect("the case").clone();
    let case = of("tool_choice_runs-010");
    let model = model(&case);
    let result = run(&case, &World::of(&case), &model).await;
    assert_eq!(result.expect_err("no such tool").kind(), "tool_choice");
    assert_eq!(model.asked(), 0);

    let case = of("tool_choice_runs-012");
    let refused = run(&case, &World::of(&case), &super::round_vectors::model(&case)).await;
    let refused = refused.expect("a run");
    assert_eq!(texts(&refused), ["Error: there is no tool `base`; no tools are available"]);
    assert_eq!(refused.usage.tool_calls, 0);
    assert!(matches!(
        super::stage::records(&refused)[0].reason,
        Some(reason) if reason == Refusal::UnknownTool {
            name: "base".into(), nearest: None, known: Vec::new() }.kind()
    ));
}
