//! The tools of MCP servers, behind the gates.
//!
//! Each server has a namespace that the operator chose, and that is all that is believed
//! of who it is. [`McpClient::start`] connects in the background, keeps the connection,
//! lists the tools again whenever the server says that they have changed, and tells what
//! they are by [`ServerState`]. A call goes to the server only while its tool is the one
//! that was registered.

mod call;
mod clean;
mod config;
mod connect;
mod elicit;
mod error;
mod handler;
mod link;
mod listing;
mod oauth;
mod process;
mod result;
mod supervisor;
mod tool;
#[cfg(test)]
mod vectors;

pub use config::{Checked, ConfigError, McpServerConfig, SecretText, ServerConfirm};
pub use error::ClientError;
pub use link::Era;
pub use oauth::{Login, LoginError, OAuthConfig, Redirect, forget};
pub use supervisor::{Check, McpClient, ServerState};
pub use tool::McpTool;
