//! All integration tests in one binary: they share one link step.

mod agent; // runs: models, exposure, middleware, tool choice, approval
mod calculator; // the bundled calculator, through every gate, against its vectors
mod capabilities; // notes, programs and hosts, through every gate and past the arguments
mod cli; // the program: exit codes and exact output
mod examples; // the runnable examples, and what they print
mod gates; // the order of the gates, and what each refuses
mod hostile; // guests that misbehave, and what becomes of their neighbours
mod identity; // vectors: origins, fingerprints, names
mod invariants; // what the sources themselves must keep to
mod json_and_schema; // vectors: argument text and schemas of strangers
mod loading; // the plugin directory, quarantine, pins, configuration
mod native; // tools of the embedding program, registry operations, renderings
mod offers; // resources, prompts, and questions in the middle of a call
mod permissions; // vectors: lists of names and origins
mod registry; // vectors: names and conflicts
mod schema_rules; // vectors: what carries over from signatures to schemas
mod wasm_modules; // vectors: components that attack the runtime
