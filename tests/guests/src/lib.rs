//! Nothing: the guests are the examples, each a plugin of its own. Add a file to
//! `examples/` and its name to `Cargo.toml`; the tests do not compile until one of
//! them has the guest's name.
