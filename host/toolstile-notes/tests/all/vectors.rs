//! Every attack vector on paths (`tests/cases/security/paths.jsonl`), with `openat2` and
//! without.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use toolstile_notes::{Notes, Quotas};

use crate::child::{LINE_BYTES, LINES};
use crate::concurrency::{append_from_processes, intact_lines};
use crate::movers::Mover;
use crate::sandbox::{CANARY, Outcome, Sandbox};
use crate::without_openat2::{has_openat2, without_openat2};

const VECTORS: &str = include_str!("../../../../tests/cases/security/paths.jsonl");
const COUNT: usize = 108;

/// No call may take longer, whatever it meets.
const PATIENCE: Duration = Duration::from_secs(2);

/// Set in a process that runs what needs a user without privileges.
const UNPRIVILEGED: &str = "TOOLSTILE_NOTES_TEST_UNPRIVILEGED";
/// The user number of such a process: `nobody`.
const NOBODY: u32 = 65534;

#[test]
fn every_vector_holds() {
    if env::var_os(UNPRIVILEGED).is_some() {
        return unprivileged_part();
    }
    assert!(has_openat2(), "this kernel has no openat2; the other test is the one that counts");
    Tally::of_all_vectors("every_vector_holds").report("with openat2");
}

#[test]
fn every_vector_holds_without_openat2() {
    if env::var_os(UNPRIVILEGED).is_some() {
        return unprivileged_part();
    }
    let tally = without_openat2(|| Tally::of_all_vectors("every_vector_holds_without_openat2"));
    tally.report("without openat2");
}

/// What became of the vectors.
#[derive(Default)]
struct Tally {
    ran: usize,
    /// By id, with the reason.
    skipped: BTreeMap<String, &'static str>,
    failed: Vec<String>,
}

impl Tally {
    /// `test` is the name of the calling test.
    fn of_all_vectors(test: &str) -> Self {
        let mut tally = Self::default();
        for line in VECTORS.lines() {
            match Vector::parse(line) {
                Ok(vector) => tally.add(&vector),
                Err(id) => tally.skip(id, "its path is not a string in Rust"),
            }
        }
        if is_root() {
            tally.run_unprivileged(test);
        }
        tally
    }

    fn add(&mut self, vector: &Vector) {
        match vector.needs() {
            "root" if !is_root() => self.skip(vector.id(), "needs root"),
            "non-root" if is_root() => self.skip(vector.id(), "needs a user without privileges"),
            _ => self.run(vector),
        }
    }

    fn run(&mut self, vector: &Vector) {
        self.ran += 1;
        let complaints = vector.run();
        self.failed.extend(complaints.into_iter().map(|c| format!("{}: {c}", vector.id())));
    }

    fn skip(&mut self, id: String, reason: &'static str) {
        self.skipped.insert(id, reason);
    }

    /// Starts this program as another user for the vectors that root cannot run. They
    /// stay skipped when that user cannot execute it.
    fn run_unprivileged(&mut self, test: &str) {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args([&format!("vectors::{test}"), "--exact", "--quiet", "--nocapture"]);
        command.env(UNPRIVILEGED, "1").uid(NOBODY).gid(NOBODY).current_dir("/");
        let Ok(output) = command.output() else { return };
        let said = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() || !said.contains("1 passed") {
            self.failed.push(format!("{said}{}", String::from_utf8_lossy(&output.stderr)));
        }
        let before = self.skipped.len();
        self.skipped.retain(|_, reason| *reason != "needs a user without privileges");
        self.ran += before - self.skipped.len();
    }

    #[expect(clippy::print_stderr, reason = "how many ran, and what was skipped, is worth seeing")]
    fn report(self, how: &str) {
        let Self { ran, skipped, failed } = self;
        eprintln!("path vectors {how}: {ran} ran, {} skipped: {skipped:?}", skipped.len());
        assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
        assert_eq!(ran + skipped.len(), COUNT);
        // A string that cannot exist; root or not root; nobody else to run as.
        assert!(skipped.len() <= 3, "{skipped:?}");
    }
}

fn unprivileged_part() {
    let vectors: Vec<_> = VECTORS.lines().filter_map(|line| Vector::parse(line).ok()).collect();
    let needing: Vec<_> = vectors.iter().filter(|v| v.needs() == "non-root").collect();
    assert!(!is_root() && !needing.is_empty());
    for vector in needing {
        assert_eq!(vector.run(), [""; 0], "{}", vector.id());
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

struct Vector(Value);

impl Vector {
    /// The id of a vector that is JSON and no Rust string (a lone surrogate).
    fn parse(line: &str) -> Result<Self, String> {
        serde_json::from_str(line).map(Self).map_err(|error| {
            assert!(line.contains(r#""json_only": true"#), "{error}: {line}");
            line.split('"').nth(3).unwrap().to_owned()
        })
    }

    fn text(&self, key: &str) -> &str {
        self.0[key].as_str().unwrap_or_default()
    }

    fn id(&self) -> String {
        self.text("id").to_owned()
    }

    fn needs(&self) -> &str {
        self.text("needs")
    }

    fn has_step(&self, name: &str) -> bool {
        self.0["setup"].as_array().unwrap().iter().any(|step| step.get(name).is_some())
    }

    fn accepts(&self, verdict: &str) -> bool {
        self.0["accept"].as_array().unwrap().iter().any(|accepted| accepted == verdict)
    }

    /// What is wrong; nothing when the vector holds.
    fn run(&self) -> Vec<String> {
        let sandbox = Sandbox::new();
        let movers = self.prepare(&sandbox);
        let outside = sandbox.outside();
        let mut complaints = match () {
            () if !movers.is_empty() => self.race(&sandbox, &movers),
            () if self.0["iterations"].is_u64() => self.fill(&sandbox),
            () => self.call(&sandbox),
        };
        if sandbox.outside() != outside {
            complaints.push("something outside changed".to_owned());
        }
        if self.has_step("rmroot") && sandbox.root().exists() {
            complaints.push("the directory was made again".to_owned());
        }
        complaints
    }

    fn prepare(&self, sandbox: &Sandbox) -> Vec<Mover> {
        let mut movers = Vec::new();
        for step in self.0["setup"].as_array().unwrap() {
            match Mover::of_step(sandbox, step) {
                Some(mover) => movers.push(mover),
                // Removed after the directory was opened, below.
                None if step.get("rmroot").is_some() => {}
                None => sandbox.prepare(step),
            }
        }
        movers
    }

    fn call(&self, sandbox: &Sandbox) -> Vec<String> {
        let opened = sandbox.open(Quotas::default());
        let notes = match opened {
            Ok(notes) if self.text("op") != "init" => notes,
            // For the operator, so it is not looked for the path of the directory.
            other => {
                let verdict = if other.is_ok() { "ok" } else { "deny" };
                return self.judge(sandbox, &Outcome { verdict, shown: String::new() });
            }
        };
        if self.has_step("rmroot") {
            fs::remove_dir_all(sandbox.root()).unwrap();
        }
        let (op, content) = (self.text("op").to_owned(), self.text("content").to_owned());
        let path = sandbox.fill_in(self.text("path"));
        let (answer, answered) = mpsc::channel();
        thread::spawn(move || answer.send(Outcome::of_call(&notes, &op, &path, &content)));
        match answered.recv_timeout(PATIENCE) {
            Ok(outcome) => self.judge(sandbox, &outcome),
            Err(error) => vec![format!("no answer: {error}")],
        }
    }

    /// Calls again and again while something is moved.
    fn race(&self, sandbox: &Sandbox, movers: &[Mover]) -> Vec<String> {
        let notes = sandbox.notes();
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            for mover in movers {
                scope.spawn(|| mover.run(&stop));
            }
            let iterations = self.0["iterations"].as_u64().unwrap();
            let complaints = (0..iterations).flat_map(|_| self.call_in_race(sandbox, &notes));
            let complaints = complaints.collect();
            stop.store(true, Ordering::Relaxed);
            complaints
        })
    }

    fn call_in_race(&self, sandbox: &Sandbox, notes: &Notes) -> Vec<String> {
        let started = Instant::now();
        let (op, content) = (self.text("op"), self.text("content"));
        let outcome = Outcome::of_call(notes, op, self.text("path"), content);
        let mut complaints = self.judge(sandbox, &outcome);
        if started.elapsed() > PATIENCE {
            complaints.push(format!("took {:?}", started.elapsed()));
        }
        complaints
    }

    /// Two processes fill one note; the second of the two vectors up to its cap.
    fn fill(&self, sandbox: &Sandbox) -> Vec<String> {
        assert_eq!(self.0["iterations"].as_u64(), Some(LINES as u64));
        let expected = match self.text("assert") {
            "1000 intact lines" => 2 * LINES,
            "size <= cap" => LINES,
            other => panic!("unknown assertion {other}"),
        };
        append_from_processes(sandbox, 2, (expected * LINE_BYTES) as u64);
        let lines = intact_lines(sandbox).len();
        if lines == expected { Vec::new() } else { vec![format!("{lines} of {expected} lines")] }
    }

    fn judge(&self, sandbox: &Sandbox, outcome: &Outcome) -> Vec<String> {
        let mut complaints = Vec::new();
        if !self.accepts(outcome.verdict) {
            complaints.push(format!("{outcome:?}, accepted are {}", self.0["accept"]));
        }
        let leaks_file = outcome.shown.contains(CANARY)
            || self.text("op") == "list" && outcome.shown.contains("secret.txt");
        if leaks_file {
            complaints.push(format!("shows what is outside: {}", outcome.shown));
        }
        // A message may repeat the path it was given.
        let place = sandbox.fill_in("@SB@");
        if !self.text("path").contains("@SB@") && outcome.shown.contains(&place) {
            complaints.push(format!("shows a path of the host: {}", outcome.shown));
        }
        complaints
    }
}
