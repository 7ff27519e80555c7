//! From the command line and the configuration to an agent.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use toolstile::agent::{
    Agent, ChatModel, CheckpointStore as _, RunError, RunStatus, ScriptedLlm, SqliteStore,
    StoredRun, TraceRedactor,
};
use toolstile::{Host, HostConfig, ModelConfig};
use toolstile_models::{ModelSettings, Provider, parse_model};

use super::view::View;
use crate::commands::report::show_problems;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;
use crate::prompt::Prompt;

/// Which model answers, and where runs are kept.
#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    /// The model [default: `[model]` in the configuration]
    #[arg(long, value_name = "PROVIDER:NAME")]
    model: Option<String>,
    /// A script in place of a model: a JSON file of replies
    #[arg(long, value_name = "FILE", conflicts_with = "model")]
    script: Option<PathBuf>,
    /// Where runs wait for approval, an SQLite file [default: `[agent] checkpoints`]
    #[arg(long, value_name = "FILE")]
    checkpoints: Option<PathBuf>,
    /// Approve every call that needs confirmation
    #[arg(long, conflicts_with = "checkpoints")]
    yes: bool,
}

/// An agent over the tools of the host.
pub(crate) struct Session {
    pub(crate) host: Host,
    pub(crate) agent: Agent,
}

impl ModelArgs {
    /// The agent that the configuration and these arguments describe.
    pub(crate) async fn session(
        &self,
        config: HostConfig,
        view: View,
        output: &mut Output,
    ) -> Result<Session, CliError> {
        let model = self.chat_model(&config.model)?;
        let store = self.store(&config)?;
        let (agent_config, sampling) = (config.agent.clone(), config.model.sampling());
        let traced_content = config.telemetry.content;
        let prompt = match self.yes {
            true => Prompt::Approve,
            false => Prompt::on_terminal("there is no terminal to ask on; `--yes` approves"),
        };
        let confirmer = view.quiet_while_asking(prompt.confirmer());
        let host = Host::builder().config(config).confirm(confirmer).build().await?;
        show_problems(&host, output);
        let mut agent = agent_config.configure(host.agent()).shared_model(model);
        agent = agent.sampling(sampling).streaming(true).observer(view);
        if traced_content {
            agent = agent.trace_content(TraceRedactor::default());
        }
        if let Some(store) = store {
            agent = agent.checkpoints(store);
        }
        Ok(Session { agent: agent.build()?, host })
    }

    /// The runs that wait in the checkpoint file.
    pub(crate) async fn stored_runs(
        &self,
        config: &HostConfig,
    ) -> Result<Vec<StoredRun>, CliError> {
        let store = self.store(config)?.ok_or(CliError::Run(RunError::NoStore))?;
        store.list().await.map_err(|error| CliError::Run(error.into()))
    }

    fn chat_model(&self, config: &ModelConfig) -> Result<Arc<dyn ChatModel>, CliError> {
        if let Some(path) = &self.script {
            return Ok(Arc::new(read_script(path)?));
        }
        let (provider, name) = match (&self.model, &config.provider, &config.name) {
            (Some(model), ..) => parse_model(model)?,
            (None, Some(provider), Some(name)) => (Provider::parse(provider)?, name.clone()),
            _ => return Err(CliError::NoModel),
        };
        // What the configuration says of one provider is nothing to another.
        let same = config.provider.as_deref().is_none_or(|named| named == provider.as_str());
        let own = |value: &Option<String>| value.clone().filter(|_| same);
        let variable = own(&config.key_env);
        let variable = variable.as_deref().or(provider.key_variable());
        let key = variable.and_then(|name| std::env::var(name).ok());
        let base_url = own(&config.base_url);
        let settings = ModelSettings { provider, name, base_url, key };
        Ok(Arc::new(toolstile_models::connect(settings)?))
    }

    fn store(&self, config: &HostConfig) -> Result<Option<SqliteStore>, CliError> {
        // A person who approves everything beforehand is not waited for.
        let path = match (&self.checkpoints, &config.agent.checkpoints) {
            (Some(path), _) => path.clone(),
            (None, Some(path)) if !self.yes => config.resolve(path),
            _ => return Ok(None),
        };
        let failed = |source| CliError::Checkpoints { path: path.clone(), source };
        SqliteStore::open(&path).map(Some).map_err(failed)
    }
}

fn read_script(path: &std::path::Path) -> Result<ScriptedLlm, CliError> {
    let wrong = |reason: String| CliError::Script { path: path.to_owned(), reason };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    ScriptedLlm::parse(&text).map_err(wrong)
}

impl Exit {
    /// The code of a run.
    pub(crate) fn of_run(status: &RunStatus) -> Self {
        match status {
            RunStatus::Answered | RunStatus::StoppedByTool => Self::Done,
            RunStatus::AwaitingApproval | RunStatus::Blocked(_) => Self::Refused,
            _ => Self::ToolFailed,
        }
    }
}
