//! What `sqlite3` is asked: one statement that reads. Commands with a dot belong to the
//! program and can run others; functions that touch files are refused by name.

use crate::verdict::Finding;

/// Functions of the sqlite3 program that leave the database.
///
/// `-safe` stops the first ones, but not the tables `fsdir`, `lsdir` and `zipfile`, which read
/// any file.
const FORBIDDEN: [&str; 9] = [
    "readfile",
    "writefile",
    "edit",
    "load_extension",
    "fts3_tokenizer",
    "lsdir",
    "fsdir",
    "zipfile",
    "zipfile_cds",
];

/// The first words of statements that read.
const READING: [&str; 4] = ["select", "explain", "values", "with"];

/// Words of statements that do not, also behind `with`.
const CHANGING: [&str; 12] = [
    "insert", "update", "delete", "drop", "create", "alter", "attach", "detach", "vacuum",
    "pragma", "replace", "reindex",
];

/// Judges one word of SQL.
pub(super) fn judge(sql: &str) -> Finding {
    let begins_with_dot = |line: &str| line.trim_start().starts_with('.');
    if sql.lines().any(begins_with_dot) {
        return Finding::forbid("commands that begin with a dot are not allowed; ask in SQL");
    }
    let lower = sql.to_lowercase();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words: Vec<_> = lower.split(|c| !is_word(c)).filter(|word| !word.is_empty()).collect();
    if let Some(name) = words.iter().find(|word| FORBIDDEN.contains(word)) {
        return Finding::forbid(format!(
            "the function `{name}` of SQL is not allowed: it leaves the database"
        ));
    }
    let reads = words.first().is_some_and(|word| READING.contains(word));
    match reads && !words.iter().any(|word| CHANGING.contains(word)) {
        true => Finding::Clean,
        false => Finding::doubt("the statement may change the database"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_told_apart() {
        assert_eq!(judge("select count(*) from t"), Finding::Clean);
        for doubtful in
            ["drop table t", "vacuum into 'x'", "with a as (select 1) delete from t", ""]
        {
            assert!(matches!(judge(doubtful), Finding::Doubtful(_)), "{doubtful}");
        }
        for bad in [
            ".shell id",
            "select 1;\n .once x",
            "select readfile('x')",
            "select EDIT('a')",
            "select data from fsdir('../x')",
            "select * from ZipFile('../x.zip')",
        ] {
            assert!(matches!(judge(bad), Finding::Forbidden(_)), "{bad}");
        }
    }
}
