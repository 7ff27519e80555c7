//! This test program, started once more to append from another process.

use std::env;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::str::FromStr;

use toolstile_notes::{Access, ErrorKind, Notes, NotesConfig, Quotas};

use crate::sandbox::soon;

const DIRECTORY: &str = "TOOLSTILE_NOTES_TEST_DIRECTORY";
const WRITER: &str = "TOOLSTILE_NOTES_TEST_WRITER";
const MAX_FILE_BYTES: &str = "TOOLSTILE_NOTES_TEST_MAX_FILE_BYTES";

/// Lines that each writer appends.
pub(crate) const LINES: usize = 500;
/// Bytes of a line.
pub(crate) const LINE_BYTES: usize = 200;

/// Appends [`LINES`] lines to one note, as many as fit.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    pub(crate) directory: PathBuf,
    /// Tells the lines of one writer from those of another.
    pub(crate) number: usize,
    pub(crate) max_file_bytes: u64,
}

impl Writer {
    /// The note that all writers append to.
    pub(crate) const NOTE: &str = "shared/note.md";

    /// What a started process is to do; `None` in the process that runs the tests.
    pub(crate) fn of_environment() -> Option<Self> {
        Some(Self {
            directory: env::var_os(DIRECTORY)?.into(),
            number: variable(WRITER),
            max_file_bytes: variable(MAX_FILE_BYTES),
        })
    }

    /// Starts a process in which the test `name` finds the writer in its environment.
    pub(crate) fn start(&self, name: &str) -> Child {
        Command::new(env::current_exe().unwrap())
            .args([name, "--exact", "--quiet"])
            .env(DIRECTORY, &self.directory)
            .env(WRITER, self.number.to_string())
            .env(MAX_FILE_BYTES, self.max_file_bytes.to_string())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Appends every line; a full note is the only reason to leave one out.
    pub(crate) fn run(&self) {
        let quotas = Quotas { max_file_bytes: self.max_file_bytes, ..Quotas::default() };
        let directory = self.directory.clone();
        let config = NotesConfig { directory, access: Access::ReadAppend, quotas };
        let notes = Notes::open(config).unwrap();
        for line in self.lines() {
            match notes.append(Self::NOTE, &line, soon()) {
                Err(error) if error.kind() == ErrorKind::LimitExceeded => {}
                appended => appended.unwrap(),
            }
        }
    }

    /// The lines, each with its newline.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        let text = |line| format!("writer {} line {line} ", self.number);
        (0..LINES).map(move |line| format!("{:x<1$}\n", text(line), LINE_BYTES - 1))
    }
}

fn variable<T: FromStr>(name: &str) -> T {
    let value = env::var(name).unwrap();
    value.parse().unwrap_or_else(|_| panic!("{name}={value}"))
}
