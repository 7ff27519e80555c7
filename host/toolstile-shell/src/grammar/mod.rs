//! Words that are little programs, each language with a grammar of what is harmless.
//!
//! None of these is a full parser. Each accepts a subset that it reads exactly as the
//! program does, and doubts or refuses the rest.

mod awk;
pub(crate) mod find;
mod jq;
mod sed;
mod sql;

use crate::profiles::notation::Language;
use crate::verdict::Finding;

/// Judges a script of this language.
pub(crate) fn judge(language: Language, script: &str) -> Finding {
    match language {
        Language::Sed => sed::judge(script),
        Language::Awk => awk::judge(script),
        Language::Jq => jq::judge(script),
        Language::Sql => sql::judge(script),
    }
}
