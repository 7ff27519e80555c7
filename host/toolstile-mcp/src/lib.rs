#![doc = include_str!("../README.md")]

#[expect(
    deprecated,
    reason = "servers that ask for roots are answered, in words that the revision left behind"
)]
pub mod client;
pub mod server;
