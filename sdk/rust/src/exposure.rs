//! Which of this plugin's tools the model sees from its next turn on.
//!
//! Both functions fail with [`Unavailable`](crate::ErrorKind::Unavailable)
//! outside an agent run, native code included.

use crate::Error;
use crate::bindings::toolstile::plugin::exposure;
use crate::error::ask;

/// Shows tools. All or nothing: one unknown name and none is added.
pub fn add_tools<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Result<(), Error> {
    let names: Vec<String> = names.into_iter().map(Into::into).collect();
    ask("exposure", || exposure::add_tools(&names))
}

/// Hides tools. Names that are not shown are ignored.
pub fn remove_tools<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Result<(), Error> {
    let names: Vec<String> = names.into_iter().map(Into::into).collect();
    ask("exposure", || exposure::remove_tools(&names))
}
