//! MCP servers: their tools, prompts and resources, for the model.
//!
//! | module | owns |
//! |---|---|
//! | `config`, `headers_helper` | the definition of a server, and variables in it; headers that a command prints |
//! | `connect` | opens the transport that a definition asks for |
//! | `process`, `http`, `event_stream` | the transports: standard input and output, streamable HTTP, server-sent events |
//! | `oauth` | signing in to servers over HTTP, and the tokens |
//! | `message`, `pending` | messages of JSON-RPC, and answers that are waited for |
//! | `server`, `session`, `inbox` | one server: its state; connecting and asking; what it asks and tells |
//! | `servers` | all servers of a conversation |
//! | `tool`, `prompt`, `resources` | what servers offer |
//! | `content`, `block`, `saved` | what a tool answers: the result, its blocks, what is too large for the model |
//!
//! The client is our own and not a library: one bad tool costs that tool, results keep the bytes of the server, and the old
//! transport over server-sent events is still in use (docs/design.md).

mod block;
mod config;
mod connect;
mod content;
mod event_stream;
mod headers_helper;
mod http;
mod inbox;
mod mentioned;
mod message;
mod oauth;
mod pending;
mod permission;
mod process;
mod prompt;
mod resources;
mod saved;
mod server;
mod servers;
mod session;
mod tool;

pub use config::{McpConfigError, McpServerConfig, OAuthSettings, RemoteServer, ServerKind, fingerprint};
pub use connect::{ConfigConnector, McpLaunch, McpProcesses};
pub(crate) use content::ToolAnswer;
pub use http::McpHttp;
pub use inbox::McpInbox;
pub(crate) use mentioned::MentionedResource;
pub use mentioned::ResourceEntry;
pub use oauth::{SignIn, SignInError, StoredToken, TokenFile, TokenFileError};
pub use permission::McpPermissionTool;
pub use server::{
    ConnectFuture, McpConnector, McpError, McpFuture, McpLimits, McpOrigin, McpServer, McpState, McpStatus,
    McpTransport,
};
pub use servers::McpServers;
pub use tool::McpTool;
