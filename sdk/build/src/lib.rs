//! Compiles Rust guests to WebAssembly components.
//!
//! This crate is the one place that knows how: where a Rust standard library
//! for WebAssembly comes from ([`Toolchain`]), how cargo is run from inside
//! another cargo run, and how the module becomes a component ([`Guest`]). It
//! serves build scripts, the program `toolstile-build` and every other program
//! that compiles plugins. It knows nothing of the host and of what a plugin
//! does.
//!
//! In a build script:
//!
//! ```no_run
//! use std::process::ExitCode;
//! use toolstile_build::{Error, Guest};
//!
//! fn main() -> ExitCode {
//!     toolstile_build::build_script(|| {
//!         // Writes `$OUT_DIR/calculator.wasm`.
//!         Guest::package("calculator").named("calculator").build()?;
//!         Ok::<(), Error>(())
//!     })
//! }
//! ```
//!
//! Elsewhere:
//!
//! ```no_run
//! use std::path::Path;
//! use toolstile_build::{Error, Guest, Toolchain};
//!
//! fn main() -> Result<(), Error> {
//!     let crate_dir = Path::new("my-plugin");
//!     let toolchain = Toolchain::find(crate_dir)?;
//!     let component = Guest::package(crate_dir).build_with(&toolchain, Path::new("."))?;
//!     assert!(component.bytes_len > 0);
//!     Ok(())
//! }
//! ```

mod compile;
mod component;
mod dep_info;
mod environment;
mod error;
mod guest;
mod process;
mod script;
mod toolchain;

pub use component::Component;
pub use error::{Error, explain};
pub use guest::Guest;
pub use script::build_script;
pub use toolchain::{Obstacle, Obstacles, STRATEGY_VARIABLE, Strategy, TARGET, Toolchain};
