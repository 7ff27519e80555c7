//! `toolstile-build`: from a crate to a component with one command, for authors
//! who have no build script around their plugin.
//!
//! The report goes to the standard output, everything else to the standard
//! error. Exit codes: 0 done, 3 the command line makes no sense, 4 no component.

mod arguments;

use std::error::Error as StdError;
use std::io::{self, Write};
use std::process::ExitCode;

use arguments::{Action, HELP, Order};
use toolstile_build::{Component, Guest, Toolchain, explain};

fn main() -> ExitCode {
    let action = match Action::parse(std::env::args_os().skip(1)) {
        Ok(action) => action,
        Err(error) => return fail(&error, 3),
    };
    let mut out = io::stdout().lock();
    let done = match action {
        Action::Help => write!(out, "{HELP}").map_err(Into::into),
        Action::Build(order) => build(&order, &mut out),
    };
    done.map_or_else(|error| fail(error.as_ref(), 4), |()| ExitCode::SUCCESS)
}

fn fail(error: &dyn StdError, code: u8) -> ExitCode {
    // A closed standard error leaves nobody to tell.
    let _ = writeln!(io::stderr(), "error: {}", explain(error));
    ExitCode::from(code)
}

fn build(order: &Order, out: &mut impl Write) -> Result<(), Box<dyn StdError>> {
    let toolchain = Toolchain::find(&order.crate_dir)?;
    let mut guest = Guest::package(&order.crate_dir);
    if let Some(name) = &order.name {
        guest = guest.named(name);
    }
    let component = guest.build_with(&toolchain, &order.folder)?;
    report(&component, &toolchain, out)
}

/// What came out, made by what, and what it asks for.
fn report(
    component: &Component,
    toolchain: &Toolchain,
    out: &mut impl Write,
) -> Result<(), Box<dyn StdError>> {
    let path = component.path.display();
    writeln!(out, "component  {path} ({} bytes)", component.bytes_len)?;
    let strategy = toolchain.strategy().name();
    writeln!(out, "toolchain  {} ({strategy})", toolchain.version()?)?;
    for change in toolchain.changes() {
        writeln!(out, "changed    {change}")?;
    }
    if component.imports.is_empty() {
        writeln!(out, "imports    nothing")?;
    }
    for import in &component.imports {
        writeln!(out, "imports    {import}")?;
    }
    Ok(())
}
