//! Ctrl-C: the first one cancels what goes on, where something does.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use toolstile::agent::CancellationToken;

/// The exit code of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// Hands out tokens that Ctrl-C cancels.
#[derive(Clone, Debug)]
pub(crate) struct Interrupt(Arc<Mutex<Option<CancellationToken>>>);

impl Interrupt {
    /// The one of this process.
    pub(crate) fn of_process() -> Self {
        static INTERRUPT: OnceLock<Interrupt> = OnceLock::new();
        INTERRUPT.get_or_init(Self::listen).clone()
    }

    fn listen() -> Self {
        let interrupt = Self(Arc::default());
        let heard = interrupt.clone();
        // Without a handler Ctrl-C ends the program, as it does without us.
        let _ = ctrlc::set_handler(move || heard.raise());
        interrupt
    }

    /// A token for what begins now.
    pub(crate) fn token(&self) -> CancellationToken {
        let token = CancellationToken::new();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(token.clone());
        token
    }

    fn raise(&self) {
        let current = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        match current {
            Some(token) => token.cancel(),
            None => std::process::exit(INTERRUPTED),
        }
    }
}
