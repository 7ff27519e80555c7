//! The expressions of `find`: starting points, then tests and actions, each with so many
//! arguments. Actions that run programs, delete or write are refused.

use crate::paths::Grounds;
use crate::refused::{Refused, listed, nearest, quoted};
use crate::verdict::{Doubts, Finding};

/// What the word behind a primary is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Argument {
    None,
    Text,
    /// A file that the test looks at.
    Path,
}

/// Primaries and operators that are known, with what follows them.
const PRIMARIES: &[(&str, Argument)] = &[
    ("!", Argument::None),
    ("(", Argument::None),
    (")", Argument::None),
    (",", Argument::None),
    ("-a", Argument::None),
    ("-amin", Argument::Text),
    ("-and", Argument::None),
    ("-anewer", Argument::Path),
    ("-atime", Argument::Text),
    ("-cmin", Argument::Text),
    ("-cnewer", Argument::Path),
    ("-ctime", Argument::Text),
    ("-daystart", Argument::None),
    ("-depth", Argument::None),
    ("-empty", Argument::None),
    ("-executable", Argument::None),
    ("-false", Argument::None),
    ("-fstype", Argument::Text),
    ("-gid", Argument::Text),
    ("-group", Argument::Text),
    ("-ilname", Argument::Text),
    ("-iname", Argument::Text),
    ("-inum", Argument::Text),
    ("-ipath", Argument::Text),
    ("-iregex", Argument::Text),
    ("-iwholename", Argument::Text),
    ("-links", Argument::Text),
    ("-lname", Argument::Text),
    ("-ls", Argument::None),
    ("-maxdepth", Argument::Text),
    ("-mindepth", Argument::Text),
    ("-mmin", Argument::Text),
    ("-mount", Argument::None),
    ("-mtime", Argument::Text),
    ("-name", Argument::Text),
    ("-newer", Argument::Path),
    ("-nogroup", Argument::None),
    ("-not", Argument::None),
    ("-nouser", Argument::None),
    ("-o", Argument::None),
    ("-or", Argument::None),
    ("-path", Argument::Text),
    ("-perm", Argument::Text),
    ("-print", Argument::None),
    ("-print0", Argument::None),
    ("-printf", Argument::Text),
    ("-prune", Argument::None),
    ("-quit", Argument::None),
    ("-readable", Argument::None),
    ("-regex", Argument::Text),
    ("-regextype", Argument::Text),
    ("-samefile", Argument::Path),
    ("-size", Argument::Text),
    ("-true", Argument::None),
    ("-type", Argument::Text),
    ("-uid", Argument::Text),
    ("-used", Argument::Text),
    ("-user", Argument::Text),
    ("-wholename", Argument::Text),
    ("-writable", Argument::None),
    ("-xdev", Argument::None),
    ("-xtype", Argument::Text),
];

/// Primaries that are never allowed, and why.
const FORBIDDEN: &[(&str, &str)] = &[
    ("-delete", "it deletes files"),
    ("-exec", "it runs another program"),
    ("-execdir", "it runs another program"),
    ("-fls", "it writes a file"),
    ("-fprint", "it writes a file"),
    ("-fprint0", "it writes a file"),
    ("-fprintf", "it writes a file"),
    ("-ok", "it runs another program"),
    ("-okdir", "it runs another program"),
];

/// Judges the words behind `find`.
pub(crate) fn judge(words: &[String], grounds: &Grounds) -> Result<Doubts, Refused> {
    let mut doubts = Doubts::default();
    let mut words = words.iter().map(String::as_str).peekable();
    while let Some(option) = words.next_if(|word| matches!(*word, "-H" | "-L" | "-P")) {
        if option != "-P" {
            doubts.add(format!("{} follows links out of the working directory", quoted(option)));
        }
    }
    while let Some(start) = words.next_if(|word| !begins_expression(word)) {
        note(grounds.judge(start), &mut doubts);
    }
    while let Some(primary) = words.next() {
        let argument = argument_of(primary)?;
        if argument == Argument::None {
            continue;
        }
        let missing = || Refused::arguments(format!("{} needs an argument", quoted(primary)));
        let word = words.next().ok_or_else(missing)?;
        if argument == Argument::Path {
            note(grounds.judge(word), &mut doubts);
        }
    }
    Ok(doubts)
}

/// Starting points end where the expression begins (the manual of find, "EXPRESSION").
fn begins_expression(word: &str) -> bool {
    (word.starts_with('-') && word.len() > 1) || matches!(word, "!" | "(" | ")" | ",")
}

fn argument_of(primary: &str) -> Result<Argument, Refused> {
    if let Some((_, argument)) = PRIMARIES.iter().find(|(name, _)| *name == primary) {
        return Ok(*argument);
    }
    if is_newer_than(primary) {
        return Ok(if primary.ends_with('t') { Argument::Text } else { Argument::Path });
    }
    let name = quoted(primary);
    if let Some((_, reason)) = FORBIDDEN.iter().find(|(name, _)| *name == primary) {
        return Err(Refused::arguments(format!("{name} is not allowed: {reason}")));
    }
    let known = PRIMARIES.iter().map(|(name, _)| *name).filter(|name| name.len() > 2);
    let hint = match nearest(primary, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!(
            "known are {}",
            listed(["-name", "-iname", "-path", "-type", "-maxdepth", "-mtime", "-size"], 8)
        ),
    };
    Err(Refused::arguments(format!("{name} is no known test or action of find; {hint}")))
}

/// `-newerXY`: one of the times of the file, compared with that of another or a date.
fn is_newer_than(primary: &str) -> bool {
    let times = primary.strip_prefix("-newer").unwrap_or_default().as_bytes();
    matches!(times, [x, y] if b"aBcm".contains(x) && b"aBcmt".contains(y))
}

fn note(finding: Finding, doubts: &mut Doubts) {
    if let Finding::Doubtful(reason) | Finding::Forbidden(reason) = finding {
        doubts.add(reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(command: &str) -> Result<bool, Refused> {
        let directory = tempfile::tempdir().expect("a directory");
        let grounds = Grounds::open(directory.path(), &[]).expect("opened");
        let words: Vec<_> = command.split(' ').map(str::to_owned).collect();
        judge(&words, &grounds).map(|doubts| doubts.reason().is_none())
    }

    #[test]
    fn searches_pass_and_actions_do_not() {
        for search in
            [". -name x -o -type f", ". ( -name -exec )", ". -newermt yesterday", ". ! -name x"]
        {
            assert_eq!(verdict(search), Ok(true), "{search}");
        }
        for outside in ["..", "-L . -name x", ". -newer ../x"] {
            assert_eq!(verdict(outside), Ok(false), "{outside}");
        }
        for action in
            [". -exec x ;", ". -name", ". -fdelete", ". -files0-from x", ". -newerXY x", ". -nam x"]
        {
            assert!(verdict(action).is_err(), "{action}");
        }
    }
}
