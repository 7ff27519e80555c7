//! One call in a set-up where everybody who takes part writes into the same log.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::{Value, json};
use toolstile::core::{ToolExecutor, ToolExecutorBuilder, ToolRegistry, canonical_json};
use toolstile::{
    ArgumentDetail, AuditRecord, AuditSink, Call, Completion, Confirm, ConfirmRequest, ConfirmRule,
    Decision, Invocation, Middleware, Next, Origin, RegisteredTool, ResultGuard, Stop,
    ToolDefinition, ToolError, ToolPermissions, ToolResponse,
};
use toolstile_tests::RecordingTool;

/// What happened, in order: one line each.
pub(super) type Log = Arc<Mutex<Vec<String>>>;

fn note(log: &Log, line: String) {
    log.lock().expect("no panic").push(line);
}

/// The person who confirms.
#[derive(Clone, Debug)]
pub(super) enum Person {
    Says(Decision),
    Panics,
    NeverAnswers,
    /// Nobody was configured.
    Absent,
}

/// What a middleware does.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Passes,
    Replaces(Value),
    Answers(&'static str),
    Rejects(&'static str),
    Panics,
    PanicsAfterwards,
    Repeats,
    /// Passes another tool on than the one that was permitted.
    Swaps(Arc<RegisteredTool>),
    /// Answers when the rest of the call did not.
    Forgives,
    /// Changes the text of the answer.
    Rewrites(&'static str),
}

/// A tool that writes a file, called `write`, and all that is around it.
pub(super) struct Scene {
    pub(super) definition: ToolDefinition,
    pub(super) origin: Origin,
    pub(super) rule: ConfirmRule,
    pub(super) answer: Result<ToolResponse, ToolError>,
    pub(super) permissions: ToolPermissions,
    pub(super) middleware: Vec<Step>,
    pub(super) person: Person,
    pub(super) guard: ResultGuard,
    pub(super) detail: ArgumentDetail,
}

impl Default for Scene {
    /// Every call needs confirmation and gets it; one middleware passes all on.
    fn default() -> Self {
        let schema = json!({
            "properties": {"path": {"type": "string"}, "mode": {"enum": ["new", "add"], "default": "add"}},
            "required": ["path"],
            "additionalProperties": false,
        });
        Self {
            definition: RecordingTool::new("write", schema).definition,
            origin: Origin::Native,
            rule: ConfirmRule::Always,
            answer: Ok(ToolResponse::success("written")),
            permissions: ToolPermissions::default(),
            middleware: vec![Step::Passes],
            person: Person::Says(Decision::Approve),
            guard: ResultGuard::default(),
            detail: ArgumentDetail::Digest,
        }
    }
}

/// What came of a call.
pub(super) struct Played {
    pub(super) completion: Completion,
    pub(super) log: Vec<String>,
    pub(super) records: Vec<AuditRecord>,
}

impl Played {
    /// The decisions of the gates, as `gate verdict`.
    pub(super) fn gates(&self) -> Vec<String> {
        gates_of(&self.completion.record)
    }

    pub(super) fn text(&self) -> String {
        self.completion.response().text
    }
}

pub(super) fn gates_of(record: &AuditRecord) -> Vec<String> {
    record.gates.iter().map(|d| format!("{} {}", d.gate, d.verdict.as_str())).collect()
}

/// Undoes the escapes of invisible characters, in texts without backslashes before a
/// `u{` of their own.
pub(super) fn unescape(text: &str) -> String {
    let decode = |part: &str| {
        let (code, rest) = part.split_once('}').expect("an escape ends");
        let code = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
        format!("{}{rest}", code.expect("a character"))
    };
    let mut parts = text.split("\\u{");
    parts.next().into_iter().map(str::to_owned).chain(parts.map(decode)).collect()
}

/// Arguments that the tool accepts.
pub(super) const VALID: &str = r#"{"path":"a"}"#;

impl Scene {
    /// Calls the tool `write`.
    pub(super) async fn play(self, arguments: &str) -> Played {
        self.play_call(Call::new("write", arguments)).await
    }

    pub(super) async fn play_call(self, call: Call) -> Played {
        let (executor, log, sink) = self.set_up();
        let completion = executor.execute(call).await;
        let log = log.lock().expect("no panic").clone();
        Played { completion, log, records: sink.records.lock().expect("no panic").clone() }
    }

    /// The parts, for tests that make more than one call.
    pub(super) fn set_up(self) -> (ToolExecutor, Log, Arc<Sink>) {
        let log = Log::default();
        let registry = Arc::new(ToolRegistry::default());
        registry.register(self.tool(&log)).expect("free");
        let records = Mutex::default();
        let sink = Arc::new(Sink { log: Arc::clone(&log), records, detail: self.detail });
        let mut builder = ToolExecutor::builder(registry)
            .permissions(self.permissions)
            .guard(self.guard)
            .audit(Arc::clone(&sink) as Arc<dyn AuditSink>);
        for step in self.middleware {
            builder = builder.middleware(Arc::new(Recorder { log: Arc::clone(&log), step }));
        }
        builder = with_person(builder, self.person, &log);
        (builder.build(), log, sink)
    }

    fn tool(&self, log: &Log) -> RegisteredTool {
        let schema = self.definition.input_schema.as_value().clone();
        let (answer, log) = (self.answer.clone(), Arc::clone(log));
        let mut tool = RecordingTool::new("write", schema).answering(move |arguments| {
            note(&log, format!("tool {}", canonical_json(arguments.as_value())));
            answer.clone()
        });
        tool.definition = self.definition.clone();
        RegisteredTool::new(Arc::new(tool), self.origin.clone()).with_confirm(self.rule.clone())
    }
}

fn with_person(builder: ToolExecutorBuilder, person: Person, log: &Log) -> ToolExecutorBuilder {
    match person {
        Person::Absent => builder,
        person => builder.confirm(Arc::new(Asked { log: Arc::clone(log), person })),
    }
}

struct Asked {
    log: Log,
    person: Person,
}

#[async_trait]
impl Confirm for Asked {
    async fn confirm(&self, request: &ConfirmRequest) -> Decision {
        note(&self.log, format!("confirm {}", canonical_json(request.arguments.as_value())));
        match &self.person {
            Person::Says(decision) => decision.clone(),
            Person::NeverAnswers => std::future::pending().await,
            Person::Panics | Person::Absent => panic!("the screen is gone"),
        }
    }
}

struct Recorder {
    log: Log,
    step: Step,
}

#[async_trait]
impl Middleware for Recorder {
    fn name(&self) -> &str {
        "recorder"
    }

    async fn handle(&self, mut call: Invocation, next: Next<'_>) -> Result<ToolResponse, Stop> {
        note(&self.log, format!("middleware {}", canonical_json(call.arguments.as_value())));
        match &self.step {
            Step::Passes => next.run(call).await,
            Step::Replaces(value) => {
                let object = value.as_object().cloned().unwrap_or_default();
                call.arguments = toolstile::Arguments::from_object(object);
                next.run(call).await
            }
            Step::Answers(text) => Ok(ToolResponse::success(*text)),
            Step::Rejects(reason) => Err(call.reject(*reason)),
            Step::Panics => panic!("a bug"),
            Step::PanicsAfterwards => {
                let answer = next.run(call).await;
                panic!("a bug after {answer:?}")
            }
            Step::Repeats => {
                let _ = next.run(call.clone()).await;
                next.run(call).await
            }
            Step::Swaps(other) => {
                call.tool = Arc::clone(other);
                next.run(call).await
            }
            Step::Forgives => {
                let answer = next.run(call).await;
                answer.or_else(|_| Ok(ToolResponse::success("never mind")))
            }
            Step::Rewrites(text) => {
                let answer = next.run(call).await?;
                Ok(ToolResponse { text: (*text).to_owned(), ..answer })
            }
        }
    }
}

/// Keeps records, and notes each in the log.
pub(super) struct Sink {
    log: Log,
    pub(super) records: Mutex<Vec<AuditRecord>>,
    detail: ArgumentDetail,
}

impl AuditSink for Sink {
    fn record(&self, record: &AuditRecord) {
        note(&self.log, format!("audit {}", record.outcome));
        self.records.lock().expect("no panic").push(record.clone());
    }

    fn argument_detail(&self) -> ArgumentDetail {
        self.detail
    }
}
