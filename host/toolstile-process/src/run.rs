//! One run, from the first word to the last process.

use std::process::ExitStatus;
use std::time::{Duration, Instant};

use tokio::process::Child;
use tokio::time::sleep_until;

use crate::capture::{Capture, LimitReached};
use crate::command::{Command, Ending, Output};
use crate::error::RunError;
use crate::spawn::{Running, spawn};

/// How long what a program leaves in the background may keep its output open after it
/// ended.
const GRACE: Duration = Duration::from_millis(200);

/// Runs a program to its end, its deadline or its limit of output, and ends everything
/// that it started. Dropping the future ends it at once.
///
/// # Errors
/// [`RunError`] when the program did not run at all.
pub async fn run(command: Command) -> Result<Output, RunError> {
    check(&command)?;
    let Running { mut child, group } = spawn(&command).await?;
    let mut stdout = Capture::new(command.max_output_bytes);
    let mut stderr = Capture::new(command.max_output_bytes);
    let followed = follow(&mut child, &mut stdout, &mut stderr, command.deadline).await;
    // Reading `/proc` blocks, if not for long.
    let _ = tokio::task::spawn_blocking(move || drop(group)).await;
    // It was killed or had ended: waiting for it only takes its entry away.
    let _ = child.wait().await;
    let lost = |error: std::io::Error| {
        let name = command.words[0].clone();
        RunError::Lost { name, reason: error.kind() }
    };
    Ok(Output {
        ending: followed.map_err(lost)?,
        truncated: stdout.cut || stderr.cut,
        stdout: stdout.bytes,
        stderr: stderr.bytes,
    })
}

fn check(command: &Command) -> Result<(), RunError> {
    if command.words.is_empty() {
        return Err(RunError::NoWords);
    }
    match command.words.iter().position(|word| word.contains('\0')) {
        Some(position) => Err(RunError::Nul(position + 1)),
        None => Ok(()),
    }
}

/// Reads and waits until there is nothing more to read or wait for.
async fn follow(
    child: &mut Child,
    stdout: &mut Capture,
    stderr: &mut Capture,
    deadline: Instant,
) -> std::io::Result<Ending> {
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let reading = async { tokio::try_join!(stdout.fill(out), stderr.fill(err)) };
    tokio::pin!(reading);
    let (mut status, mut open, mut until) = (None::<ExitStatus>, true, deadline);
    loop {
        if let Some(status) = status.filter(|_| !open) {
            return Ok(ending(status));
        }
        tokio::select! {
            biased;
            read = &mut reading, if open => match read {
                Ok(_) => open = false,
                Err(LimitReached) => return Ok(Ending::OutputLimit),
            },
            ended = child.wait(), if status.is_none() => {
                status = Some(ended?);
                until = deadline.min(Instant::now() + GRACE);
            }
            () = sleep_until(until.into()) => return Ok(status.map_or(Ending::TimedOut, ending)),
        }
    }
}

fn ending(status: ExitStatus) -> Ending {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ending::Signalled(signal);
    }
    Ending::Exited(status.code().unwrap_or(-1))
}
