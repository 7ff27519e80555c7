//! Weighs the words that a walk told apart: is the option allowed, is the value or the
//! operand what its placeholder says?

use super::walk::{Used, is_refused};
use crate::grammar;
use crate::paths::Grounds;
use crate::profiles::Syntax;
use crate::profiles::notation::{Kind, Operand, Shape, Value};
use crate::refused::{Refused, listed, quoted};
use crate::verdict::{Doubts, Finding, Verdict};

/// Weighs one option with its value.
pub(super) fn weigh_option(
    syntax: Syntax,
    used: &Used<'_>,
    grounds: &Grounds,
    doubts: &mut Doubts,
) -> Result<(), Refused> {
    let name = quoted(&used.name);
    let reason = used.rule.reason.as_deref();
    if is_refused(used.rule) {
        let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        return Err(Refused::arguments(format!("the option {name} is not allowed{reason}")));
    }
    if used.rule.standing == Verdict::Confirm {
        doubts.add(format!("{name} {}", reason.unwrap_or("does more than read here")));
    }
    let (Value::Required(kind) | Value::Optional(kind), Some(value)) =
        (&used.rule.value, used.value)
    else {
        return Ok(());
    };
    if syntax == Syntax::Tar && is_remote(kind, value) {
        doubts.add(format!("{} names another machine", quoted(value)));
    }
    weigh_word(kind, value, &format!("the value of {name}"), grounds, doubts)
}

/// tar reads `host:file` as a file of another machine.
fn is_remote(kind: &Kind, value: &str) -> bool {
    let before_slash = value.split('/').next().unwrap_or_default();
    *kind == Kind::Path && before_slash.contains(':')
}

/// Weighs all operands.
pub(super) fn weigh(
    shape: &Shape,
    operands: &[&str],
    grounds: &Grounds,
    doubts: &mut Doubts,
) -> Result<(), Refused> {
    for (index, word) in operands.iter().enumerate() {
        let operand = shape.at(index).ok_or_else(|| too_many(shape, word))?;
        weigh_word(&operand.kind, word, "the operand", grounds, doubts)?;
        if operand.asks {
            doubts.add(format!("{} is a {}, which changes something", quoted(word), operand.name));
        }
    }
    match shape.required.get(operands.len()) {
        Some(missing) => weigh_missing(missing, doubts),
        None => Ok(()),
    }
}

fn too_many(shape: &Shape, word: &str) -> Refused {
    let known = shape.required.len() + shape.optional.len();
    let allowed = match known {
        0 => "no operand is allowed here".to_owned(),
        count => format!("at most {count} operands are allowed here"),
    };
    Refused::arguments(format!("the operand {} is one too many; {allowed}", quoted(word)))
}

fn weigh_missing(missing: &Operand, doubts: &mut Doubts) -> Result<(), Refused> {
    let name = quoted(&missing.name);
    match missing.kind {
        Kind::Path | Kind::LocalFile => {
            doubts
                .add(format!("no {name} is named, so it may read standard input, which is empty"));
            Ok(())
        }
        _ => Err(Refused::arguments(format!("the operand {name} is missing"))),
    }
}

/// `ext::…` and its like name a program (gitremote-helpers(7)); a host that begins with a
/// dash is an option of ssh.
fn judge_remote(word: &str) -> Finding {
    match word.contains("::") || word.contains("://-") || word.contains("@-") {
        true => Finding::forbid(format!(
            "{} may name a program; use the name of a remote",
            quoted(word)
        )),
        false => Finding::Clean,
    }
}

/// Some programs open addresses where a file is expected (`file:/x`, `https://x`), and shells
/// take `+c` for `-c`. A colon behind a slash belongs to a name.
fn judge_local_file(word: &str, grounds: &Grounds) -> Finding {
    let first = word.split('/').next().unwrap_or_default();
    match first.contains(':') || first.starts_with('+') {
        true => Finding::forbid(format!(
            "{} reads like an address or an option; write `./` before the name of a file",
            quoted(word)
        )),
        false => grounds.judge(word),
    }
}

fn weigh_word(
    kind: &Kind,
    word: &str,
    what: &str,
    grounds: &Grounds,
    doubts: &mut Doubts,
) -> Result<(), Refused> {
    let finding = match kind {
        Kind::Text | Kind::Free => Finding::Clean,
        Kind::Path => grounds.judge(word),
        Kind::LocalFile => judge_local_file(word, grounds),
        Kind::Target if word.contains('=') => {
            Finding::forbid(format!("{what} {} would set a variable", quoted(word)))
        }
        Kind::Target => Finding::Clean,
        Kind::Remote => judge_remote(word),
        Kind::Script(language) => grammar::judge(*language, word),
        Kind::OneOf(words) if words.iter().any(|known| known == word) => Finding::Clean,
        Kind::OneOf(words) => {
            let known = listed(words.iter().map(String::as_str), 16);
            Finding::forbid(format!("{what} is {}; allowed are {known}", quoted(word)))
        }
        Kind::Prefixed(first) if word.starts_with(*first) => Finding::Clean,
        Kind::Prefixed(first) => {
            Finding::forbid(format!("{what} is {}; it has to begin with `{first}`", quoted(word)))
        }
    };
    match finding {
        Finding::Clean => {}
        Finding::Doubtful(reason) => doubts.add(reason),
        Finding::Forbidden(message) => return Err(Refused::arguments(message)),
    }
    Ok(())
}
