//! A working directory and programs for the tests of decisions.
#![allow(dead_code, reason = "every test file is a program that uses a part of it")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use tempfile::TempDir;
use toolstile_shell::{Shell, ShellConfig, Verdict};

/// The text of a file of vectors.
pub(crate) fn cases(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases").join(name);
    fs::read_to_string(path).expect("vectors")
}

/// Names and contents of the files in the working directory.
const FILES: &[&str] = &[
    "a.txt",
    "b.txt",
    "data.csv",
    "data.json",
    "arr.json",
    "big.txt",
    "src/x.txt",
    "a.tar",
    "a.zip",
    "a.gz",
    "test.db",
    "cert.pem",
    "script.py",
    "y.js",
    "Makefile",
    "evil.mk",
    "script.sed",
    "script.awk",
    "page.1",
    "curlrc",
    "wgetrc",
    "sshcfg",
    "kube.yaml",
    "tmpl/hooks/post-checkout",
    "hooks/pre-commit",
    "sub/config",
    "evil.git/config",
    "mark.sh",
];

/// A directory with files, and one with an executable for every program. None of them
/// ever runs: only decisions are looked at.
pub(crate) struct Fixture {
    sandbox: TempDir,
    /// Loading the policies takes longer than asking them.
    shells: RefCell<BTreeMap<Vec<String>, Rc<Shell>>>,
}

impl Fixture {
    pub(crate) fn new(programs: impl IntoIterator<Item = String>) -> Self {
        let sandbox = tempfile::tempdir().expect("a directory");
        let root = sandbox.path().join("root");
        for file in FILES {
            write(&root.join(file));
        }
        write(&sandbox.path().join("secret.txt"));
        for program in programs {
            let path = sandbox.path().join("bin").join(program);
            write(&path);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
        }
        Self { sandbox, shells: RefCell::default() }
    }

    pub(crate) fn shell(&self, programs: &[String]) -> Rc<Shell> {
        let mut shells = self.shells.borrow_mut();
        let shell =
            shells.entry(programs.to_vec()).or_insert_with(|| Rc::new(self.build(programs)));
        Rc::clone(shell)
    }

    fn build(&self, programs: &[String]) -> Shell {
        let root = self.sandbox.path().join("root");
        let mut config = ShellConfig::new(root, programs.to_vec());
        config.path = self.path();
        Shell::new(config).expect("a shell")
    }

    /// The verdict on a command line, and why.
    pub(crate) fn verdict(&self, programs: &[String], command: &str) -> (Verdict, String) {
        match self.shell(programs).check_command(command) {
            Err(refused) => (Verdict::Refuse, refused.to_string()),
            Ok(checked) => match checked.needs_confirmation() {
                Some(reason) => (Verdict::Confirm, reason.to_owned()),
                None => (Verdict::Allow, checked.rule().to_owned()),
            },
        }
    }

    /// Where the programs are.
    pub(crate) fn path(&self) -> Vec<PathBuf> {
        vec![self.sandbox.path().join("bin")]
    }

    /// Another name of a program.
    pub(crate) fn link(&self, name: &str, target: &str) {
        let path = self.sandbox.path().join("bin").join(name);
        fs::remove_file(&path).expect("it was a file");
        symlink(target, path).expect("linked");
    }
}

fn write(path: &Path) {
    fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
    fs::write(path, "#!/bin/sh\n").expect("written");
}
