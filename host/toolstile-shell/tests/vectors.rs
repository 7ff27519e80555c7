//! The decisions against vectors: command lines with the verdict that they must get.

mod support;

use std::collections::BTreeMap;

use serde::Deserialize;
use toolstile_shell::{Verdict, check_profiles, sandbox_support};

use support::{Fixture, cases};

#[derive(Deserialize)]
struct Vector {
    id: String,
    cls: String,
    allowlist: Vec<String>,
    command: Option<String>,
    command_gen: Option<Generated>,
    expect: String,
    accept: Vec<String>,
}

/// A command line too long to be written down.
#[derive(Deserialize)]
struct Generated {
    prefix: String,
    repeat: String,
    count: usize,
    #[serde(default)]
    suffix: String,
}

impl Vector {
    fn command(&self) -> String {
        let generated = self.command_gen.as_ref();
        let generated =
            generated.map(|g| format!("{}{}{}", g.prefix, g.repeat.repeat(g.count), g.suffix));
        self.command.clone().or(generated).unwrap_or_default()
    }
}

/// Classes whose vectors say nothing of the decision: their programs have to be run.
const RUNNING: [&str; 2] = ["hostile-env", "runtime"];

fn vectors() -> Vec<Vector> {
    let text = cases("security/shell.jsonl");
    let all = text.lines().map(|line| serde_json::from_str(line).expect("a vector"));
    all.filter(|vector: &Vector| !RUNNING.contains(&vector.cls.as_str())).collect()
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Confirm => "confirm",
        Verdict::Refuse => "deny",
    }
}

/// Without the sandbox of the system, what only it can stop needs a person.
fn is_for_want_of_a_wall(vector: &Vector, why: &str) -> bool {
    vector.expect == "allow" && why.contains("no sandbox") && !sandbox_support().files()
}

#[test]
fn every_vector_gets_a_verdict_that_it_accepts() {
    let vectors = vectors();
    assert_eq!(vectors.len(), 536);
    let fixture = Fixture::new(vectors.iter().flat_map(|v| v.allowlist.clone()));
    let (mut counts, mut wrong) = (BTreeMap::new(), Vec::new());
    for vector in &vectors {
        let command = vector.command();
        let (verdict, why) = fixture.verdict(&vector.allowlist, &command);
        let walled = !is_for_want_of_a_wall(vector, &why);
        let found = if walled { word(verdict) } else { "allow" };
        *counts.entry((vector.expect.as_str(), found)).or_insert(0) += 1;
        if !vector.accept.iter().any(|accepted| accepted == found) {
            let shown: String = command.chars().take(90).collect();
            wrong.push(format!("{} {shown:?}: {found}, not {} ({why})", vector.id, vector.expect));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    let counted = BTreeMap::from([
        (("allow", "allow"), 128),
        (("confirm", "confirm"), 52),
        (("confirm", "deny"), 3),
        (("deny", "confirm"), 10),
        (("deny", "deny"), 343),
    ]);
    assert_eq!(counts, counted, "(expected, found)");
}

/// A gate of two levels: nothing that must not pass reaches the person, and nothing
/// harmless is kept from running.
#[test]
fn nothing_forbidden_reaches_a_person_and_nothing_harmless_is_refused() {
    let vectors = vectors();
    let fixture = Fixture::new(vectors.iter().flat_map(|v| v.allowlist.clone()));
    let (mut forbidden, mut harmless) = (0, 0);
    for vector in &vectors {
        let refused = || fixture.verdict(&vector.allowlist, &vector.command()).0 == Verdict::Refuse;
        if vector.accept == ["deny"] {
            assert!(refused(), "{} passes", vector.id);
            forbidden += 1;
        }
        if vector.expect == "allow" {
            assert!(!refused(), "{} is refused", vector.id);
            harmless += 1;
        }
    }
    assert_eq!((forbidden, harmless), (209, 128));
}

#[test]
fn the_shipped_profiles_hold() {
    let problems = check_profiles(None);
    let texts: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert!(texts.is_empty(), "{}", texts.join("\n"));
}
