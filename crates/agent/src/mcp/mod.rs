//! MCP servers: their tools, for the model.
//!
//! | module | owns |
//! |---|---|
//! | `server` | one server: connecting, its tools, its state |
//! | `tool` | a tool of a server, as the model calls it |
//! | `content` | what a tool answers, as content blocks |
//!
//! How messages reach a server is the affair of its [`McpTransport`]; the messages are JSON-RPC.

mod content;
mod server;
mod tool;

pub use server::{McpError, McpFuture, McpServer, McpServers, McpState, McpStatus, McpTransport};
pub use tool::McpTool;
