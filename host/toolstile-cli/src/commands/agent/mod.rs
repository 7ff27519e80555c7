//! The commands in which a model calls tools, and what they share.

pub(crate) mod chat;
pub(crate) mod run;
mod session;
mod view;

pub(crate) use session::ModelArgs;
pub(crate) use view::{View, call_line};
