//! The program from outside: exit codes, exact output, and what a person reads when
//! something is wrong.

mod agent;
mod approve;
mod call;
mod configuration;
mod look;
mod rules;
mod serve;
mod servers;
mod terminal;
pub(crate) mod workplace;
