//! The program `toolstile`: lists, inspects and calls tools through all gates.
//!
//! This file reads the command line, starts the command and ends with its exit
//! code. The commands are in `commands/`, what they print goes through `output`,
//! and which code a result has is decided in `exit`.

mod cli;
mod commands;
mod error;
mod exit;
mod logging;
mod output;
mod prompt;

use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::{Cli, Command};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;

#[tokio::main]
async fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(message) => return Exit::of_parser(&message).into(),
    };
    logging::start(cli.global.verbose);
    let mut output = Output;
    let exit = run(&cli, &mut output).await.unwrap_or_else(|error| {
        output.error(&error.to_string());
        output.hint(error.hint());
        Exit::of_error(&error)
    });
    exit.into()
}

async fn run(cli: &Cli, output: &mut Output) -> Result<Exit, CliError> {
    let global = &cli.global;
    match &cli.command {
        Command::Demo(args) => args.run(output).await,
        Command::List(args) => args.run(global, output).await,
        Command::Inspect(args) => args.run(global, output).await,
        Command::Call(args) => args.run(global, output).await,
        Command::Policy(args) => args.run(global, output).await,
        Command::Doctor(args) => args.run(global, output),
        Command::Init(args) => args.run(output),
        Command::Completions(args) => args.run(output),
    }
}
