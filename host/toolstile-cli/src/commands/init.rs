//! `toolstile init`: a configuration file to start from.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use toolstile::{CONFIG_FILE, TEMPLATE};

use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;

const EXAMPLE: &str = "\
Every line of the file that sets something is commented out and shows the default.

Example:
  toolstile init && toolstile list";

/// Arguments of `init`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Init {
    /// Overwrite a file that is there
    #[arg(long)]
    force: bool,
}

impl Init {
    /// Writes the file.
    pub(crate) fn run(&self, output: &mut Output) -> Result<Exit, CliError> {
        let path = Path::new(CONFIG_FILE);
        write(path, self.force)?;
        output.line(format_args!("wrote `{CONFIG_FILE}`; all of it is commented out"))?;
        Ok(Exit::Done)
    }
}

fn write(path: &Path, force: bool) -> Result<(), CliError> {
    let mut options = OpenOptions::new();
    match force {
        true => options.write(true).create(true).truncate(true),
        // Whether the file is there is asked by creating it, so that no other
        // program's file can come in between.
        false => options.write(true).create_new(true),
    };
    let written = options.open(path).and_then(|mut file| file.write_all(TEMPLATE.as_bytes()));
    written.map_err(|source| match source.kind() {
        ErrorKind::AlreadyExists => CliError::Exists(PathBuf::from(path)),
        _ => CliError::Unwritable { path: PathBuf::from(path), source },
    })
}
