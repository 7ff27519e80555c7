//! `toolstile run`: one question, answered by a model that calls tools.

use clap::Args;
use serde_json::{Value, json};
use toolstile::agent::{Approvals, RunId, RunRequest, RunResult, RunStatus, Step, StoredRun};

use super::{ModelArgs, View};
use crate::cli::Global;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::output::{Output, shown};

const EXAMPLES: &str = "\
Examples:
  toolstile run \"what is 2 ** 100?\" --model openai:gpt-5-mini
  toolstile run \"what is 2 ** 100?\" --script replies.json

The answer goes to stdout, what the tools do to stderr. Calls that need a person's
confirmation are asked for on the terminal. With `--checkpoints FILE` they wait in the
file instead, also for another day; `--list` shows them:
  toolstile run \"tidy my notes\" --checkpoints runs.sqlite
  toolstile run --checkpoints runs.sqlite --resume RUN --approve CALL --reject CALL=reason
  toolstile run --checkpoints runs.sqlite --resume RUN --edit 'CALL={\"path\": \"a.md\"}'

A script is a JSON list; each entry is a text, or {\"calls\": [{\"name\", \"arguments\"}]}.

Exit codes: 0 answered, 1 no answer, 2 waits for approval or was blocked, 3 usage,
4 the model or the host failed.";

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Run {
    /// The question
    #[arg(required_unless_present_any = ["resume", "list"], conflicts_with = "resume")]
    question: Option<String>,
    #[command(flatten)]
    model: ModelArgs,
    /// Print the result as JSON on stdout, and nothing else
    #[arg(long)]
    json: bool,
    /// List the runs that wait in the checkpoint file
    #[arg(long, conflicts_with_all = ["question", "resume"])]
    list: bool,
    /// Go on with a run that waits in the checkpoint file
    #[arg(long, value_name = "RUN")]
    resume: Option<String>,
    /// Approve a waiting call; `all` stands for all
    #[arg(long, value_name = "CALL", requires = "resume")]
    approve: Vec<String>,
    /// Reject a waiting call, with a reason for the model; `all` stands for all
    #[arg(long, value_name = "CALL[=REASON]", requires = "resume")]
    reject: Vec<String>,
    /// Approve a waiting call with other arguments
    #[arg(long, value_name = "CALL=JSON", requires = "resume")]
    edit: Vec<String>,
}

impl Run {
    /// Runs, and prints the answer.
    pub(crate) async fn run(&self, global: &Global, output: &mut Output) -> Result<Exit, CliError> {
        if self.list {
            let runs = self.model.stored_runs(&global.load_config()?).await?;
            return list(&runs, self.json, output);
        }
        let approvals = self.approvals()?;
        let resumed = self.resume.as_deref().map(RunId::parse).transpose();
        let resumed = resumed.map_err(|error| CliError::Decision(error.to_string()))?;
        let view = if self.json { View::silent() } else { View::new() };
        let session = self.model.session(global.load_config()?, view, output).await?;
        let cancel = Interrupt::of_process().token();
        let result = match (&resumed, &self.question) {
            (Some(id), _) => session.agent.resume_until(id, approvals, cancel).await?,
            (None, question) => {
                let request = RunRequest::new(question.clone().unwrap_or_default());
                session.agent.run(request.cancel(cancel)).await?
            }
        };
        match self.json {
            true => output.json(&as_json(&result))?,
            false => explain(&result, output),
        }
        Ok(Exit::of_run(&result.status))
    }

    fn approvals(&self) -> Result<Approvals, CliError> {
        let mut approvals = Approvals::none();
        for call in &self.approve {
            approvals = match call.as_str() {
                "all" => Approvals::approve_all(),
                id => approvals.approve(id),
            };
        }
        for decision in &self.reject {
            let (id, reason) = decision.split_once('=').unwrap_or((decision, "a person said no"));
            approvals = match id {
                "all" => Approvals::reject_all(Some(reason.to_owned())),
                id => approvals.reject(id, reason),
            };
        }
        for decision in &self.edit {
            let wrong = || CliError::Decision(format!("`--edit {decision}` is not `CALL=JSON`"));
            let (id, arguments) = decision.split_once('=').ok_or_else(wrong)?;
            let arguments: Value = serde_json::from_str(arguments).map_err(|_| wrong())?;
            approvals = approvals.edit(id, arguments);
        }
        Ok(approvals)
    }
}

/// One line for each run: its identifier and what was asked.
fn list(runs: &[StoredRun], as_json: bool, output: &mut Output) -> Result<Exit, CliError> {
    if as_json {
        output.json(&runs)?;
        return Ok(Exit::Done);
    }
    for run in runs {
        output.line(format_args!("{}  {}", run.run, shown(&run.summary)))?;
    }
    Ok(Exit::Done)
}

/// What is to be said of an end that is no answer.
pub(super) fn explain(result: &RunResult, output: &mut Output) {
    match &result.status {
        RunStatus::Answered => {}
        RunStatus::AwaitingApproval => {
            let id = &result.id;
            let hint = format!("`toolstile run --resume {id} --approve CALL` goes on with it");
            output.hint(Some(hint));
        }
        RunStatus::LimitReached(limit) => {
            output.warning(&format!("the limit of {limit} was reached; `[agent.limits]` sets it"));
        }
        RunStatus::Blocked(blocked) => output.error(&format!(
            "the guardrail `{}` blocked it: {}",
            blocked.guardrail, blocked.reason
        )),
        RunStatus::NoAnswer => output.error("the model gave no answer"),
        other => output.warning(&format!("the run ended: {}", other.as_str())),
    }
}

fn as_json(result: &RunResult) -> Value {
    let steps = result.steps.iter().map(|step| match step {
        Step::Tool { record, text } => json!({"tool": record, "text": text}),
        Step::Model { text, calls, usage, duration } => json!({"model": {
            "text": text, "calls": calls, "usage": usage,
            "duration_us": u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)}}),
        other => json!(format!("{other:?}")),
    });
    json!({
        "id": result.id,
        "status": result.status.as_str(),
        "detail": result.status,
        "final_output": result.final_output,
        "usage": result.usage,
        "pending": result.pending,
        "steps": steps.collect::<Value>(),
    })
}
