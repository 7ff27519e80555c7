//! Command lines with what an older gate of another kind said of them: a list of what is
//! forbidden. Where ours differs, it differs by id and for a reason.

mod support;

use serde::Deserialize;
use serde_json::Value;
use toolstile_shell::Verdict;

use support::{Fixture, cases};

#[derive(Deserialize)]
struct Case {
    id: String,
    allowed: Vec<String>,
    command: String,
    accepted: bool,
    argv: Option<Vec<String>>,
    arg_policy: Option<Value>,
}

/// They passed there and are refused here.
const STRICTER: &[(&str, &[u16])] = &[
    (
        "what a shell would expand or treat specially is refused rather than passed on as it is",
        &[18, 22, 43, 44, 45, 46, 61, 62, 65],
    ),
    ("invisible characters", &[282, 283, 284]),
    ("modules and prompts are code too", &[100, 104]),
    (
        "letters combined with `-c`, and other options for inline code",
        &[107, 108, 123, 127, 128, 134, 135, 136, 139, 148],
    ),
    ("wrappers", &[155, 257, 258, 266, 267, 278]),
    ("find writes a file", &[166]),
    (
        "git starts programs, or its configuration or repository is chosen",
        &[202, 205, 209, 210, 212, 214, 222, 224, 226, 228, 229],
    ),
    (
        "curl and ssh do not run at all",
        &[181, 182, 184, 185, 186, 188, 239, 240, 241, 242, 243, 245],
    ),
    (
        "other programs that run programs, or write",
        &[247, 253, 255, 256, 260, 261, 262, 263, 265, 268, 269, 271, 274],
    ),
];

/// They were refused there and pass here.
const LOOSER: &[(&str, &[u16])] = &[
    ("an operator in quotes is text", &[54, 55, 56, 57, 71, 72]),
    ("the option is harmless for this program", &[105, 189, 190, 220]),
    ("`-exec` is the value of `-name`", &[169]),
];

/// They hand the judgement to code of the embedding program, which has no counterpart.
const WITHOUT_COUNTERPART: [u16; 2] = [286, 287];

fn number(case: &Case) -> u16 {
    let digits = case.id.rsplit('-').next().expect("a number");
    digits.parse().expect("a number")
}

fn listed(table: &[(&str, &[u16])], number: u16) -> bool {
    table.iter().any(|(_, ids)| ids.contains(&number))
}

fn read() -> Vec<Case> {
    let file: Value = serde_json::from_str(&cases("seeds/shell_validate.json")).expect("JSON");
    serde_json::from_value(file["cases"].clone()).expect("cases")
}

/// One program is never installed; the others that links hide are what they are there.
fn fixture(cases: &[Case]) -> Fixture {
    let programs = cases.iter().flat_map(|case| case.allowed.clone());
    let fixture = Fixture::new(programs.filter(|name| name != "nosuchprogram"));
    for (link, target) in [("py", "python3"), ("snake", "python3")] {
        fixture.link(link, target);
    }
    fixture
}

#[test]
fn differences_are_listed_and_nothing_else_differs() {
    let cases = read();
    assert_eq!(cases.len(), 197);
    let fixture = fixture(&cases);
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for case in &cases {
        let number = number(case);
        if WITHOUT_COUNTERPART.contains(&number) {
            assert!(case.arg_policy.is_some());
            continue;
        }
        compared += 1;
        let (verdict, why) = fixture.verdict(&case.allowed, &case.command);
        let passes = verdict != Verdict::Refuse;
        let differs = passes != case.accepted;
        let expected = listed(if passes { LOOSER } else { STRICTER }, number) && differs;
        if differs != expected || (!differs && (listed(LOOSER, number) || listed(STRICTER, number)))
        {
            wrong.push(format!(
                "{number} {:?}: {verdict:?}, there {} ({why})",
                case.command, case.accepted
            ));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(compared, 195);
}

#[test]
fn the_words_are_the_same_where_both_pass() {
    let cases = read();
    let fixture = fixture(&cases);
    let mut compared = 0;
    for case in cases.iter().filter(|case| case.arg_policy.is_none() && number(case) != 20) {
        let shell = fixture.shell(&case.allowed);
        let (Some(argv), Ok(checked)) = (&case.argv, shell.check_command(&case.command)) else {
            continue;
        };
        let inserted = checked.words().len() - argv.len();
        let mut words = checked.words().to_vec();
        words.drain(1..=inserted);
        assert!(
            inserted == 0 || words == *argv || argv[0] == "git" || argv[0] == "rg",
            "{}",
            case.command
        );
        if inserted == 0 {
            assert_eq!(words, *argv, "{}", case.command);
        }
        compared += 1;
    }
    assert_eq!(compared, 34);
}
