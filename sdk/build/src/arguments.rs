//! The command line of `toolstile-build`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What `--help` prints.
pub(crate) const HELP: &str = "\
Compiles a Rust tool plugin to a WebAssembly component

Usage: toolstile-build [CRATE_DIR] [-o FILE.wasm]

Arguments:
  CRATE_DIR  folder of the plugin's crate, whose library is a `cdylib` [default: .]

Options:
  -o, --output FILE.wasm  where to write the component; a missing folder is
                          created [default: LIBRARY.wasm, here]
  -h, --help              print this

Environment:
  TOOLSTILE_WASM_STD  where the standard library for WebAssembly comes from:
                      `installed`, `rustup` or `debian` [default: the first that works]
";

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Print [`HELP`].
    Help,
    /// Make a component.
    Build(Order),
}

/// Which component to make and where.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) crate_dir: PathBuf,
    /// Where the component goes.
    pub(crate) folder: PathBuf,
    /// The file's name without `.wasm`; cargo's name of the library if absent.
    pub(crate) name: Option<String>,
}

/// Why a command line makes no sense.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UsageError {
    /// Nothing by that name.
    #[error("there is no option `{0}`, see `--help`")]
    UnknownOption(String),
    /// A second folder.
    #[error("one crate at a time, but there is `{0}` as well")]
    SecondCrate(String),
    /// `-o` at the end.
    #[error("`{0}` needs the name of a file")]
    NoFile(String),
    /// Hosts load files of that ending only.
    #[error("the output has to be a file `NAME.wasm`, not `{0}`")]
    NotWasm(PathBuf),
}

impl Action {
    /// Parses the arguments without the program's name.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = OsString>) -> Result<Self, UsageError> {
        let mut crate_dir = None;
        let mut output = None;
        while let Some(argument) = arguments.next() {
            let text = argument.to_string_lossy().into_owned();
            match text.as_str() {
                "-h" | "--help" => return Ok(Self::Help),
                "-o" | "--output" => {
                    output = Some(arguments.next().ok_or(UsageError::NoFile(text))?);
                }
                _ if text.starts_with('-') => return Err(UsageError::UnknownOption(text)),
                _ if crate_dir.is_some() => return Err(UsageError::SecondCrate(text)),
                _ => crate_dir = Some(argument),
            }
        }
        let crate_dir = crate_dir.map_or_else(|| PathBuf::from("."), PathBuf::from);
        let (folder, name) = destination(output)?;
        Ok(Self::Build(Order { crate_dir, folder, name }))
    }
}

fn destination(output: Option<OsString>) -> Result<(PathBuf, Option<String>), UsageError> {
    let Some(output) = output.map(PathBuf::from) else {
        return Ok((PathBuf::from("."), None));
    };
    let name = wasm_stem(&output).ok_or_else(|| UsageError::NotWasm(output.clone()))?;
    let folder = output.parent().unwrap_or(Path::new("."));
    Ok((folder.to_owned(), Some(name)))
}

fn wasm_stem(file: &Path) -> Option<String> {
    let stem = file.file_name()?.to_str()?.strip_suffix(".wasm")?;
    (!stem.is_empty()).then(|| stem.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Action, UsageError> {
        Action::parse(line.split_whitespace().map(OsString::from))
    }

    #[track_caller]
    fn assert_order(line: &str, crate_dir: &str, folder: &str, name: Option<&str>) {
        let expected = Action::Build(Order {
            crate_dir: crate_dir.into(),
            folder: folder.into(),
            name: name.map(str::to_owned),
        });
        assert_eq!(parse(line), Ok(expected), "{line}");
    }

    #[test]
    fn defaults_are_this_crate_and_this_folder() {
        assert_order("", ".", ".", None);
    }

    #[test]
    fn the_output_says_folder_and_name() {
        assert_order("my-plugin -o out/mine.wasm", "my-plugin", "out", Some("mine"));
        assert_order("--output mine.wasm my-plugin", "my-plugin", "", Some("mine"));
    }

    #[test]
    fn help_wins_over_the_rest() {
        assert_eq!(parse("my-plugin --help"), Ok(Action::Help));
        assert_eq!(parse("-h"), Ok(Action::Help));
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        let cases = [
            ("--release", "there is no option `--release`, see `--help`"),
            ("a b", "one crate at a time, but there is `b` as well"),
            ("-o", "`-o` needs the name of a file"),
            ("-o a.txt", "the output has to be a file `NAME.wasm`, not `a.txt`"),
            ("-o .wasm", "the output has to be a file `NAME.wasm`, not `.wasm`"),
        ];
        for (line, expected) in cases {
            assert_eq!(parse(line).unwrap_err().to_string(), expected);
        }
    }
}
