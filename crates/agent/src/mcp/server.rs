//! One MCP server: how it is connected, which tools it has, and in what state it is.

use std::collections::HashSet;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use annals_json::{ObjectWriter, Value, object};

use super::tool::{McpTool, ToolDefinition};
use crate::tools::Tool;

/// The version of the protocol that is offered.
const PROTOCOL: &str = "2025-06-18";
/// The most pages of a list of tools.
const MAX_PAGES: usize = 100;

/// A message on its way, and its answer.
pub type McpFuture<'m> = Pin<Box<dyn Future<Output = Result<Vec<u8>, McpError>> + Send + 'm>>;

/// Carries messages to a server. Dropping the future takes the message back.
pub trait McpTransport: Send + Sync {
    /// Sends a message and returns the answer, both as JSON-RPC.
    fn send<'m>(&'m self, message: Vec<u8>) -> McpFuture<'m>;
}

/// Why a message has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum McpError {
    /// The server cannot be reached.
    #[error("the server cannot be reached: {0}")]
    Unreachable(String),
    /// The server answered with an error.
    #[error("{0}")]
    Server(String),
    /// The answer is not what the protocol says.
    #[error("the server's answer cannot be read: {0}")]
    Malformed(&'static str),
}

/// How far a server is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum McpStatus {
    /// It is not connected yet.
    #[default]
    Pending,
    /// Its tools are known.
    Connected,
    /// It could not be connected.
    Failed(String),
    /// It was switched off.
    Disabled,
}

impl McpStatus {
    /// Returns the name in the protocol.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Connected => "connected",
            Self::Failed(_) => "failed",
            Self::Disabled => "disabled",
        }
    }
}

/// What is known of a server.
#[derive(Clone, Debug, Default)]
pub struct McpState {
    /// How far it is.
    pub status: McpStatus,
    /// What it says about itself: a JSON object.
    pub info: Option<Vec<u8>>,
    /// Its tools.
    pub(super) tools: Vec<ToolDefinition>,
    /// Tools that are left out, each with the reason.
    pub problems: Vec<String>,
}

impl McpState {
    /// Returns the names of its tools, as the server calls them.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name.as_str())
    }
}

/// A server.
pub struct McpServer {
    name: String,
    transport: Box<dyn McpTransport>,
    next_id: AtomicU64,
    state: Mutex<McpState>,
}

impl fmt::Debug for McpServer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("McpServer").field("name", &self.name).field("state", &self.state()).finish()
    }
}

impl McpServer {
    /// Creates a server that is not connected yet.
    pub fn new(name: &str, transport: Box<dyn McpTransport>) -> Self {
        Self { name: name.to_owned(), transport, next_id: AtomicU64::new(0), state: Mutex::default() }
    }

    /// Returns the name by which it is configured.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what is known of it.
    pub fn state(&self) -> McpState {
        self.lock().clone()
    }

    /// Switches it on or off; it is connected by [`Self::connect`].
    pub fn set_enabled(&self, is_enabled: bool) {
        let status = if is_enabled { McpStatus::Pending } else { McpStatus::Disabled };
        *self.lock() = McpState { status, ..McpState::default() };
    }

    fn lock(&self) -> MutexGuard<'_, McpState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Connects it and reads its tools. What fails is its state.
    pub async fn connect(&self) {
        let connected = self.handshake().await;
        *self.lock() = connected.unwrap_or_else(|error| McpState {
            status: McpStatus::Failed(error.to_string()),
            ..McpState::default()
        });
    }

    async fn handshake(&self) -> Result<McpState, McpError> {
        let hello = self.request("initialize", |params| {
            params.string("protocolVersion", PROTOCOL).object("capabilities", |_| {});
            params.object("clientInfo", |client| {
                client.string("name", "annals").string("version", env!("CARGO_PKG_VERSION"));
            });
        });
        let hello = hello.await?;
        let info = Value::parse(&hello).ok().and_then(|hello| hello.get("serverInfo"));
        let info = info.map(|info| info.raw().to_vec());
        let ready = object(|message| {
            message.string("jsonrpc", "2.0").string("method", "notifications/initialized");
        });
        // A notification has no result.
        self.transport.send(ready).await?;
        let (mut tools, mut problems, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let page = self
                .request("tools/list", |params| {
                    params.string_if("cursor", cursor.as_deref());
                })
                .await?;
            let page = Value::parse(&page).map_err(|_| McpError::Malformed("no JSON"))?;
            let listed = page.get("tools").ok_or(McpError::Malformed("it has no tools"))?;
            for tool in listed.items() {
                match ToolDefinition::read(&self.name, tool) {
                    Ok(tool) if seen.insert(tool.full_name.clone()) => tools.push(tool),
                    Ok(tool) => problems.push(format!("{}: another tool has this name", tool.full_name)),
                    Err(problem) => problems.push(problem),
                }
            }
            cursor = page.get("nextCursor").and_then(Value::text).map(|text| text.to_string());
            if cursor.is_none() {
                break;
            }
        }
        Ok(McpState { status: McpStatus::Connected, info, tools, problems })
    }

    /// Sends a request and returns its result: JSON.
    pub(super) async fn request(
        &self,
        method: &str,
        fill: impl FnOnce(&mut ObjectWriter<'_>),
    ) -> Result<Vec<u8>, McpError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let message = object(|message| {
            message.string("jsonrpc", "2.0").number("id", id).string("method", method);
            message.object("params", fill);
        });
        let answer = self.transport.send(message).await?;
        let answer = Value::parse(&answer).map_err(|_| McpError::Malformed("it is not JSON"))?;
        if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
            let message = error.get("message").and_then(Value::text).map(|text| text.to_string());
            return Err(McpError::Server(message.unwrap_or_else(|| "an error without a message".to_owned())));
        }
        let result = answer.get("result").ok_or(McpError::Malformed("it has neither result nor error"))?;
        Ok(result.raw().to_vec())
    }
}

/// The servers of a conversation.
#[derive(Clone, Debug, Default)]
pub struct McpServers(Arc<Vec<Arc<McpServer>>>);

impl McpServers {
    /// Creates the list.
    pub fn new(servers: Vec<McpServer>) -> Self {
        Self(Arc::new(servers.into_iter().map(Arc::new).collect()))
    }

    /// Returns all servers.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<McpServer>> {
        self.0.iter()
    }

    /// Returns the server of this name.
    pub fn named(&self, name: &str) -> Option<&Arc<McpServer>> {
        self.iter().find(|server| server.name() == name)
    }

    /// Returns the tools of all servers that are connected.
    pub fn tools<'t>(&self) -> Vec<Box<dyn Tool + 't>> {
        let tools = |server: &Arc<McpServer>| {
            let tools = server.state().tools;
            let made = tools.into_iter().map(|tool| McpTool::new(Arc::clone(server), tool));
            made.map(|tool| Box::new(tool) as Box<dyn Tool + 't>).collect::<Vec<_>>()
        };
        self.iter().flat_map(tools).collect()
    }
}
