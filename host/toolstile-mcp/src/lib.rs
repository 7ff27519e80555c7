//! The Model Context Protocol (MCP) on both sides.
//!
//! [`client`] makes the tools of MCP servers into tools behind the gates; [`server`] lets
//! MCP clients call the tools of an executor. Both speak the stateless revision
//! 2026-07-28 and the revisions with a handshake, 2025-11-25 and older.

#[expect(
    deprecated,
    reason = "servers that ask for roots are answered, in words that the revision left behind"
)]
pub mod client;
pub mod server;
