//! A notes directory, and beside it a place that must stay as it is.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, Dev, FileType, Mode, makedev, mknodat};
use serde_json::Value;
use tempfile::TempDir;
use toolstile_notes::{Access, ErrorKind, Notes, NotesConfig, NotesError, OpenError, Quotas};

/// Stands in the file that nobody may read.
pub(crate) const CANARY: &str = "CANARY-91c2";

/// `root` and `outside`, side by side.
#[derive(Debug)]
pub(crate) struct Sandbox(TempDir);

/// What a call came to, in the terms of the vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// `ok`, `empty` (there is no such note) or `deny`.
    pub(crate) verdict: &'static str,
    /// What the caller was given: text, listing or message.
    pub(crate) shown: String,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let sandbox = Self(tempfile::tempdir().unwrap());
        DirBuilder::new().mode(0o700).create(sandbox.root()).unwrap();
        fs::create_dir(sandbox.path("outside")).unwrap();
        fs::write(sandbox.path("outside/secret.txt"), format!("{CANARY} secret\n")).unwrap();
        sandbox
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.0.path().join(relative)
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.path("root")
    }

    pub(crate) fn open(&self, quotas: Quotas) -> Result<Notes, OpenError> {
        Notes::open(NotesConfig { directory: self.root(), access: Access::ReadAppend, quotas })
    }

    pub(crate) fn notes(&self) -> Notes {
        self.open(Quotas::default()).unwrap()
    }

    /// Puts the place of the sandbox into a text of a vector.
    pub(crate) fn fill_in(&self, text: &str) -> String {
        let place = self.0.path().to_str().unwrap();
        text.replace("@SB@", place).replace("@SB1@", place.trim_start_matches('/'))
    }

    /// Carries out one step of `setup`.
    pub(crate) fn prepare(&self, step: &Value) {
        let (name, arguments) = step.as_object().unwrap().iter().next().unwrap();
        let text = |i: usize| self.fill_in(arguments[i].as_str().unwrap());
        let place = |i: usize| self.path(&text(i));
        let only = || self.path(arguments.as_str().unwrap());
        match name.as_str() {
            "file" => write_new(&place(0), text(1).as_bytes()),
            "file_repeat" => {
                let count = arguments[2].as_u64().unwrap() as usize;
                write_new(&place(0), text(1).repeat(count).as_bytes());
            }
            "bytes" => write_new(&place(0), &base64(&text(1))),
            "mkdir" => fs::create_dir_all(only()).unwrap(),
            "symlink" => symlink(text(0), place(1)).unwrap(),
            "hardlink" => fs::hard_link(place(0), place(1)).unwrap(),
            "fifo" => make_node(&only(), FileType::Fifo, 0),
            "socket" => drop(UnixListener::bind(only()).unwrap()),
            "mknod" => {
                let number = |i: usize| arguments[i].as_u64().unwrap() as u32;
                let kind = match arguments[1].as_str().unwrap() {
                    "c" => FileType::CharacterDevice,
                    _ => FileType::BlockDevice,
                };
                make_node(&place(0), kind, makedev(number(2), number(3)));
            }
            "chmod" => {
                let mode = arguments[1].as_u64().unwrap() as u32;
                fs::set_permissions(place(0), Permissions::from_mode(mode)).unwrap();
            }
            "sparse" => {
                let file = File::create(place(0)).unwrap();
                file.set_len(arguments[1].as_u64().unwrap()).unwrap();
            }
            "root_symlink" => {
                fs::remove_dir_all(self.root()).unwrap();
                symlink(only(), self.root()).unwrap();
            }
            _ => panic!("unknown step {step}"),
        }
    }

    /// Everything below `outside`, to be compared.
    pub(crate) fn outside(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.path("outside")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let (path, data) = (entry.path(), entry.metadata().unwrap());
                let content = match data.is_file() {
                    true => fs::read_to_string(&path).unwrap(),
                    false => String::new(),
                };
                if data.is_dir() {
                    folders.push(path.clone());
                }
                found.insert(path, format!("{:o} {content}", data.mode()));
            }
        }
        found
    }
}

impl Outcome {
    pub(crate) fn of<T>(result: Result<T, NotesError>, show: impl Fn(T) -> String) -> Self {
        match result {
            Ok(value) => Self { verdict: "ok", shown: show(value) },
            Err(error) => Self { verdict: verdict(error.kind()), shown: error.to_string() },
        }
    }

    /// One call, named as the vectors name them.
    pub(crate) fn of_call(notes: &Notes, op: &str, path: &str, content: &str) -> Self {
        match op {
            "read" => Self::of(notes.read(path), |text| text),
            "append" => Self::of(notes.append(path, content, soon()), |()| String::new()),
            "list" => Self::of(notes.list(path), |notes| notes.join("\n")),
            _ => panic!("unknown op {op}"),
        }
    }
}

fn verdict(kind: ErrorKind) -> &'static str {
    if kind == ErrorKind::NotFound { "empty" } else { "deny" }
}

/// A deadline that nobody waits for unless something is wrong.
pub(crate) fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

fn write_new(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    File::create_new(path).unwrap().write_all(content).unwrap();
}

pub(crate) fn make_node(path: &Path, kind: FileType, device: Dev) {
    mknodat(CWD, path, kind, Mode::RUSR | Mode::WUSR, device).unwrap();
}

fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0, 0u32);
    for byte in text.bytes().filter(|byte| *byte != b'=') {
        held = held << 6 | DIGITS.iter().position(|digit| *digit == byte).unwrap() as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    bytes
}
