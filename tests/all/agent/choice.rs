//! Tool choice, limits, guardrails, retries, streaming: what bounds a run.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use toolstile::agent::ChatReply;
use toolstile::agent::{
    Agent, AgentError, Finish, Guardrail, GuardrailStage, GuardrailVerdict, Limit, Limits, Message,
    ModelError, RunError, RunRequest, RunStatus, ScriptedLlm, TokenUsage, ToolCall, ToolChoice,
    ToolMode,
};
use toolstile::{Invocation, Middleware, Next, Stop, ToolName, ToolResponse};

use super::stage::{Watch, agent, arc, plain, records, rounds, texts};

fn name(text: &str) -> ToolName {
    ToolName::parse(text).expect("a name")
}

#[tokio::test]
async fn a_required_tool_is_called_first_and_alone() {
    let model = rounds(&[
        json!([["1", "b", {}]]),
        json!([["2", "a", {}]]),
        json!([["3", "b", {}]]),
        json!("done"),
    ]);
    let agent = agent(&model, vec![arc(plain("a")), arc(plain("b"))]).build().expect("an agent");
    let request = RunRequest::new("go").tool_choice(ToolChoice::required_tool(name("a")));
    let result = agent.run(request).await.expect("a run");
    assert_eq!(texts(&result)[1..], ["ran a", "ran b"]);
    assert!(texts(&result)[0].contains("there is no tool `b`"), "{:?}", texts(&result));
    let modes: Vec<_> = model.seen().into_iter().map(|seen| seen.tool_choice).collect();
    let required = ToolMode::Required(Some(name("a")));
    assert_eq!(modes, [required.clone(), required, ToolMode::Auto, ToolMode::Auto]);
}

#[tokio::test]
async fn text_in_place_of_a_required_call_is_borne_once() {
    let model = rounds(&[json!("no"), json!([["1", "a", {}]]), json!("done")]);
    let agent_ = agent(&model, vec![arc(plain("a"))]).build().expect("an agent");
    let required = || RunRequest::new("go").tool_choice(ToolChoice::required());
    let result = agent_.run(required()).await.expect("a run");
    assert_eq!(result.final_output.as_deref(), Some("done"));
    assert!(
        matches!(&model.seen()[1].messages[2], Message::User { text } if text.contains("Call"))
    );

    let stubborn = rounds(&[json!("no"), json!("still no")]);
    let agent = agent(&stubborn, vec![arc(plain("a"))]).build().expect("an agent");
    let Err(RunError::ToolChoiceIgnored { text, .. }) = agent.run(required()).await else {
        panic!("it was ignored")
    };
    assert_eq!(text, "still no", "what it said is not lost");
}

#[tokio::test]
async fn a_choice_of_tools_hides_the_others() {
    let model = rounds(&[json!([["1", "b", {}]]), json!("done")]);
    let agent = agent(&model, vec![arc(plain("a")), arc(plain("b"))]).build().expect("an agent");
    let choice = ToolChoice { allowed_tools: Some(vec![name("a")]), ..ToolChoice::auto() };
    let result = agent.run(RunRequest::new("go").tool_choice(choice)).await.expect("a run");
    assert_eq!(model.seen()[0].tools, ["a"]);
    assert_eq!(records(&result)[0].reason, Some("unknown_tool"));
}

#[tokio::test]
async fn a_call_is_required_of_somebody_who_has_no_tools() {
    let agent = Agent::builder().model(rounds(&[])).build().expect("an agent");
    let request = RunRequest::new("go").tool_choice(ToolChoice::required());
    assert_eq!(agent.run(request).await.expect_err("no tools").kind(), "tool_choice");
}

async fn limited(limits: Limits, script: ScriptedLlm) -> (RunStatus, Option<String>, usize) {
    let model = Arc::new(script);
    let agent = agent(&model, vec![arc(plain("t"))]).limits(limits).build().expect("an agent");
    let result = agent.run("go").await.expect("a run");
    (result.status, result.final_output, result.usage.tool_calls)
}

#[tokio::test]
async fn every_limit_ends_a_run_in_its_own_way() {
    let calls = |count: usize| (0..count).fold(ScriptedLlm::new(), |m, _| m.call("t", "{}"));
    let of = |limit| RunStatus::LimitReached(limit);
    let last = || Some("last".to_owned());
    let limits = Limits { turns: 2, ..Limits::default() };
    assert_eq!(limited(limits, calls(2).text("last")).await, (of(Limit::Turns), last(), 2));

    let limits = Limits { model_calls: Some(2), ..Limits::default() };
    assert_eq!(limited(limits, calls(2)).await, (of(Limit::ModelCalls), None, 2));

    let many = ScriptedLlm::new().calls((0..3).map(|i| ToolCall::new(format!("{i}"), "t", "{}")));
    let limits = Limits { tool_calls: Some(2), ..Limits::default() };
    assert_eq!(limited(limits, many.text("last")).await, (of(Limit::ToolCalls), last(), 2));

    let failing = (0..3).fold(ScriptedLlm::new(), |m, _| m.call("nope", "{}")).text("last");
    let found = limited(Limits::default(), failing).await;
    assert_eq!(found, (of(Limit::FailedBatches), last(), 0));

    let usage = TokenUsage { input_tokens: 90, output_tokens: 20 };
    let costly = ChatReply { usage, ..ChatReply::calls(vec![ToolCall::new("1", "t", "{}")]) };
    let limits = Limits { tokens: Some(100), ..Limits::default() };
    let found = limited(limits, ScriptedLlm::new().replying(costly)).await;
    assert_eq!(found, (of(Limit::Tokens), None, 0));

    let limits = Limits { tool_calls: Some(0), ..Limits::default() };
    let (status, ..) = limited(limits, ScriptedLlm::new().text("just text")).await;
    assert_eq!(status, RunStatus::Answered);
}

#[tokio::test]
async fn wall_time_ends_a_run_wherever_it_is() {
    struct Silent;

    #[async_trait]
    impl Middleware for Silent {
        fn name(&self) -> &str {
            "silent"
        }

        async fn handle(&self, _: Invocation, _: Next<'_>) -> Result<ToolResponse, Stop> {
            std::future::pending().await
        }
    }

    let model = rounds(&[json!([["1", "t", {}]])]);
    let limits = Limits { wall_time: Some(Duration::from_millis(20)), ..Limits::default() };
    let agent = agent(&model, vec![arc(plain("t"))]).limits(limits).middleware(Silent);
    let result = agent.build().expect("an agent").run("go").await.expect("a run");
    assert_eq!(result.status, RunStatus::LimitReached(Limit::WallTime));
    assert!(matches!(result.messages.last(), Some(Message::Tool { .. })));
}

#[tokio::test]
async fn what_may_pass_is_asked_again() {
    let busy =
        |seconds| ModelError::RateLimited { retry_after: seconds, detail: "slow down".to_owned() };
    let model = ScriptedLlm::new()
        .failure(busy(Some(Duration::from_millis(2))))
        .failure(busy(Some(Duration::ZERO)))
        .text("hello");
    let watch = Watch::default();
    let agent = Agent::builder().model(model).observer(watch.clone()).build().expect("an agent");
    let result = agent.run("go").await.expect("a run");
    assert_eq!(result.final_output.as_deref(), Some("hello"));
    assert_eq!(result.usage.model_calls, 1);
    assert!(ModelError::Unavailable { detail: String::new() }.is_transient());
    assert_eq!(watch.lines().iter().filter(|line| *line == "retry").count(), 2);

    for (error, kind) in [
        (busy(Some(Duration::from_secs(3600))), "rate_limited"),
        (ModelError::Refused { detail: "no".to_owned() }, "refused"),
        (ModelError::Unauthorized { detail: "no key".to_owned() }, "unauthorized"),
    ] {
        let model = Arc::new(ScriptedLlm::new().failure(error).text("never"));
        let agent = Agent::builder().model(model.clone()).build().expect("an agent");
        assert_eq!(agent.run("go").await.expect_err("it failed").kind(), kind);
        assert_eq!(model.asked(), 1);
    }
}

#[tokio::test]
async fn a_script_that_is_too_short_fails_loudly() {
    let agent = Agent::builder().model(ScriptedLlm::new()).build().expect("an agent");
    let error = agent.run("go").await.expect_err("nothing to say");
    assert_eq!(error.to_string(), "the script has 0 replies and was asked for one more");
}

/// Blocks a word.
struct Word(&'static str);

#[async_trait]
impl Guardrail for Word {
    fn name(&self) -> &str {
        "word"
    }

    async fn check(&self, text: &str) -> GuardrailVerdict {
        assert!(!text.contains("panic"), "asked to");
        match text.contains(self.0) {
            true => GuardrailVerdict::Block { reason: format!("it says {}", self.0) },
            false => GuardrailVerdict::Pass,
        }
    }
}

#[tokio::test]
async fn guardrails_look_at_both_ends() {
    let run = async |input: &str, answer: &str| {
        let model = Arc::new(ScriptedLlm::new().text(answer));
        let agent = Agent::builder().model(model.clone()).input_guardrail(Word("bad"));
        let agent = agent.output_guardrail(Word("worse")).build().expect("an agent");
        let result = agent.run(input).await.expect("a run");
        (result.status, result.final_output, model.asked())
    };
    let (status, output, asked) = run("something bad", "never").await;
    let RunStatus::Blocked(blocked) = status else { panic!("{status:?}") };
    assert_eq!((blocked.stage, blocked.guardrail.as_str()), (GuardrailStage::Input, "word"));
    assert_eq!((output, asked), (None, 0));
    let (status, output, _) = run("fine", "worse").await;
    assert!(matches!(status, RunStatus::Blocked(b) if b.stage == GuardrailStage::Output));
    assert_eq!(output, None);
    assert_eq!(run("fine", "fine").await.0, RunStatus::Answered);
    // One that fails blocks.
    assert!(matches!(run("panic", "never").await.0, RunStatus::Blocked(_)));
}

#[tokio::test]
async fn text_is_streamed_in_pieces_unless_it_has_to_be_checked() {
    let stream = async |checked: bool| {
        let watch = Watch::default();
        let model = ScriptedLlm::new().text("hello, dear world");
        let mut agent = Agent::builder().model(model).observer(watch.clone()).streaming(true);
        if checked {
            agent = agent.output_guardrail(Word("bad"));
        }
        agent.build().expect("an agent").run("go").await.expect("a run");
        watch.lines().into_iter().filter(|line| line.starts_with("delta ")).collect::<Vec<_>>()
    };
    assert_eq!(stream(false).await, ["delta hello, d", "delta ear worl", "delta d"]);
    assert_eq!(stream(true).await, ["delta hello, dear world"]);
}

#[tokio::test]
async fn events_tell_what_happened_and_nothing_else() {
    let model = rounds(&[json!([["1", "t", {}], ["2", "nope", {}]]), json!("done")]);
    let watch = Watch::default();
    let agent = agent(&model, vec![arc(plain("t"))]).observer(watch.clone());
    agent.build().expect("an agent").run("go").await.expect("a run");
    let expected = [
        "start",
        "asked",
        "replied",
        "requested t",
        "started t",
        "ended t success",
        "requested nope",
        "ended nope refused",
        "asked",
        "replied",
        "end answered",
    ];
    assert_eq!(watch.lines(), expected);
}

/// Rejects, ends the run, or aborts it.
struct Says(&'static str);

#[async_trait]
impl Middleware for Says {
    fn name(&self) -> &str {
        "says"
    }

    async fn handle(&self, call: Invocation, _: Next<'_>) -> Result<ToolResponse, Stop> {
        match self.0 {
            "reject" => Err(call.reject("not now")),
            "end" => {
                call.context.end_run().expect("a run");
                Ok(ToolResponse::success("enough"))
            }
            _ => Err(Stop::Aborted { reason: "the budget is gone".to_owned() }),
        }
    }
}

#[tokio::test]
async fn a_middleware_can_say_no_in_three_ways() {
    let run = async |how| {
        let model = rounds(&[json!([["1", "t", {}]]), json!("done")]);
        let agent = agent(&model, vec![arc(plain("t"))]).middleware(Says(how));
        (agent.build().expect("an agent").run("go").await, model.asked())
    };
    let (result, asked) = run("reject").await;
    let result = result.expect("a run");
    assert_eq!((result.status.clone(), asked), (RunStatus::Answered, 2));
    assert!(texts(&result)[0].contains("not now"));
    let (result, asked) = run("end").await;
    let result = result.expect("a run");
    assert_eq!((result.status, asked), (RunStatus::StoppedByTool, 1));
    assert!(matches!(result.messages.last(), Some(Message::Tool { text, .. }) if text == "enough"));
    let (result, asked) = run("abort").await;
    assert_eq!(result.expect_err("aborted").to_string(), "the run was aborted: the budget is gone");
    assert_eq!(asked, 1);
}

#[tokio::test]
async fn a_tool_can_end_the_run() {
    let finish = plain("finish").acting(|_, context| {
        context.end_run().expect("a run");
        Ok(ToolResponse::success("that was it"))
    });
    let model = rounds(&[json!([["1", "finish", {}], ["2", "t", {}]])]);
    let agent = agent(&model, vec![arc(finish), arc(plain("t"))]).build().expect("an agent");
    let result = agent.run("go").await.expect("a run");
    assert_eq!(result.status, RunStatus::StoppedByTool);
    assert_eq!(texts(&result), ["that was it", "ran t"], "the batch is finished");
}

#[test]
fn an_agent_needs_a_model_and_one_source_of_tools() {
    assert_eq!(Agent::builder().build().expect_err("no model"), AgentError::NoModel);
    let twice = Agent::builder().model(ScriptedLlm::new()).tools(Vec::new()).tools(Vec::new());
    assert_eq!(twice.build().expect_err("twice"), AgentError::TwoSources);
    let unknown = Agent::builder().model(ScriptedLlm::new()).shown(["t"]);
    assert_eq!(unknown.build().expect_err("unknown"), AgentError::UnknownTool(name("t")));
    let same = agent(&rounds(&[]), vec![arc(plain("t")), arc(plain("t"))]).build();
    assert!(matches!(same.expect_err("a conflict"), AgentError::Registry(_)));
}

#[tokio::test]
async fn a_conversation_goes_on_where_it_was() {
    let model = rounds(&[json!([["1", "t", {}]]), json!("first"), json!("second")]);
    let agent = agent(&model, vec![arc(plain("t"))]).system("Be brief.").build().expect("one");
    let first = agent.run("one").await.expect("a run");
    agent.run(RunRequest::new("two").history(first.messages)).await.expect("a run");
    let seen = model.seen();
    assert_eq!(seen[2].messages.len(), 5);
    assert!(seen.iter().all(|seen| seen.system.as_deref() == Some("Be brief.")));
}

#[test]
fn a_script_is_read_from_json() {
    let script = r#"["hi", {"text": "so", "calls": [{"name": "t", "arguments": {"x": 1}},
        {"id": "own", "name": "t", "arguments": "{bad"}]}]"#;
    assert_eq!(ScriptedLlm::parse(script).expect("a script").asked(), 0);
    for wrong in ["{}", "[1]", r#"[{"call": []}]"#, "["] {
        assert!(ScriptedLlm::parse(wrong).is_err(), "{wrong}");
    }
    assert_eq!(Finish::Other("x".to_owned()).as_str(), "x");
}
