//! The vectors of schema inference from Python signatures, carried over to Rust.
//!
//! Every case is run against its translation, or stands with the reason why it
//! has none; a case that nobody translated fails the test.

mod cases;
mod difference;
mod signatures;

use std::path::Path;

use cases::{TRANSLATIONS, Translation};
use toolstile_sdk::serde_json::{self, Value};

const VECTORS: &str = include_str!("../../../../tests/cases/seeds/schema_inference.json");

#[test]
fn rust_infers_what_python_does_but_for_named_differences() {
    let cases = infer_cases();
    let mut tally = Tally::default();
    for case in &cases {
        let number = number(case);
        let translation = TRANSLATIONS.iter().find(|(id, _)| *id == number);
        let (_, translation) = translation.unwrap_or_else(|| panic!("{case}: not translated"));
        tally.run(number, case, translation);
    }
    tally.print(cases.len());
    assert_eq!(TRANSLATIONS.len(), cases.len(), "a translation has no case");
    assert!(tally.complaints.is_empty(), "{}", tally.complaints.join("\n"));
}

fn infer_cases() -> Vec<Value> {
    let vectors: Value = serde_json::from_str(VECTORS).expect("the vectors are JSON");
    let cases = vectors["cases"].as_array().expect("the vectors have cases");
    cases.iter().filter(|case| case["category"] == "infer").cloned().collect()
}

/// The number at the end of `schema_inference-007`.
fn number(case: &Value) -> u32 {
    let id = case["id"].as_str().expect("a case has an id");
    let number = id.rsplit('-').next().expect("an id ends with a number");
    number.parse().expect("an id ends with a number")
}

#[derive(Default)]
struct Tally {
    same: usize,
    lines: Vec<String>,
    complaints: Vec<String>,
}

impl Tally {
    fn run(&mut self, number: u32, case: &Value, translation: &Translation) {
        let accepted = case["accepted"] == true;
        let description = case["description"].as_str().unwrap_or_default();
        let mut differs =
            |why: String| self.lines.push(format!("{number:03} {description}: {why}"));
        let complaints = match translation {
            Translation::Same(definition, differences) => {
                self.same += 1;
                differences.iter().for_each(|difference| differs(format!("{difference:?}")));
                let (python, rust) =
                    (difference::python_facts(case), difference::rust_facts(&definition()));
                difference::complaints(&python, &rust, differences)
            }
            Translation::AcceptedHere(definition, why) => {
                differs(format!("accepted here, as {why}"));
                let schema = definition().input_schema;
                complaint(accepted || !schema["properties"].is_object(), "not refused there")
            }
            Translation::DoesNotCompile(ui, why) => {
                let verdict = if accepted { "refused here" } else { "refused here as there" };
                differs(format!("{verdict}, as {why}"));
                complaint(!is_pinned(ui), "no case in tests/ui/fail")
            }
            Translation::NotInRust(why) => {
                differs(format!("not in Rust: {why}"));
                Vec::new()
            }
        };
        self.complaints.extend(complaints.iter().map(|text| format!("{number:03}: {text}")));
    }

    /// Shows the account of all cases: `cargo test … -- --nocapture`.
    #[expect(clippy::print_stdout, reason = "the account is for people who run the test")]
    fn print(&self, all: usize) {
        println!("{all} cases: {} compared fact by fact, differences:", self.same);
        self.lines.iter().for_each(|line| println!("  {line}"));
    }
}

fn complaint(bad: bool, text: &str) -> Vec<String> {
    if bad { vec![text.into()] } else { Vec::new() }
}

fn is_pinned(ui: &str) -> bool {
    let file = format!("tests/ui/fail/{ui}.stderr");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file).exists()
}
