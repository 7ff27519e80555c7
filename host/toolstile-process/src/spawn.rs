//! Starting a program from a thread that gave up its rights before.
//!
//! What Landlock and seccomp take away, they take from one thread and from whatever it
//! starts. So the program is started by a thread of its own, which ends with that.

use std::process::Stdio;
use std::thread;

use tokio::process::{Child, Command as Process};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::command::Command;
use crate::error::RunError;
use crate::group::{Group, MARKER};

/// A program that runs, and what ends it.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) child: Child,
    pub(crate) group: Group,
}

pub(crate) async fn spawn(command: &Command) -> Result<Running, RunError> {
    let name = command.words.first().cloned().unwrap_or_default();
    let failed = |reason| RunError::Start { name: name.clone(), reason };
    let (sender, receiver) = oneshot::channel();
    let (command, runtime) = (command.clone(), Handle::current());
    let start = move || {
        let _runtime = runtime.enter();
        // When nobody waits any more, dropping what started ends it.
        drop(sender.send(start(&command)));
    };
    thread::Builder::new()
        .name("toolstile-spawn".into())
        .spawn(start)
        .map_err(|error| failed(error.kind()))?;
    let started = receiver.await.unwrap_or(Err(std::io::ErrorKind::Other));
    started.map_err(failed)
}

fn start(command: &Command) -> Result<Running, std::io::ErrorKind> {
    let marker = marker()?;
    command.sandbox.enter(&command.program, &command.directory)?;
    let child = process(command, &marker).spawn().map_err(|error| error.kind())?;
    let group = Group::new(child.id(), &marker);
    Ok(Running { child, group })
}

fn process(command: &Command, marker: &str) -> Process {
    let mut process = Process::new(&command.program);
    let words = command.words.split_first();
    let (name, rest) =
        words.map_or((command.program.as_os_str(), &[][..]), |(name, rest)| (name.as_ref(), rest));
    #[cfg(unix)]
    process.arg0(name).process_group(0);
    #[cfg(not(unix))]
    let _ = name;
    process
        .args(rest)
        .current_dir(&command.directory)
        .env_clear()
        .envs(command.environment.iter().map(|(name, value)| (name, value)))
        .env(MARKER, marker)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    process
}

/// A value that no other run has.
fn marker() -> Result<String, std::io::ErrorKind> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| std::io::ErrorKind::Other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
