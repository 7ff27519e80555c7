//! Who confirms the calls that need it: a person at the terminal, or `--yes`.

use std::io::{self, IsTerminal as _, Write as _};

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
}

#[async_trait::async_trait]
impl Confirm for Prompt {
    async fn confirm(&self, request: &ConfirmRequest) -> Decision {
        match self {
            Self::Approve => Decision::Approve,
            Self::Ask => ask(request.render()).await,
            Self::Nobody(reason) => denied(reason),
        }
    }
}

async fn ask(request: String) -> Decision {
    match tokio::task::spawn_blocking(move || read_answer(&request)).await {
        Ok(Ok(answer)) if approves(&answer) => Decision::Approve,
        Ok(Ok(_)) => denied("it was declined"),
        _ => denied("no answer could be read"),
    }
}

fn read_answer(request: &str) -> io::Result<String> {
    let mut stderr = anstream::stderr().lock();
    writeln!(stderr, "{request}")?;
    write!(stderr, "{} [y/N] ", styled(BOLD, "Run it?"))?;
    stderr.flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(answer)
}

/// Anything but a plain yes is a no.
fn approves(answer: &str) -> bool {
    let answer = answer.trim();
    answer.eq_ignore_ascii_case("y") || answer.eq_ignore_ascii_case("yes")
}

fn denied(reason: &str) -> Decision {
    Decision::Deny { reason: Some(reason.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_yes_approves() {
        for yes in ["y", "Y\n", " yes ", "YES\r\n"] {
            assert!(approves(yes), "{yes:?}");
        }
        for no in ["", "\n", "n", "no", "yes please", "yy", "1", "true", "ja"] {
            assert!(!approves(no), "{no:?}");
        }
    }
}
