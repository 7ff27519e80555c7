//! Threads that exchange files and folders while notes are used.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::Value;

use crate::sandbox::Sandbox;

/// Something that is done again and again, and undone at the end.
#[derive(Debug)]
pub(crate) enum Mover {
    /// The entry is a file or folder, then a link to the place outside.
    Swap { inside: PathBuf, outside: PathBuf },
    /// The same, in one step.
    Exchange { inside: PathBuf, link: PathBuf },
    /// The folder is inside, then outside.
    Move { inside: PathBuf, outside: PathBuf },
}

impl Mover {
    /// The mover that a step of `setup` describes, with the things it moves.
    pub(crate) fn of_step(sandbox: &Sandbox, step: &Value) -> Option<Self> {
        let (name, arguments) = step.as_object()?.iter().next()?;
        let inside = sandbox.path(arguments[0].as_str()?);
        let outside = sandbox.path(arguments[1].as_str()?);
        match (name.as_str(), arguments[2].as_str()) {
            ("swap", Some("exchange")) => {
                let link = inside.with_extension("link");
                make_folder(&inside);
                symlink(outside, &link).unwrap();
                Some(Self::Exchange { inside, link })
            }
            ("swap", Some("dir")) => {
                make_folder(&inside);
                Some(Self::Swap { inside, outside })
            }
            ("swap", Some("file")) => {
                fs::write(&inside, "inside text").unwrap();
                Some(Self::Swap { inside, outside })
            }
            ("move", _) => {
                make_folder(&inside);
                Some(Self::Move { inside, outside })
            }
            _ => None,
        }
    }

    /// Moves until `stop` is set; then everything inside is inside again.
    pub(crate) fn run(&self, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) {
            match self {
                Self::Swap { inside, outside } => swap(inside, outside),
                Self::Exchange { inside, link } => {
                    renameat_with(CWD, inside, CWD, link, RenameFlags::EXCHANGE).unwrap();
                }
                Self::Move { inside, outside } => {
                    fs::rename(inside, outside).unwrap();
                    put_back(outside, inside);
                }
            }
        }
    }
}

fn swap(inside: &Path, outside: &Path) {
    let kept = inside.with_extension("kept");
    fs::rename(inside, &kept).unwrap();
    // Fails when an append made the folder anew in between.
    if symlink(outside, inside).is_ok() {
        fs::remove_file(inside).unwrap();
    }
    put_back(&kept, inside);
}

/// An append may have made the folder anew, at any moment.
fn put_back(from: &Path, to: &Path) {
    while fs::rename(from, to).is_err() {
        let _ = fs::remove_dir_all(to);
    }
}

fn make_folder(path: &Path) {
    fs::create_dir(path).unwrap();
    fs::write(path.join("secret.txt"), "inside text").unwrap();
}
