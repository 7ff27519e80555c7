//! A person decides about calls: now, later, after a restart, after a crash.

use std::future::pending;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::Notify;
use toolstile::agent::{
    Agent, AgentBuilder, Approval, Approvals, Checkpoint, CheckpointStore, Event, MemoryStore,
    Observer, PendingReason, RunError, RunId, RunRequest, RunStatus, SqliteStore, StoreError,
    StoredRun,
};
use toolstile::{
    Arguments, CallContext, ConfirmRule, Invocation, MemorySink, Middleware, Next, Refusal, Stop,
    Tool, ToolDefinition, ToolError, ToolResponse,
};
use toolstile_tests::RecordingTool;

use super::stage::{Scripted, agent, arc, plain, records, rounds, texts};

/// A tool that a person has to approve.
fn risky(name: &str) -> RecordingTool {
    let schema = json!({"type": "object", "properties": {"x": {"type": "string"}}});
    let mut tool = RecordingTool::new(name, schema);
    tool.definition.confirm = ConfirmRule::Always;
    tool
}

fn stored(model: &Scripted, tools: Vec<Arc<dyn Tool>>, store: SqliteStore) -> Agent {
    agent(model, tools).checkpoints(store).build().expect("an agent")
}

fn open(directory: &TempDir) -> SqliteStore {
    SqliteStore::open(&directory.path().join("runs.sqlite")).expect("a store")
}

#[tokio::test]
async fn all_undecided_calls_of_a_batch_are_listed_at_once() {
    let (del, safe) = (Arc::new(risky("del")), Arc::new(plain("safe")));
    let model = rounds(&[
        json!([["1", "safe", {}], ["2", "del", {"x": "a"}], ["3", "safe", {}],
               ["4", "del", {"x": "b"}], ["5", "del", {"x": 5}]]),
        json!("done"),
    ]);
    let tools: Vec<Arc<dyn Tool>> = vec![del.clone(), safe.clone()];
    let agent = agent(&model, tools).checkpoints(MemoryStore::default()).build().expect("one");
    let result = agent.run("go").await.expect("a run");
    assert_eq!(result.status, RunStatus::AwaitingApproval);
    let ids: Vec<_> = result.pending.iter().map(|p| p.call_id.as_str()).collect();
    // The fifth is not valid: nobody is asked about it.
    assert_eq!(ids, ["2", "4"]);
    assert!(result.pending[0].text.contains(r#""x" = "a""#), "{}", result.pending[0].text);
    // What stands before it ran; what stands behind it waits.
    assert_eq!((del.calls().len(), safe.calls().len()), (0, 1));

    let only_second = Approvals::none().approve("4").approve("no-such-call");
    let again = agent.resume(&result.id, only_second).await.expect("it resumes");
    assert_eq!(again.status, RunStatus::AwaitingApproval);
    assert_eq!((del.calls().len(), safe.calls().len()), (0, 1), "the first comes first");

    let rest = Approvals::none().reject("2", "not today");
    let done = agent.resume(&result.id, rest).await.expect("it resumes");
    assert_eq!(done.status, RunStatus::Answered);
    assert_eq!(del.calls(), [json!({"x": "b"})]);
    let seen = model.seen();
    let results = seen[1].results();
    assert!(results[1].1.contains("not today"), "{results:?}");
    assert_eq!(results.iter().map(|(id, _)| *id).collect::<Vec<_>>(), ["1", "2", "3", "4", "5"]);
}

#[tokio::test]
async fn a_run_survives_a_restart() {
    let directory = TempDir::new().expect("a directory");
    let script = [json!([["1", "del", {"x": "a"}]]), json!("done")];
    let first = rounds(&script);
    let id = {
        let agent = stored(&first, vec![arc(risky("del"))], open(&directory));
        agent.run("delete it").await.expect("a run").id
    };
    // Another process: nothing is left but the file.
    let tool = Arc::new(risky("del"));
    let second = rounds(&script[1..]);
    let agent = stored(&second, vec![tool.clone()], open(&directory));
    let runs = agent.unfinished().await.expect("a list");
    assert_eq!((&runs[0].run, runs[0].summary.as_str()), (&id, "delete it"));
    assert_eq!(agent.pending(&id).await.expect("a list")[0].call_id, "1");
    let done = agent.resume(&id, Approvals::approve_all()).await.expect("it resumes");
    assert_eq!(done.final_output.as_deref(), Some("done"));
    assert_eq!(tool.calls(), [json!({"x": "a"})]);
    assert_eq!(done.usage.model_calls, 2, "both processes together");
    assert_eq!(agent.unfinished().await.expect("a list"), []);
    let gone = agent.resume(&id, Approvals::approve_all()).await;
    assert!(matches!(gone, Err(RunError::UnknownRun(_))), "{gone:?}");
}

/// An approval holds for a tool, its arguments and its grants as they were shown.
#[tokio::test]
async fn an_approval_of_another_tool_is_none() {
    let directory = TempDir::new().expect("a directory");
    let script = [json!([["1", "del", {"x": "a"}]]), json!("done")];
    let id = {
        let agent = stored(&rounds(&script), vec![arc(risky("del"))], open(&directory));
        agent.run("go").await.expect("a run").id
    };
    let mut changed = risky("del");
    changed.definition.description = "Another tool under the same name".to_owned();
    let changed = Arc::new(changed);
    let agent = stored(&rounds(&script[1..]), vec![changed.clone()], open(&directory));
    let again = agent.resume(&id, Approvals::approve_all()).await.expect("it resumes");
    assert_eq!(again.status, RunStatus::AwaitingApproval, "it is asked about anew");
    assert_eq!(changed.calls(), [] as [Value; 0]);
    let done = agent.resume(&id, Approvals::approve_all()).await.expect("it resumes");
    assert_eq!((done.status, changed.calls().len()), (RunStatus::Answered, 1));
}

#[tokio::test]
async fn a_person_can_change_the_arguments_within_the_schema() {
    let tool = Arc::new(risky("del"));
    let model = rounds(&[json!([["1", "del", {"x": "all"}]]), json!("done")]);
    let agent = agent(&model, vec![tool.clone()]).checkpoints(MemoryStore::default());
    let agent = agent.build().expect("an agent");
    let id = agent.run("go").await.expect("a run").id;
    let wrong = agent.resume(&id, Approvals::none().edit("1", json!({"x": 1}))).await;
    let Err(RunError::InvalidEdit { call_id, refusal }) = wrong else { panic!("{wrong:?}") };
    assert!(matches!(refusal, Refusal::InvalidArguments { .. }) && call_id == "1");
    assert_eq!(agent.pending(&id).await.expect("still there").len(), 1);
    let right = Approvals::none().decide("1", Approval::Edit { arguments: json!({"x": "one"}) });
    let done = agent.resume(&id, right).await.expect("it resumes");
    assert_eq!(tool.calls(), [json!({"x": "one"})]);
    let text = &texts(&done)[0];
    assert!(text.starts_with("[a person changed the arguments of this call"), "{text}");
}

#[tokio::test]
async fn an_approval_is_used_once() {
    let tool = Arc::new(risky("del"));
    let batch = json!([["1", "del", {"x": "a"}]]);
    let model = rounds(&[batch.clone(), batch, json!("done")]);
    let agent = agent(&model, vec![tool.clone()]).checkpoints(MemoryStore::default());
    let agent = agent.build().expect("an agent");
    let id = agent.run("go").await.expect("a run").id;
    let second = agent.resume(&id, Approvals::none().approve("1")).await.expect("it resumes");
    assert_eq!(second.pending[0].call_id, "1#t2-0", "the same call is another one");
    let none = agent.resume(&id, Approvals::none().approve("1")).await.expect("it resumes");
    assert_eq!(none.status, RunStatus::AwaitingApproval);
    assert_eq!(tool.calls().len(), 1);
}

#[tokio::test]
async fn of_two_who_resume_one_goes_on() {
    let directory = TempDir::new().expect("a directory");
    let tool = Arc::new(risky("del"));
    let model = rounds(&[json!([["1", "del", {}]]), json!("done"), json!("done")]);
    let first = stored(&model, vec![tool.clone()], open(&directory));
    let second = stored(&model, vec![tool.clone()], open(&directory));
    let id = first.run("go").await.expect("a run").id;
    let both = tokio::join!(
        first.resume(&id, Approvals::approve_all()),
        second.resume(&id, Approvals::approve_all()),
    );
    let answered = [&both.0, &both.1].iter().filter(|result| result.is_ok()).count();
    assert_eq!((answered, tool.calls().len()), (1, 1), "{both:?}");
}

#[tokio::test]
async fn what_a_middleware_changed_is_what_is_approved() {
    struct Replaces;

    #[async_trait]
    impl Middleware for Replaces {
        fn name(&self) -> &str {
            "replaces"
        }

        async fn handle(&self, mut call: Invocation, next: Next<'_>) -> Result<ToolResponse, Stop> {
            call.arguments =
                Arguments::from_object([("x".into(), json!("b"))].into_iter().collect());
            next.run(call).await
        }
    }

    let tool = Arc::new(risky("del"));
    let model = rounds(&[json!([["1", "del", {"x": "a"}]]), json!("done")]);
    let agent = agent(&model, vec![tool.clone()]).middleware(Replaces);
    let agent = agent.checkpoints(MemoryStore::default()).build().expect("an agent");
    let result = agent.run("go").await.expect("a run");
    assert_eq!(result.pending[0].arguments, json!({"x": "b"}));
    agent.resume(&result.id, Approvals::approve_all()).await.expect("it resumes");
    assert_eq!(tool.calls(), [json!({"x": "b"})]);
}

#[tokio::test]
async fn objects_that_tools_added_are_there_after_a_suspension() {
    let added: Arc<dyn Tool> = Arc::new(risky("added"));
    let object = Arc::clone(&added);
    let load = plain("load").acting(move |_, context| {
        let tools = context.tools().expect("a run");
        tools.add(vec![object.clone()]).expect("its name is free");
        Ok(ToolResponse::success("loaded"))
    });
    let model = rounds(&[json!([["1", "load", {}]]), json!([["2", "added", {}]]), json!("done")]);
    let agent = agent(&model, vec![arc(load)]).checkpoints(MemoryStore::default());
    let agent = agent.build().expect("an agent");
    let id = agent.run("go").await.expect("a run").id;
    let done = agent.resume(&id, Approvals::approve_all()).await.expect("it resumes");
    assert_eq!(records(&done)[0].outcome, "success");
}

#[tokio::test]
async fn a_discarded_run_is_gone() {
    let model = rounds(&[json!([["1", "del", {}]])]);
    let agent = agent(&model, vec![arc(risky("del"))]).checkpoints(MemoryStore::default());
    let agent = agent.build().expect("an agent");
    let id = RunId::parse("mine").expect("an identifier");
    agent.run(RunRequest::new("go").id(id.clone())).await.expect("a run");
    agent.discard(&id).await.expect("it is forgotten");
    assert!(matches!(agent.pending(&id).await, Err(RunError::UnknownRun(_))));
}

#[tokio::test]
async fn a_state_of_another_version_is_reported_and_kept() {
    let directory = TempDir::new().expect("a directory");
    let run = RunId::parse("old").expect("an identifier");
    let store = open(&directory);
    for (revision, state) in [(1, r#"{"format": 99}"#), (2, "not json")] {
        let (run, state) = (run.clone(), state.to_owned());
        let kept = Checkpoint { run, revision, summary: String::new(), state };
        store.save(&kept).await.expect("it is written");
        let agent = stored(&rounds(&[]), Vec::new(), open(&directory));
        let read = agent.resume(&kept.run, Approvals::none()).await;
        assert!(matches!(read, Err(RunError::Store(StoreError::Unreadable { .. }))), "{read:?}");
        assert_eq!(store.load(&kept.run).await.expect("it is there"), Some(kept));
    }
}

#[cfg(unix)]
#[tokio::test]
async fn others_cannot_read_the_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = TempDir::new().expect("a directory");
    let _store = open(&directory);
    let file = std::fs::metadata(directory.path().join("runs.sqlite")).expect("a file");
    assert_eq!(file.permissions().mode() & 0o077, 0);
}

/// Where a process dies: after so many writes, before or after the write itself.
struct Dying {
    kept: SqliteStore,
    writes_left: AtomicUsize,
    after_the_write: bool,
    died: Arc<Notify>,
}

#[async_trait]
impl CheckpointStore for Dying {
    async fn save(&self, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        let last = self.writes_left.fetch_sub(1, Ordering::SeqCst) == 1;
        if last && !self.after_the_write {
            self.died.notify_one();
            pending::<()>().await;
        }
        self.kept.save(checkpoint).await?;
        if last {
            self.died.notify_one();
            pending::<()>().await;
        }
        Ok(())
    }

    async fn load(&self, run: &RunId) -> Result<Option<Checkpoint>, StoreError> {
        self.kept.load(run).await
    }

    async fn remove(&self, run: &RunId) -> Result<(), StoreError> {
        self.kept.remove(run).await
    }

    async fn list(&self) -> Result<Vec<StoredRun>, StoreError> {
        self.kept.list().await
    }
}

/// A tool whose effects outlive the process, and which can die with it.
#[derive(Debug)]
struct Effect {
    tool: RecordingTool,
    dies_inside: bool,
    died: Arc<Notify>,
}

#[async_trait]
impl Tool for Effect {
    fn definition(&self) -> ToolDefinition {
        self.tool.definition.clone()
    }

    async fn call(
        &self,
        arguments: &Arguments,
        context: &CallContext,
    ) -> Result<ToolResponse, ToolError> {
        let answer = self.tool.call(arguments, context).await;
        if self.dies_inside {
            self.died.notify_one();
            pending::<()>().await;
        }
        answer
    }
}

/// Two calls, the second of which needs approval; then an answer.
const CRASH_SCRIPT: &str = r#"[[["1", "safe", {}], ["2", "del", {}]], "done"]"#;

struct Machine {
    directory: TempDir,
    died: Arc<Notify>,
    safe: Arc<Effect>,
    del: Arc<Effect>,
}

impl Machine {
    fn new(dies_inside: &str) -> Self {
        let died = Arc::new(Notify::new());
        let effect = |tool: RecordingTool| {
            let dies_inside = tool.definition.name.as_str() == dies_inside;
            Arc::new(Effect { tool, dies_inside, died: Arc::clone(&died) })
        };
        let (safe, del) = (effect(plain("safe")), effect(risky("del")));
        Self { directory: TempDir::new().expect("a directory"), died, safe, del }
    }

    fn agent(&self, store: impl CheckpointStore + 'static) -> AgentBuilder {
        let script: Vec<Value> = serde_json::from_str(CRASH_SCRIPT).expect("a script");
        let tools: Vec<Arc<dyn Tool>> = vec![self.safe.clone(), self.del.clone()];
        agent(&rounds(&script), tools).checkpoints(store)
    }

    /// Runs and resumes until the process dies or there is an answer.
    async fn live(&self, writes: usize, after_the_write: bool) -> bool {
        let kept = open(&self.directory);
        let (writes_left, died) = (AtomicUsize::new(writes), Arc::clone(&self.died));
        let agent = self.agent(Dying { kept, writes_left, after_the_write, died });
        let agent = agent.build().expect("an agent");
        let life = async {
            let id = RunId::parse("run").expect("an identifier");
            let run = agent.run(RunRequest::new("go").id(id.clone())).await.expect("a run");
            assert_eq!(run.status, RunStatus::AwaitingApproval);
            let done = agent.resume(&id, Approvals::approve_all()).await.expect("it resumes");
            assert_eq!(done.status, RunStatus::Answered);
        };
        tokio::select! {
            () = life => true,
            () = self.died.notified() => false,
        }
    }

    /// Another process takes the run up again. Whatever is asked a second time is told
    /// apart from what runs unasked.
    async fn recover(&self) {
        let before = [self.safe.tool.calls().len(), self.del.tool.calls().len()];
        let mut asked_again = [false, false];
        let id = RunId::parse("run").expect("an identifier");
        let (safe, del) = (rebuilt(&self.safe), rebuilt(&self.del));
        let script: Vec<Value> = serde_json::from_str(CRASH_SCRIPT).expect("a script");
        let store = open(&self.directory);
        let Some(kept) = store.load(&id).await.expect("it works") else {
            // Nothing was written yet, or all was done.
            assert!(before == [0, 0] || before == [1, 1], "{before:?}");
            return;
        };
        let asked_before = kept.state.contains("\"assistant\"");
        let tools: Vec<Arc<dyn Tool>> = vec![safe.clone(), del.clone()];
        let model = rounds(&script[usize::from(asked_before)..]);
        let agent = stored(&model, tools, store);
        let mut result = agent.resume(&id, Approvals::none()).await.expect("it resumes");
        for _ in 0..4 {
            for call in &result.pending {
                if call.reason == PendingReason::Interrupted {
                    asked_again[usize::from(call.tool == "del")] = true;
                }
            }
            if result.status == RunStatus::Answered {
                break;
            }
            result = agent.resume(&id, Approvals::approve_all()).await.expect("it resumes");
        }
        assert_eq!(result.status, RunStatus::Answered, "nothing is lost");
        let after = [safe.tool.calls().len(), del.tool.calls().len()];
        for index in [0, 1] {
            let (ran, asked) = (before[index] + after[index], asked_again[index]);
            assert!(
                ran == 1 || (ran == 2 && asked),
                "tool {index} ran {ran} times, asked: {asked}"
            );
        }
    }
}

fn rebuilt(effect: &Effect) -> Arc<Effect> {
    let tool = match effect.tool.definition.name.as_str() {
        "del" => risky("del"),
        name => plain(name),
    };
    Arc::new(Effect { tool, dies_inside: false, died: Arc::new(Notify::new()) })
}

#[tokio::test]
async fn a_process_can_die_at_any_write() {
    for after_the_write in [false, true] {
        let mut deaths = 0;
        for writes in 1.. {
            let machine = Machine::new("");
            if machine.live(writes, after_the_write).await {
                break;
            }
            machine.recover().await;
            deaths += 1;
        }
        assert!(deaths >= 6, "it died {deaths} times");
    }
}

#[tokio::test]
async fn a_process_can_die_inside_a_tool() {
    for inside in ["safe", "del"] {
        let machine = Machine::new(inside);
        assert!(!machine.live(usize::MAX, false).await);
        machine.recover().await;
    }
}

/// What may have run and was not allowed to run again does not.
#[tokio::test]
async fn an_interrupted_call_can_be_left_alone() {
    let machine = Machine::new("safe");
    assert!(!machine.live(usize::MAX, false).await);
    let (safe, del) = (rebuilt(&machine.safe), rebuilt(&machine.del));
    let tools: Vec<Arc<dyn Tool>> = vec![safe.clone(), del.clone()];
    let agent = stored(&rounds(&[json!("done")]), tools, open(&machine.directory));
    let id = RunId::parse("run").expect("an identifier");
    let pending = agent.pending(&id).await.expect("a list");
    assert_eq!(pending[0].reason, PendingReason::Interrupted);
    let refuse = |reason: &str| Approvals::reject_all(Some(reason.to_owned()));
    let asked = agent.resume(&id, refuse("it did run")).await.expect("it resumes");
    assert_eq!(asked.pending[0].tool, "del");
    let done = agent.resume(&id, refuse("no")).await.expect("it resumes");
    assert_eq!(done.status, RunStatus::Answered);
    assert_eq!((safe.tool.calls().len(), del.tool.calls().len()), (0, 0));
}

/// Everything that a person decides about leaves a record.
#[tokio::test]
async fn a_rejection_is_recorded() {
    let sink = Arc::new(MemorySink::default());
    let model = rounds(&[json!([["1", "del", {}]]), json!("done")]);
    let agent = agent(&model, vec![arc(risky("del"))]).audit(sink.clone());
    let agent = agent.checkpoints(MemoryStore::default()).build().expect("an agent");
    let id = agent.run("go").await.expect("a run").id;
    agent.resume(&id, Approvals::reject_all(None)).await.expect("it resumes");
    let reasons: Vec<_> = sink.records().iter().map(|record| record.reason).collect();
    assert_eq!(reasons, [Some("deferred"), Some("not_confirmed")]);
}

/// Watches for what a run is suspended for.
struct Suspensions(Arc<AtomicUsize>);

impl Observer for Suspensions {
    fn observe(&self, _: &RunId, event: &Event) {
        if let Event::Suspended { pending } = event {
            self.0.fetch_add(pending.len(), Ordering::SeqCst);
        }
    }
}

#[tokio::test]
async fn those_who_watch_are_told_of_suspensions() {
    let count = Arc::new(AtomicUsize::new(0));
    let model = rounds(&[json!([["1", "del", {}], ["2", "del", {}]]), json!("done")]);
    let agent = agent(&model, vec![arc(risky("del"))]).observer(Suspensions(Arc::clone(&count)));
    let agent = agent.checkpoints(MemoryStore::default()).build().expect("an agent");
    agent.run("go").await.expect("a run");
    assert_eq!(count.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_directory_in_place_of_the_file_is_an_error() {
    let directory = TempDir::new().expect("a directory");
    let path: &Path = directory.path();
    assert!(matches!(SqliteStore::open(path), Err(StoreError::Backend(_))));
}
