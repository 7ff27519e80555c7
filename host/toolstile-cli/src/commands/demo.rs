//! `toolstile demo`: the same tool, called under four settings of an operator, and then
//! by a scripted model. What it prints is what happened: real plugins, real gates,
//! measured times.

use std::time::Duration;

use clap::Args;
use toolstile::agent::{Message, ScriptedLlm, Step, ToolCall, Usage};
use toolstile::{Completion, ConfigError, GateDecision, Host, HostConfig, Stop, Verdict};

use super::agent::call_line;
use super::report::aligned;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BAD, BOLD, DIM, GOOD, Output, shown, styled};
use crate::prompt::Prompt;

const EXAMPLES: &str = "\
Reads no configuration and writes none. On a terminal it asks for one confirmation;
without a terminal that call is refused.

Example:
  toolstile demo";

/// Arguments of `demo`: none.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Demo {}

/// One call, and the configuration that it is made under.
struct Scene {
    title: &'static str,
    config: &'static str,
    arguments: &'static str,
}

const SCENES: [Scene; 4] = [
    Scene {
        title: "A call that every gate lets through",
        config: "",
        arguments: r#"{"expression": "2 ** 100 // (3 + 4)"}"#,
    },
    Scene {
        title: "A call that the schema refuses",
        config: "",
        arguments: r#"{"expresion": 42}"#,
    },
    Scene {
        title: "A call that the permissions refuse",
        config: "[permissions]\ndeny = [\"calculator\"]",
        arguments: r#"{"expression": "6 * 7"}"#,
    },
    Scene {
        title: "A call that needs a person's confirmation",
        config: "[plugin.calculator]\nconfirm = \"always\"",
        arguments: r#"{"expression": "6 * 7"}"#,
    },
];

const QUESTION: &str = "Is 2 to the 64th more than 10 to the 19th?";

const RUN: Scene = Scene { title: "", config: "", arguments: "" };

impl Demo {
    /// Plays all scenes.
    pub(crate) async fn run(&self, output: &mut Output) -> Result<Exit, CliError> {
        for (number, scene) in SCENES.iter().enumerate() {
            play(number + 1, scene, output).await?;
        }
        play_run(SCENES.len() + 1, output).await?;
        output.line(styled(BOLD, "What next"))?;
        output
            .line("  toolstile list                 the tools, who they are, what they may do")?;
        output.line("  toolstile init                 a commented configuration")?;
        output.line("  toolstile call TOOL JSON       one call through all gates")?;
        output.line("  toolstile run QUESTION         a model of yours that calls the tools")?;
        output.line("  examples/plugin-rust           a plugin of your own, in three commands")?;
        Ok(Exit::Done)
    }
}

async fn play(number: usize, scene: &Scene, output: &mut Output) -> Result<(), CliError> {
    let host = host_for(scene).await?;
    if number == 1 {
        introduce(&host, output)?;
    }
    output.line(styled(BOLD, format_args!("{number}. {}", scene.title)))?;
    for line in scene.config.lines() {
        output.line(styled(DIM, format_args!("   | {line}")))?;
    }
    output.line(format_args!("   asked: calculator {}", scene.arguments))?;
    let completion = host.call("calculator", scene.arguments).await;
    print_gates(&completion.record.gates, output)?;
    print_result(&completion, output)
}

/// A whole run of an agent, with a model that says what a script tells it to: nobody
/// needs a key to see it.
async fn play_run(number: usize, output: &mut Output) -> Result<(), CliError> {
    output.line(styled(BOLD, format_args!("{number}. A model at work (scripted)")))?;
    output.line(format_args!("   asked: {QUESTION}"))?;
    let host = host_for(&RUN).await?;
    let result = host.agent().model(script()).build()?.run(QUESTION).await?;
    let calls: Vec<&ToolCall> = result.messages.iter().flat_map(calls_of).collect();
    for step in &result.steps {
        match step {
            Step::Model { text, calls, .. } if text.is_empty() => {
                output.line(format_args!(
                    "   model: {}",
                    styled(DIM, format_args!("calls {calls}"))
                ))?;
            }
            Step::Model { text, .. } => output.line(format_args!("   model: {}", shown(text)))?,
            Step::Tool { record, text } => {
                let id = record.call_id.as_deref().unwrap_or_default();
                let call = calls.iter().find(|call| call.id == id).copied();
                output.line(format_args!("     {}", call_line(call, record)))?;
                output.line(format_args!("       {}", styled(DIM, shown(text))))?;
            }
            _ => {}
        }
    }
    let Usage { model_calls, tool_calls, .. } = result.usage;
    let cost = format!("{model_calls} requests to the model, {tool_calls} tools entered");
    output.line(format_args!("   {}\n", styled(DIM, cost)))?;
    Ok(())
}

fn script() -> ScriptedLlm {
    ScriptedLlm::new()
        .call("calculator", r#"{"expresion": "2 ** 64"}"#)
        .calls([
            ToolCall::new("a", "calculator", r#"{"expression": "2 ** 64"}"#),
            ToolCall::new("b", "calculator", r#"{"expression": "10 ** 19"}"#),
        ])
        .text("2 to the 64th is 18446744073709551616, which is more than 10 to the 19th.")
}

fn calls_of(message: &Message) -> &[ToolCall] {
    match message {
        Message::Assistant { calls, .. } => calls,
        _ => &[],
    }
}

/// A host with the bundled plugins and nothing of the working directory.
async fn host_for(scene: &Scene) -> Result<Host, CliError> {
    let config = HostConfig::parse(scene.config).map_err(|message| {
        CliError::Config(ConfigError::Invalid { path: "demo".into(), message })
    })?;
    let prompt = Prompt::on_terminal("there is no terminal to ask on");
    Ok(Host::builder().config(config).plugin_dir("").confirm(prompt.confirmer()).build().await?)
}

fn introduce(host: &Host, output: &mut Output) -> Result<(), CliError> {
    let loaded: Vec<String> = host
        .plugins()
        .iter()
        .map(|loaded| {
            format!("`{}` ({} KB of WebAssembly)", loaded.name, loaded.plugin.bytes / 1000)
        })
        .collect();
    output.line(format_args!("Loaded {}.", loaded.join(", ")))?;
    output.line("Every call passes the gates from top to bottom before the tool runs.\n")?;
    Ok(())
}

fn print_gates(gates: &[GateDecision], output: &mut Output) -> Result<(), CliError> {
    let rows: Vec<Vec<String>> = gates
        .iter()
        .map(|decision| {
            let detail = decision.detail.clone().unwrap_or_default();
            vec![decision.gate.to_string(), decision.verdict.as_str().to_owned(), detail]
        })
        .collect();
    for (line, decision) in aligned(&rows).iter().zip(gates) {
        let style = if decision.verdict == Verdict::Refused { BAD } else { GOOD };
        output.line(format_args!("     {}", styled(style, line)))?;
    }
    Ok(())
}

fn print_result(completion: &Completion, output: &mut Output) -> Result<(), CliError> {
    let label = match &completion.result {
        Ok(_) => styled(GOOD, "answer:"),
        Err(Stop::Refused(_)) => styled(BAD, "refused:"),
        Err(Stop::Failed(_) | Stop::Aborted { .. }) => styled(BAD, "failed:"),
    };
    output.line(format_args!("   {label} {}", shown(&completion.response().text)))?;
    let time = styled(DIM, in_milliseconds(completion.record.duration));
    output.line(format_args!("   {} {time}\n", styled(DIM, "took:")))?;
    Ok(())
}

fn in_milliseconds(duration: Duration) -> String {
    format!("{:.2} ms", duration.as_secs_f64() * 1e3)
}
