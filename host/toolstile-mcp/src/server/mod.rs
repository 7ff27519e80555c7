//! The tools of an executor, for MCP clients.
