//! One file for each command: what it takes, and what it does.

pub(crate) mod agent;
pub(crate) mod approve;
pub(crate) mod call;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod init;
pub(crate) mod inspect;
pub(crate) mod list;
pub(crate) mod lock;
pub(crate) mod login;
pub(crate) mod policy;
mod report;
pub(crate) mod serve;
