//! A directory of its own for each test, and the program run in it.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::{env, fs};

use serde_json::Value;
use tempfile::TempDir;

/// A working directory with a configuration.
pub(crate) struct Workplace(TempDir);

/// What the program printed, and its exit code.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Workplace {
    /// A directory with `toolstile.toml`.
    pub(crate) fn with_config(text: &str) -> Self {
        let workplace = Self::empty();
        workplace.write("toolstile.toml", text);
        workplace
    }

    /// A directory with nothing in it.
    pub(crate) fn empty() -> Self {
        Self(TempDir::new().expect("a directory"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("inside")).expect("a directory");
        fs::write(&path, content).expect("a file");
        path
    }

    /// Everything that lies in the directory.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("the directory");
        entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    }

    /// The program, to be run here with its caches outside of the user's home.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.command_of(program(), arguments)
    }

    /// Another program, under the same conditions.
    pub(crate) fn command_of(&self, program: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.0.path());
        command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
        command.env_remove("RUST_LOG").env_remove("NO_COLOR").env_remove("CLICOLOR");
        command.env_remove("CLICOLOR_FORCE");
        command
    }

    /// Runs the program with nothing on its standard input.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with_input(arguments, "")
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Ran {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        // A program that reads nothing closes the pipe.
        let _ = stdin.write_all(input.as_ref());
        drop(stdin);
        let output = child.wait_with_output().expect("the program ends");
        Ran {
            code: output.status.code().expect("an exit code"),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
}

/// What a command printed with `--json`.
pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// The members of an object, sorted.
pub(crate) fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> =
        value.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// The bundled calculator as a file would hold it.
pub(crate) fn calculator() -> &'static [u8] {
    let mut plugins = toolstile_plugins::bundled().iter();
    plugins.find(|plugin| plugin.name == "calculator").expect("bundled").component
}

/// The program.
pub(crate) fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| built("toolstile"))
}

/// A program of the workspace, built if it is not: tests of other packages do not build
/// it.
pub(crate) fn built(name: &str) -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let folder = BUILT.get_or_init(|| {
        let test = env::current_exe().expect("this test has a path");
        let folder = test.parent().and_then(Path::parent).expect("<target>/<profile>/deps");
        build_programs(folder);
        folder.to_owned()
    });
    folder.join(format!("{name}{}", env::consts::EXE_SUFFIX))
}

/// Does nothing when the programs in this folder are fresh.
fn build_programs(folder: &Path) {
    let profile = match folder.file_name().and_then(OsStr::to_str).expect("a profile's folder") {
        "debug" => "dev",
        profile => profile,
    };
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        // The whole workspace, so that the dependencies are those of the tests.
        .args(["build", "--quiet", "--workspace", "--bins", "--profile", profile])
        .arg("--target-dir")
        .arg(folder.parent().expect("<target>"))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace"))
        .status();
    assert!(status.is_ok_and(|status| status.success()), "the programs can be built");
}
