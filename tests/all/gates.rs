//! The order of the gates, what each decides, and what is left behind: with a tool,
//! a person, middlewares and a sink that all write into one log.

mod answers; // the guard, and what the model reads
mod audit; // one record for every call
mod confirmation; // a person approves what runs
mod middleware; // functions of the embedding program
mod order; // who is asked, and who is not
mod refusals; // every text that a model can read in place of an answer
mod scene; // what the tests of this folder share
