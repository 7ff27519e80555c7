//! `[model]`, `[agent]` and `[telemetry]`, as data.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use toolstile_agent::{AgentBuilder, Limits, Sampling};

/// `[model]`: the language model of `toolstile run` and `toolstile chat`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelConfig {
    /// `openai` (or any server that speaks its Chat Completions), `anthropic`, `gemini`
    /// or `ollama`.
    pub provider: Option<String>,
    /// The provider's name of the model.
    pub name: Option<String>,
    /// Where the provider is, in place of its own address.
    pub base_url: Option<String>,
    /// The environment variable that holds the key, in place of the provider's usual one.
    pub key_env: Option<String>,
    /// From 0 (always the likeliest word) upwards.
    pub temperature: Option<f64>,
    /// Tokens of one reply.
    pub max_output_tokens: Option<u64>,
}

impl ModelConfig {
    /// How the model chooses its words.
    #[must_use]
    pub fn sampling(&self) -> Sampling {
        Sampling { temperature: self.temperature, max_output_tokens: self.max_output_tokens }
    }
}

/// `[agent]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentConfig {
    /// The name, for records.
    pub name: Option<String>,
    /// Who the model is and what it should mind.
    pub system: Option<String>,
    /// The tools that a run begins with; absent means all that are permitted. The others
    /// can be shown while it goes on.
    pub tools: Option<Vec<String>>,
    /// A file in which runs are kept while they wait for approval, relative to the
    /// configuration file. Without one, approval is asked for on the terminal.
    pub checkpoints: Option<PathBuf>,
    /// How far a run may go.
    pub limits: AgentLimits,
}

/// `[agent.limits]`; see [`Limits`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentLimits {
    /// Turns of the model.
    pub turns: usize,
    /// Requests to the model.
    pub model_calls: Option<usize>,
    /// Tools that are entered.
    pub tool_calls: Option<usize>,
    /// Tokens in all.
    pub tokens: Option<u64>,
    /// Wall time, in seconds.
    pub wall_time_s: Option<u64>,
    /// Batches of calls in a row in which one failed; 0 sets no limit.
    pub failed_batches: usize,
}

impl Default for AgentLimits {
    fn default() -> Self {
        let Limits { turns, failed_batches, .. } = Limits::default();
        Self {
            turns,
            model_calls: None,
            tool_calls: None,
            tokens: None,
            wall_time_s: None,
            failed_batches: failed_batches.unwrap_or(0),
        }
    }
}

impl From<&AgentLimits> for Limits {
    fn from(limits: &AgentLimits) -> Self {
        Self {
            turns: limits.turns,
            model_calls: limits.model_calls,
            tool_calls: limits.tool_calls,
            tokens: limits.tokens,
            wall_time: limits.wall_time_s.map(Duration::from_secs),
            failed_batches: Some(limits.failed_batches).filter(|limit| *limit > 0),
            ..Self::default()
        }
    }
}

impl AgentConfig {
    /// Puts the settings on a builder, all but the checkpoints.
    #[must_use]
    pub fn configure(&self, mut agent: AgentBuilder) -> AgentBuilder {
        agent = agent.limits((&self.limits).into());
        if let Some(name) = &self.name {
            agent = agent.name(name);
        }
        if let Some(system) = &self.system {
            agent = agent.system(system);
        }
        match &self.tools {
            Some(tools) => agent.shown(tools.iter().cloned()),
            None => agent,
        }
    }
}

/// `[telemetry]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TelemetryConfig {
    /// An OpenTelemetry collector (OTLP over HTTP) that the spans of runs go to, for
    /// example `http://localhost:4318`. Default: none, or the environment variable
    /// `OTEL_EXPORTER_OTLP_ENDPOINT`.
    pub otlp_endpoint: Option<String>,
    /// Arguments and results of calls stand in the spans too, with what looks like a
    /// secret masked and long texts cut.
    pub content: bool,
}
