//! Note files below one directory: no path, link or race leads out of it.
//!
//! The directory is opened once ([`Notes::open`]). Afterwards nothing is looked up by
//! a path of the host: a note's path is first judged as text ([`check_path`]), then
//! each of its folders is opened from the one before it, and links are followed
//! nowhere. What is opened at the end must be a regular file with a single name.
//!
//! For Unix systems. Calls block, for a short time: run them on a thread that may wait.
//!
//! ```
//! use std::time::{Duration, Instant};
//! use toolstile_notes::{Access, Notes, NotesConfig, Quotas};
//!
//! # let temporary = tempfile::tempdir()?;
//! # let directory = temporary.path().join("notes");
//! let config = NotesConfig { directory, access: Access::ReadAppend, quotas: Quotas::default() };
//! let notes = Notes::open(config)?;
//! let deadline = Instant::now() + Duration::from_secs(1);
//! notes.append("plans/spring.md", "sow peas\n", deadline)?;
//! assert_eq!(notes.read("plans/spring.md")?, "sow peas\n");
//! assert_eq!(notes.list("")?, ["plans/spring.md"]);
//! assert!(notes.read("../secret").is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod append;
mod beneath;
mod error;
mod folder;
mod lock;
mod name;
mod notes;
mod path;
mod root;
mod survey;

pub use error::{ErrorKind, NotesError};
pub use name::{MAX_NAME_BYTES, NameProblem};
pub use notes::{Access, Notes, NotesConfig, Quotas};
pub use path::{MAX_DEPTH, MAX_PATH_BYTES, NotePath, PathProblem, check_path};
pub use root::OpenError;
