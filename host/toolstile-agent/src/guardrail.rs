//! Checks on what goes into a run and on what comes out of it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use serde::{Deserialize, Serialize};

/// Looks at the text of a person before the model sees it, or at the final answer
/// before anybody else does.
#[async_trait]
pub trait Guardrail: Send + Sync {
    /// The name, for events and results.
    fn name(&self) -> &str;

    /// Decides about a text.
    async fn check(&self, text: &str) -> GuardrailVerdict;
}

/// What a guardrail says of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuardrailVerdict {
    /// It may pass.
    Pass,
    /// It may not: the run ends.
    Block {
        /// Why, for whoever started the run.
        reason: String,
    },
}

/// Which text a guardrail blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuardrailStage {
    /// What the person asked.
    Input,
    /// The final answer.
    Output,
}

/// A guardrail blocked a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocked {
    /// Which text.
    pub stage: GuardrailStage,
    /// The guardrail.
    pub guardrail: String,
    /// Why.
    pub reason: String,
}

/// Asks all guardrails in order. One that panics blocks.
pub(crate) async fn check(
    guardrails: &[Arc<dyn Guardrail>],
    stage: GuardrailStage,
    text: &str,
) -> Result<(), Blocked> {
    for guardrail in guardrails {
        let verdict = AssertUnwindSafe(guardrail.check(text)).catch_unwind().await;
        let reason = match verdict {
            Ok(GuardrailVerdict::Pass) => continue,
            Ok(GuardrailVerdict::Block { reason }) => reason,
            Err(_) => "the guardrail failed".to_owned(),
        };
        return Err(Blocked { stage, guardrail: guardrail.name().to_owned(), reason });
    }
    Ok(())
}
