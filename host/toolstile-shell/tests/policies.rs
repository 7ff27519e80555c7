//! An operator's own policies, what `policy check` finds in them, and what a decision says.

mod support;

use std::path::PathBuf;

use toolstile_shell::{RefusalKind, SetupError, Shell, ShellConfig, check_profiles};

use support::Fixture;

fn config(programs: &[&str], profile: &str) -> ShellConfig {
    let programs = programs.iter().map(|name| (*name).to_owned()).collect();
    let mut config = ShellConfig::new(PathBuf::from("/"), programs);
    config.profiles = vec![("own.toml".to_owned(), profile.to_owned())];
    config
}

/// Every problem with a word that its text has to hold.
const BROKEN: &[(&str, &str)] = &[
    ("[x]\noptions = [\"-a\", \"-a\"]", "listed twice"),
    ("[x]\noptions = [\"-a\"]\nrefuse = [\"-a: no\"]", "listed twice"),
    ("[x]\nexamples.allow = [\"x -z\"]", "the example `x -z` should be Allow"),
    ("[y]", "not listed in `programs`"),
    ("[x]\nverdict = \"refuse\"\noptions = [\"-a\"]", "always refuses"),
    ("[x]\noperands_if = { \"-q\" = \"FILE\" }", "no rule allows it"),
    ("[x]\nnumeric = true\noptions = [\"-1\"]", "digits never apply"),
    ("[x]\nalso = [\"y\"]\n[y]", "another profile"),
    (
        "[x]\nverdict = \"confirm\"\nallow_with = [\"-a\"]\noptions = [\"-a\"]",
        "`allow_with` never applies",
    ),
    ("[x]\noption = []", "unknown field"),
    ("[x]\nuse = [\"none\"]", "no set `none`"),
    ("[x]\noperands = \"FILE... X\"", "nothing can stand behind"),
];

#[test]
fn rules_that_cannot_hold_are_found() {
    for (profile, expected) in BROKEN {
        let problems = check_profiles(Some(&config(&["x"], profile)));
        let texts: Vec<_> = problems.iter().map(ToString::to_string).collect();
        assert!(texts.iter().any(|text| text.contains(expected)), "{profile}: {texts:?}");
    }
    let good = "[x]\noptions = [\"-a\"]\nexamples.allow = [\"x -a\"]";
    assert_eq!(check_profiles(Some(&config(&["x"], good))), []);
}

#[test]
fn an_own_profile_replaces_the_shipped_one() {
    let fixture = Fixture::new(["cat".to_owned()]);
    let profile =
        "[cat]\nverdict = \"confirm\"\nreason = \"cats\"\noptions = [\"-n\"]\noperands = \"FILE\"";
    let mut config = config(&["cat"], profile);
    config.path = fixture.path();
    let shell = Shell::new(config).expect("a shell");
    let checked = shell.check_command("cat -n x").expect("allowed");
    assert_eq!((checked.needs_confirmation(), checked.rule()), (Some("cats"), "cat (own.toml)"));
    let refused = shell.check_command("cat -E x").expect_err("not allowed");
    assert_eq!((refused.kind(), refused.rule()), (RefusalKind::Arguments, Some("cat (own.toml)")));
}

#[test]
fn what_is_inserted_is_shown_and_the_words_given_one_by_one_are_judged_alike() {
    let fixture = Fixture::new(["git".to_owned()]);
    let shell = fixture.shell(&["git".to_owned()]);
    let checked = shell.check_command("git log -1").expect("allowed");
    let expected = ["git", "--no-pager", "log", "--no-ext-diff", "--no-textconv", "-1"];
    assert_eq!(checked.words(), expected);
    assert_eq!(checked.rule(), "git log (profiles/git.toml)");
    let words = ["git", "log", "-1"].map(str::to_owned);
    assert_eq!(shell.check_words(&words), Ok(checked));
    let words = ["git", "log", "\u{200b}"].map(str::to_owned);
    assert_eq!(shell.check_words(&words).map_err(|r| r.kind()), Err(RefusalKind::Syntax));
}

#[test]
fn refusals_say_what_would_be_right() {
    let fixture = Fixture::new(["git", "sort"].map(str::to_owned));
    let shell = fixture.shell(&["git", "sort"].map(str::to_owned));
    for (command, expected) in [
        ("gti status", "did you mean `git`?"),
        ("./git status", "is a path"),
        ("X=1 git status", "variables cannot be set"),
        ("git statsu", "did you mean `status`?"),
        ("git log --onelin", "did you mean `--oneline`?"),
        ("sort -o x y", "it writes a file"),
        ("sort *.txt", "quote the word"),
        ("sort a | git", "there is no shell"),
        ("sort -k -o x", "together with its option"),
    ] {
        let refused = shell.check_command(command).expect_err(command).to_string();
        assert!(refused.contains(expected), "{command}: {refused}");
    }
}

#[test]
fn a_configuration_that_makes_no_sense_is_an_error() {
    let with = |change: fn(&mut ShellConfig)| {
        let mut config = config(&["cat"], "");
        change(&mut config);
        Shell::new(config).expect_err("an error")
    };
    let relative = with(|config| config.path = vec![PathBuf::from("bin")]);
    assert!(matches!(relative, SetupError::RelativePath(_)), "{relative}");
    let empty = with(|config| config.path = vec![PathBuf::new()]);
    assert!(matches!(empty, SetupError::RelativePath(_)), "{empty}");
    let name = with(|config| config.programs = vec!["/bin/cat".to_owned()]);
    assert!(matches!(name, SetupError::ProgramName(_)), "{name}");
    let directory = with(|config| config.directory = PathBuf::from("/no/such/directory"));
    assert!(matches!(directory, SetupError::Directory { .. }), "{directory}");
    let zero = with(|config| config.max_output_bytes = 0);
    assert!(matches!(zero, SetupError::Zero(_)), "{zero}");
    let profile = with(|config| config.profiles = vec![("x".to_owned(), "[".to_owned())]);
    assert!(matches!(profile, SetupError::Profile(_)), "{profile}");
}
