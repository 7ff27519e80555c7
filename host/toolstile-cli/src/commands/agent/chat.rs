//! `toolstile chat`: a conversation.

use std::path::PathBuf;

use clap::Args;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor};
use serde_json::Value;
use toolstile::agent::{Approvals, Message, RunId, RunRequest, RunResult, RunStatus};

use super::session::Session;
use super::{ModelArgs, View};
use crate::cli::Global;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::output::{DIM, Output, shown, styled};

const EXAMPLES: &str = "\
Examples:
  toolstile chat --model ollama:qwen3
  toolstile chat --script replies.json

In the conversation:
  /tools                 the tools that the model is shown
  /approve [CALL]        approve what waits, all or one call
  /reject [CALL [WHY]]   reject what waits, all or one call
  /edit CALL JSON        approve a call with other arguments
  /new                   forget the conversation
  /quit                  leave, as Ctrl-D does

Ctrl-C cancels what the model and its tools are doing. Calls that need confirmation are
asked for at once, or wait for `/approve` where there is a checkpoint file.";

const HELP: &str = "/tools, /approve [CALL], /reject [CALL [WHY]], /edit CALL JSON, /new, /quit";

/// Arguments of `chat`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Chat {
    #[command(flatten)]
    model: ModelArgs,
}

/// A conversation that goes on.
struct Conversation {
    session: Session,
    history: Vec<Message>,
    /// The run that waits for approval.
    waiting: Option<RunId>,
    interrupt: Interrupt,
}

/// What a line asks for.
#[derive(Debug, PartialEq)]
enum Line<'a> {
    Nothing,
    Say(&'a str),
    Tools,
    Decide(Approvals),
    New,
    Quit,
    Help,
    Wrong(String),
}

impl Chat {
    /// Talks until the person leaves.
    pub(crate) async fn run(&self, global: &Global, output: &mut Output) -> Result<Exit, CliError> {
        let session = self.model.session(global.load_config()?, View::new(), output).await?;
        let interrupt = Interrupt::of_process();
        let mut conversation =
            Conversation { session, history: Vec::new(), waiting: None, interrupt };
        output.aside(&styled(DIM, format_args!("{HELP}; Ctrl-C cancels a turn")));
        let mut editor = editor()?;
        loop {
            let line;
            (editor, line) = read_line(editor).await?;
            let Some(line) = line else { return Ok(Exit::Done) };
            match parse(&line) {
                Line::Nothing => {}
                Line::Quit => return Ok(Exit::Done),
                Line::Help => output.aside(HELP),
                Line::Wrong(what) => output.error(&what),
                Line::Tools => conversation.show_tools(output)?,
                Line::New => conversation.forget(output).await?,
                Line::Say(text) => conversation.say(text, output).await,
                Line::Decide(approvals) => conversation.decide(approvals, output).await,
            }
        }
    }
}

impl Conversation {
    async fn say(&mut self, text: &str, output: &mut Output) {
        if self.waiting.is_some() {
            output.error("calls wait for `/approve` or `/reject`; `/new` drops them");
            return;
        }
        let request = RunRequest::new(text).history(self.history.clone());
        let request = request.cancel(self.interrupt.token());
        let result = self.session.agent.run(request).await;
        self.take(result, output).await;
    }

    async fn decide(&mut self, approvals: Approvals, output: &mut Output) {
        let Some(run) = &self.waiting else {
            output.error("nothing waits for a decision");
            return;
        };
        let token = self.interrupt.token();
        let result = self.session.agent.resume_until(run, approvals, token).await;
        self.take(result, output).await;
    }

    /// A turn that failed leaves the conversation as it was.
    async fn take(
        &mut self,
        result: Result<RunResult, toolstile::agent::RunError>,
        output: &mut Output,
    ) {
        match result {
            Ok(result) if result.status == RunStatus::AwaitingApproval => {
                self.waiting = Some(result.id);
            }
            Ok(result) => {
                self.waiting = None;
                super::run::explain(&result, output);
                if result.status == RunStatus::Cancelled {
                    // What was cancelled here is not taken up again elsewhere; without a
                    // store there is nothing to forget.
                    let _ = self.session.agent.discard(&result.id).await;
                }
                self.history = result.messages;
            }
            Err(error) => output.error(&error.to_string()),
        }
    }

    fn show_tools(&self, output: &mut Output) -> Result<(), CliError> {
        for tool in self.session.host.tools(None) {
            let description = shown(&tool.definition.description).into_owned();
            let first = description.lines().next().unwrap_or_default().to_owned();
            output.line(format_args!("{}  {}", tool.name(), styled(DIM, first)))?;
        }
        Ok(())
    }

    async fn forget(&mut self, output: &mut Output) -> Result<(), CliError> {
        if let Some(run) = self.waiting.take() {
            self.session.agent.discard(&run).await?;
        }
        self.history.clear();
        output.aside("a new conversation");
        Ok(())
    }
}

fn parse(line: &str) -> Line<'_> {
    let line = line.trim();
    let Some(command) = line.strip_prefix('/') else {
        return if line.is_empty() { Line::Nothing } else { Line::Say(line) };
    };
    let (name, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    let rest = rest.trim();
    match (name, rest) {
        ("tools", "") => Line::Tools,
        ("new", "") => Line::New,
        ("quit" | "exit", "") => Line::Quit,
        ("help", _) => Line::Help,
        ("approve", "") => Line::Decide(Approvals::approve_all()),
        ("approve", call) => Line::Decide(Approvals::none().approve(call)),
        ("reject", "") => Line::Decide(Approvals::reject_all(None)),
        ("reject", rest) => {
            let (call, why) = rest.split_once(' ').unwrap_or((rest, "a person said no"));
            Line::Decide(Approvals::none().reject(call, why))
        }
        ("edit", rest) => match rest.split_once(' ').map(|(call, text)| (call, json(text))) {
            Some((call, Some(arguments))) => Line::Decide(Approvals::none().edit(call, arguments)),
            _ => Line::Wrong("`/edit` needs the call and its new arguments as JSON".to_owned()),
        },
        _ => Line::Wrong(format!("`/{name}` is no command here; {HELP}")),
    }
}

fn json(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

type LineEditor = Editor<(), FileHistory>;

fn editor() -> Result<LineEditor, CliError> {
    let config = Config::builder().auto_add_history(true).build();
    let mut editor = Editor::with_config(config).map_err(CliError::Terminal)?;
    if let Some(path) = history_file() {
        // The first conversation finds none.
        let _ = editor.load_history(&path);
    }
    Ok(editor)
}

/// Reads a line on a thread where that disturbs nobody. `None`: the person left.
async fn read_line(mut editor: LineEditor) -> Result<(LineEditor, Option<String>), CliError> {
    let read = tokio::task::spawn_blocking(move || {
        let line = editor.readline("> ");
        (editor, line)
    });
    let (mut editor, line) = read.await.map_err(|error| CliError::Output(error.into()))?;
    let line = match line {
        Ok(line) => Some(line),
        // A line that was thrown away, not the conversation.
        Err(ReadlineError::Interrupted) => Some(String::new()),
        Err(ReadlineError::Eof) => None,
        Err(error) => return Err(CliError::Terminal(error)),
    };
    if let Some(path) = history_file() {
        // A conversation goes on without its history being kept.
        let _ = keep_history(&mut editor, &path);
    }
    Ok((editor, line))
}

fn keep_history(editor: &mut LineEditor, path: &std::path::Path) -> rustyline::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    editor.append_history(path)
}

/// `$XDG_STATE_HOME/toolstile/chat_history`, else in `~/.local/state`.
fn history_file() -> Option<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")));
    Some(base?.join("toolstile").join("chat_history"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lines_are_questions_or_commands() {
        assert_eq!(parse("  "), Line::Nothing);
        assert_eq!(parse("what is /tools?"), Line::Say("what is /tools?"));
        assert_eq!(parse("/quit"), Line::Quit);
        assert_eq!(parse("/approve"), Line::Decide(Approvals::approve_all()));
        assert_eq!(parse("/approve c1"), Line::Decide(Approvals::none().approve("c1")));
        let reject = Approvals::none().reject("c1", "not now, please");
        assert_eq!(parse("/reject c1 not now, please"), Line::Decide(reject));
        let edit = Approvals::none().edit("c1", json!({"x": 1}));
        assert_eq!(parse(r#"/edit c1 {"x": 1}"#), Line::Decide(edit));
        for wrong in ["/edit", "/edit c1", "/edit c1 {", "/toolz", "/quit now"] {
            assert!(matches!(parse(wrong), Line::Wrong(_)), "{wrong}");
        }
    }
}
