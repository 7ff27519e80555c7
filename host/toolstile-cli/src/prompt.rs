//! Who confirms the calls that need it: a person at the terminal, or `--yes`.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _, Write as _};

use tokio::sync::Mutex;
use toolstile::{Confirm, ConfirmRequest, Decision};

use crate::output::{BOLD, styled};

/// How confirmations are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prompt {
    /// All are approved: the command line says so.
    Approve,
    /// A person at the terminal is asked.
    Ask,
    /// There is nobody to ask, for this reason.
    Nobody(&'static str),
}

impl Prompt {
    /// Asks where there is a terminal to ask on: the question goes to stderr, the
    /// answer comes from stdin. `otherwise` says why nobody was asked.
    pub(crate) fn on_terminal(otherwise: &'static str) -> Self {
        match io::stdin().is_terminal() && io::stderr().is_terminal() {
            true => Self::Ask,
            false => Self::Nobody(otherwise),
        }
    }

    /// Decides in this way for one run of the program.
    pub(crate) fn confirmer(self) -> Confirmer {
        Confirmer { prompt: self, always: Mutex::default() }
    }
}

/// Decides about the calls of one run.
#[derive(Debug)]
pub(crate) struct Confirmer {
    prompt: Prompt,
    /// Digests of requests that were approved for the whole run: the tool, its
    /// arguments and its grants, exactly. The lock is held while a person is asked, so
    /// that two questions never mix.
    always: Mutex<BTreeSet<String>>,
}

#[async_trait::async_trait]
impl Confirm for Confirmer {
    async fn confirm(&self, request: &ConfirmRequest) -> Decision {
        match self.prompt {
            Prompt::Approve => Decision::Approve,
            Prompt::Ask => self.ask(request).await,
            Prompt::Nobody(reason) => denied(reason),
        }
    }
}

impl Confirmer {
    async fn ask(&self, request: &ConfirmRequest) -> Decision {
        let mut always = self.always.lock().await;
        let digest = request.digest();
        if always.contains(&digest) {
            return Decision::Approve;
        }
        let text = request.render();
        match tokio::task::spawn_blocking(move || read_answer(&text)).await {
            Ok(Ok(Answer::Yes)) => Decision::Approve,
            Ok(Ok(Answer::Always)) => {
                always.insert(digest);
                Decision::Approve
            }
            Ok(Ok(Answer::No)) => denied("it was declined"),
            _ => denied("no answer could be read"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    /// Yes, also to every equal call of this run.
    Always,
}

impl Answer {
    /// Anything but a plain yes or always is a no.
    fn parse(line: &str) -> Self {
        match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => Self::Yes,
            "a" | "always" => Self::Always,
            _ => Self::No,
        }
    }
}

fn read_answer(request: &str) -> io::Result<Answer> {
    let mut stderr = anstream::stderr().lock();
    writeln!(stderr, "{request}")?;
    let question = styled(BOLD, "Run it?");
    write!(stderr, "{question} [y]es, [N]o, [a]lways this very call in this run: ")?;
    stderr.flush()?;
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(Answer::parse(&line))
}

fn denied(reason: &str) -> Decision {
    Decision::Deny { reason: Some(reason.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_yes_or_always_approves() {
        for yes in ["y", "Y\n", " yes ", "YES\r\n"] {
            assert_eq!(Answer::parse(yes), Answer::Yes, "{yes:?}");
        }
        for always in ["a", "A\n", "always"] {
            assert_eq!(Answer::parse(always), Answer::Always, "{always:?}");
        }
        for no in ["", "\n", "n", "no", "yes please", "yy", "1", "true", "ja", "all"] {
            assert_eq!(Answer::parse(no), Answer::No, "{no:?}");
        }
    }
}
