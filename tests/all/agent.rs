//! Agents: what the model is shown, what runs, in which order, and what is left behind.

mod approvals; // a person decides, now or after a restart
mod batches; // order, concurrency, repair, cancellation
mod choice; // tool choice, limits, guardrails, retries
mod exposure; // tools that show and hide tools, native and of a component
mod loop_vectors; // vectors: one loop, its gates, its interruptions
mod round_vectors; // vectors: rounds of calls, live tools, middleware, tool choice
mod stage; // what the tests of this folder share
mod trace; // vectors: redaction; spans
