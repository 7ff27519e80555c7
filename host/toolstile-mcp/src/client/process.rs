//! A server as a program of its own: in its own process group, with nothing of the host's
//! environment but what it needs, and without a way to outlive its connection.

use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use process_wrap::tokio::{CommandWrap, ProcessGroup};
use rmcp::transport::TokioChildProcess;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{ChildStderr, Command};
use toolstile_core::{Namespace, escape_invisible};

use super::config::Transport;
use super::error::ClientError;

/// Variables that programs need to run at all.
const PASSED: [&str; 12] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TERM",
    "TMPDIR",
    "TZ",
    "SYSTEMROOT",
];

/// Lines of a server's standard error that go into the log, in a minute.
const LINES: u32 = 200;

/// Bytes of such a line.
const LINE_BYTES: u64 = 4096;

/// Kills the process group when it is dropped: the server and all that it started.
#[derive(Debug)]
pub(crate) struct Group(Option<Pid>);

/// Where the group of the present program is, so that it can be ended from outside.
#[derive(Clone, Debug, Default)]
pub(crate) struct Present(Arc<Mutex<Option<Group>>>);

impl Present {
    /// Another program takes the place of the one before, which ends.
    fn set(&self, group: Group) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(group);
    }

    /// Ends the program and all that it started.
    pub(crate) fn end(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // Nobody is left in it when this fails.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Starts the program of a server.
pub(crate) fn spawn(
    namespace: &Namespace,
    transport: &Transport,
    present: &Present,
) -> Result<TokioChildProcess, ClientError> {
    let Transport::Stdio { command, args, env, env_from, cwd } = transport else {
        return Err(ClientError::Connect("it is no program".to_owned()));
    };
    let mut program = Command::new(command);
    program.args(args).env_clear();
    let handed_on = PASSED.into_iter().chain(env_from.iter().map(String::as_str));
    program.envs(handed_on.filter_map(|name| Some((name, std::env::var_os(name)?))));
    program.envs(env);
    if let Some(directory) = cwd {
        program.current_dir(directory);
    }
    let mut wrapped = CommandWrap::from(program);
    wrapped.wrap(ProcessGroup::leader());
    let spawned = TokioChildProcess::builder(wrapped).stderr(Stdio::piped()).spawn();
    let (child, stderr) = spawned.map_err(|error| ClientError::Spawn {
        command: command.clone(),
        reason: error.to_string(),
    })?;
    present.set(Group(child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?))));
    if let Some(stderr) = stderr {
        tokio::spawn(drain(namespace.clone(), stderr));
    }
    Ok(child)
}

/// Reads what a server writes to its standard error, so that it never has to wait, and
/// puts some of it into the log.
async fn drain(namespace: Namespace, stderr: ChildStderr) {
    let mut reader = BufReader::new(stderr);
    let mut budget = tokio::time::interval(Duration::from_secs(60));
    let mut left = LINES;
    loop {
        let mut line = Vec::new();
        let read = tokio::select! {
            read = read_line(&mut reader, &mut line) => read,
            _ = budget.tick() => {
                left = LINES;
                continue;
            }
        };
        match read {
            Ok(true) if left > 0 => {
                left -= 1;
                let line = String::from_utf8_lossy(&line);
                tracing::debug!(server = %namespace, "{}", escape_invisible(line.trim_end()));
            }
            Ok(true) => {}
            Ok(false) | Err(_) => return,
        }
    }
}

/// Reads a line, or as much of it as fits; `false` at the end.
async fn read_line(
    reader: &mut BufReader<ChildStderr>,
    line: &mut Vec<u8>,
) -> std::io::Result<bool> {
    use tokio::io::AsyncReadExt as _;
    let read = reader.take(LINE_BYTES).read_until(b'\n', line).await?;
    Ok(read > 0)
}
