//! The tools of MCP servers, behind the gates.
