//! A run as a person sees it: the model's text on stdout, what its tools do on stderr,
//! and something that moves while the model thinks.

use std::collections::HashMap;
use std::io::IsTerminal as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use toolstile::agent::{Event, Observer, PendingCall, RunId, ToolCall};
use toolstile::{AuditRecord, Confirm, ConfirmRequest, Decision};

use crate::output::{BAD, BOLD, DIM, GOOD, Output, WARN, shown, styled};
use crate::prompt::Confirmer;

/// Characters of arguments that a line shows.
const SHOWN_ARGUMENTS: usize = 120;

/// Shows the events of a run as they come.
#[derive(Clone)]
pub(crate) struct View(Arc<Mutex<State>>);

struct State {
    spinner: ProgressBar,
    calls: HashMap<String, ToolCall>,
    /// The model's text is on a line that is not ended yet.
    inside_text: bool,
    silent: bool,
}

impl View {
    /// A view of everything.
    pub(crate) fn new() -> Self {
        Self::showing(false)
    }

    /// A view that shows nothing, for programs that read the result.
    pub(crate) fn silent() -> Self {
        Self::showing(true)
    }

    fn showing(silent: bool) -> Self {
        let spinner = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if !silent && std::io::stderr().is_terminal() {
            spinner.set_draw_target(ProgressDrawTarget::stderr());
        }
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            spinner.set_style(style);
        }
        let state = State { spinner, calls: HashMap::new(), inside_text: false, silent };
        Self(Arc::new(Mutex::new(state)))
    }

    /// A confirmer before whose question the view stands still.
    pub(crate) fn quiet_while_asking(&self, confirmer: Confirmer) -> Asking {
        Asking { view: self.clone(), confirmer }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for View {
    fn observe(&self, run: &RunId, event: &Event) {
        let mut state = self.state();
        if state.silent {
            return;
        }
        match event {
            Event::ModelAsked { .. } => state.wait("thinking"),
            Event::TextDelta { text } => state.text(text),
            Event::ModelRetried { reason } => {
                state.line(styled(WARN, format_args!("asking again: {}", shown(reason))));
                state.wait("waiting");
            }
            Event::ModelReplied { .. } => state.stand_still(),
            Event::ToolRequested { call } => {
                state.wait(&format!("{} …", shown(&call.name)));
                state.calls.insert(call.id.clone(), call.clone());
            }
            Event::ToolEnded { call_id, record, .. } => {
                let call = state.calls.remove(call_id);
                state.line(call_line(call.as_ref(), record));
            }
            Event::Suspended { pending } => state.pending(run, pending),
            Event::RunEnded { .. } | Event::RunFailed { .. } => state.stand_still(),
            _ => {}
        }
    }
}

impl State {
    fn wait(&mut self, for_what: &str) {
        self.end_text();
        self.spinner.set_message(for_what.to_owned());
        self.spinner.enable_steady_tick(Duration::from_millis(100));
    }

    fn stand_still(&mut self) {
        self.end_text();
        self.spinner.disable_steady_tick();
        self.spinner.set_message("");
        self.spinner.finish_and_clear();
        self.spinner.reset();
    }

    fn text(&mut self, text: &str) {
        if !self.inside_text {
            self.stand_still();
        }
        self.inside_text = true;
        // Nobody is left to be told when stdout is gone.
        let _ = Output.plain(&shown(text));
    }

    fn end_text(&mut self) {
        if std::mem::take(&mut self.inside_text) {
            let _ = Output.plain("\n");
        }
    }

    fn line(&mut self, line: String) {
        self.stand_still();
        Output.aside(&line);
    }

    fn pending(&mut self, run: &RunId, pending: &[PendingCall]) {
        self.line(styled(BOLD, format_args!("run {run} waits for approval of")));
        for call in pending {
            let label = styled(WARN, format_args!("{}:", shown(&call.call_id)));
            Output.aside(&format!("  {label} {}", indented(&call.text)));
        }
    }
}

/// What became of a call: what was asked, the decision, and the time.
pub(crate) fn call_line(call: Option<&ToolCall>, record: &AuditRecord) -> String {
    let arguments = call.map(|call| cut(&call.arguments)).unwrap_or_default();
    let (mark, style) = match record.outcome {
        "success" => ("✓", GOOD),
        "partial" => ("~", WARN),
        _ => ("✗", BAD),
    };
    let decision = match record.reason {
        Some(reason) => format!("{} ({reason})", record.outcome),
        None => record.outcome.to_owned(),
    };
    let time = format!("{:.1} ms", record.duration.as_secs_f64() * 1e3);
    format!(
        "{} {} {arguments} {} {}",
        styled(style, mark),
        styled(BOLD, shown(&record.tool)),
        styled(style, decision),
        styled(DIM, time)
    )
}

fn cut(arguments: &str) -> String {
    match arguments.char_indices().nth(SHOWN_ARGUMENTS) {
        None => shown(arguments).into_owned(),
        Some((end, _)) => format!("{}…", shown(&arguments[..end])),
    }
}

fn indented(text: &str) -> String {
    text.replace('\n', "\n    ")
}

/// Asks with the view standing still.
pub(crate) struct Asking {
    view: View,
    confirmer: Confirmer,
}

#[async_trait]
impl Confirm for Asking {
    async fn confirm(&self, request: &ConfirmRequest) -> Decision {
        self.view.state().stand_still();
        self.confirmer.confirm(request).await
    }
}
