//! The program `toolstile`: lists, inspects and calls tools through all gates.
//!
//! This file reads the command line, starts the command and ends with its exit
//! code. The commands are in `commands/`, what they print goes through `output`,
//! and which code a result has is decided in `exit`.

mod cli;
mod commands;
mod error;
mod exit;
mod interrupt;
mod logging;
mod output;
mod prompt;
mod telemetry;

use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::{Cli, Command};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;
use crate::telemetry::Exporting;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(message) => return Exit::of_parser(&message).into(),
    };
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            Output.error(&format!("there is no runtime: {error}"));
            return Exit::HostFailed.into();
        }
    };
    let exit = runtime.block_on(start(&cli));
    // A read of standard input that nobody waits for any more must not keep the process.
    runtime.shutdown_background();
    exit.into()
}

async fn start(cli: &Cli) -> Exit {
    let mut output = Output;
    // Where the configuration cannot be read the command says so itself.
    let exporting = match cli.command.runs_an_agent() {
        true => cli.global.load_config().and_then(|config| Exporting::start(&config)),
        false => Ok(None),
    };
    let exporting = exporting.unwrap_or_default();
    logging::start(cli.global.verbose, exporting.as_ref());
    let exit = run(cli, &mut output).await.unwrap_or_else(|error| {
        output.error(&error.to_string());
        output.hint(error.hint());
        Exit::of_error(&error)
    });
    if let Some(exporting) = exporting {
        exporting.finish().await;
    }
    exit
}

async fn run(cli: &Cli, output: &mut Output) -> Result<Exit, CliError> {
    let global = &cli.global;
    match &cli.command {
        Command::Demo(args) => args.run(output).await,
        Command::List(args) => args.run(global, output).await,
        Command::Inspect(args) => args.run(global, output).await,
        Command::Call(args) => args.run(global, output).await,
        Command::Run(args) => args.run(global, output).await,
        Command::Chat(args) => args.run(global, output).await,
        Command::Policy(args) => args.run(global, output).await,
        Command::Serve(args) => args.run(global, output).await,
        Command::Approve(args) => args.run(global, output).await,
        Command::Login(args) => args.run(global, output).await,
        Command::Lock(args) => args.run(global, output).await,
        Command::Doctor(args) => args.run(global, output),
        Command::Init(args) => args.run(output),
        Command::Completions(args) => args.run(output),
    }
}
