//! One MCP server: how messages reach it, in what state it is, and what it offers.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::inbox::{McpInbox, StaleLists};
use super::prompt::PromptDefinition;
use super::tool::ToolDefinition;

/// A message on its way, and its answer.
pub type McpFuture<'m> = Pin<Box<dyn Future<Output = Result<Vec<u8>, McpError>> + Send + 'm>>;

/// A transport that is being opened.
pub type ConnectFuture<'c> =
    Pin<Box<dyn Future<Output = Result<Arc<dyn McpTransport>, McpError>> + Send + 'c>>;

/// Carries messages to a server. Dropping the future takes the message back.
pub trait McpTransport: Send + Sync {
    /// Sends a message and returns the answer, both as JSON-RPC; for a notification the answer means nothing.
    fn send<'m>(&'m self, message: Vec<u8>) -> McpFuture<'m>;

    /// Sends a message that has no answer, without waiting.
    fn post(&self, _message: Vec<u8>) {}

    /// Called once the server is initialized, with the version of the protocol that it has chosen.
    fn begin(&self, _protocol: &str) {}

    /// Returns why no more messages reach the server; `None` as long as they do.
    fn closed(&self) -> Option<String> {
        None
    }
}

/// Opens a transport, again after it was closed.
pub trait McpConnector: Send + Sync {
    /// Opens it. What the server asks and tells goes to the inbox.
    fn open<'c>(&'c self, inbox: McpInbox) -> ConnectFuture<'c>;
}

/// Why a message has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum McpError {
    /// The server cannot be reached.
    #[error("the server cannot be reached: {0}")]
    Unreachable(String),
    /// The server wants a sign-in.
    #[error("the server requires a sign-in ({status}): run annals mcp login {server}")]
    Unauthorized {
        server: String,
        /// The status of its answer.
        status: u16,
    },
    /// The connection ended before the answer.
    #[error("Connection closed{}", suffix(.0))]
    Closed(String),
    /// The answer took too long.
    #[error("no answer from MCP server {server:?} to {what} within {seconds} s")]
    Late {
        server: String,
        /// What was asked for.
        what: String,
        /// How long was waited.
        seconds: u64,
    },
    /// The server is switched off.
    #[error("the server is disabled")]
    Disabled,
    /// The server answered with an error.
    #[error("{0}")]
    Server(String),
    /// The answer is not what the protocol says.
    #[error("the server's answer cannot be read: {0}")]
    Malformed(&'static str),
}

impl McpError {
    /// Returns whether the next attempt may succeed: the server may be starting.
    pub(super) fn is_passing(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Late { .. })
    }
}

fn suffix(why: &str) -> String {
    if why.is_empty() { String::new() } else { format!(": {why}") }
}

/// How far a server is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum McpStatus {
    /// It is not connected yet.
    #[default]
    Pending,
    /// What it offers is known.
    Connected,
    /// It could not be connected.
    Failed(String),
    /// It wants a sign-in.
    NeedsAuth(String),
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
            Self::NeedsAuth(_) => "needs-auth",
            Self::Disabled => "disabled",
        }
    }

    /// Returns why it is not connected, if somebody can do something about it.
    pub fn failure(&self) -> Option<&str> {
        match self {
            Self::Failed(why) | Self::NeedsAuth(why) => Some(why),
            Self::Pending | Self::Connected | Self::Disabled => None,
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
    pub(super) tools: Vec<ToolDefinition>,
    pub(super) prompts: Vec<PromptDefinition>,
    pub has_resources: bool,
    /// What the model should know to use it.
    pub instructions: Option<String>,
    /// What is left out, each with the reason.
    pub problems: Vec<String>,
}

impl McpState {
    /// Returns the names of its tools, as the server calls them.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name.as_str())
    }

    /// Returns what the server says about the effects of its tools: each a JSON object.
    pub fn tool_hints(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.tools.iter().map(|tool| (tool.name.as_str(), tool.annotations.as_slice()))
    }

    pub(super) fn failed(error: &McpError) -> Self {
        let why = error.to_string();
        let status = match error {
            McpError::Unauthorized { .. } => McpStatus::NeedsAuth(why),
            _ => McpStatus::Failed(why),
        };
        Self { status, ..Self::default() }
    }
}

/// Where a server is configured, in the words of the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpOrigin {
    /// `stdio`, `http`, `sse` or `sdk`.
    pub transport: &'static str,
    /// `dynamic`, `local`, `project` or `user`.
    pub scope: &'static str,
    /// The same, or `sdk`.
    pub source: &'static str,
    /// The folder that the server is told to work in; `None` for one inside the program.
    pub folder: Option<PathBuf>,
}

/// How long things may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct McpLimits {
    /// Connecting.
    pub connect: Duration,
    pub call: Duration,
    /// A call that tells of no progress.
    pub idle: Duration,
    /// The most tokens of a result that the model sees.
    pub max_tokens: usize,
}

impl Default for McpLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            call: Duration::from_secs(100_000),
            idle: Duration::from_secs(1800),
            max_tokens: 25_000,
        }
    }
}

pub struct McpServer {
    name: String,
    pub(super) origin: McpOrigin,
    pub(super) limits: McpLimits,
    pub(super) connector: Box<dyn McpConnector>,
    pub(super) next_id: AtomicU64,
    state: Mutex<McpState>,
    transport: Mutex<Option<Arc<dyn McpTransport>>>,
    /// When calls last told of progress, by their ids.
    pub(super) progress: Mutex<HashMap<u64, Instant>>,
    /// Lists that have changed and are not read again yet.
    pub(super) stale: StaleLists,
    /// Only one at a time connects it.
    pub(super) connecting: tokio::sync::Mutex<()>,
    is_settled: watch::Sender<bool>,
}

impl fmt::Debug for McpServer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("McpServer").field("name", &self.name).field("state", &self.state()).finish()
    }
}

/// A transport that needs no opening.
struct FixedTransport(Arc<dyn McpTransport>);

impl McpConnector for FixedTransport {
    fn open<'c>(&'c self, _: McpInbox) -> ConnectFuture<'c> {
        let transport = Arc::clone(&self.0);
        Box::pin(async move { Ok(transport) })
    }
}

impl McpServer {
    /// Creates a server inside the program that drives this one; it is not connected yet.
    pub fn of_program(name: &str, transport: Arc<dyn McpTransport>, limits: McpLimits) -> Self {
        let origin = McpOrigin { transport: "sdk", scope: "dynamic", source: "sdk", folder: None };
        Self::new(name, origin, Box::new(FixedTransport(transport)), limits)
    }

    /// Creates a server that is not connected yet.
    pub fn new(name: &str, origin: McpOrigin, connector: Box<dyn McpConnector>, limits: McpLimits) -> Self {
        Self {
            name: name.to_owned(),
            origin,
            limits,
            connector,
            next_id: AtomicU64::new(0),
            state: Mutex::default(),
            transport: Mutex::default(),
            progress: Mutex::default(),
            stale: StaleLists::default(),
            connecting: tokio::sync::Mutex::new(()),
            is_settled: watch::Sender::new(false),
        }
    }

    /// Returns the name by which it is configured.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns where it is configured.
    pub fn origin(&self) -> &McpOrigin {
        &self.origin
    }

    /// Returns what is known of it. A server that is gone is failed.
    pub fn state(&self) -> McpState {
        let state = self.lock().clone();
        let closed = self.transport().and_then(|transport| transport.closed());
        match (&state.status, closed) {
            (McpStatus::Connected, Some(why)) => {
                McpState { status: McpStatus::Failed(McpError::Closed(why).to_string()), ..state }
            }
            _ => state,
        }
    }

    /// Switches it on or off; it is connected by [`Self::connect`].
    pub fn set_enabled(&self, is_enabled: bool) {
        let status = if is_enabled { McpStatus::Pending } else { McpStatus::Disabled };
        self.disconnect();
        *self.lock() = McpState { status, ..McpState::default() };
    }

    /// Ends the connection.
    pub fn disconnect(&self) {
        let transport = self.transport.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(transport);
        self.stale.send_replace(0);
    }

    /// Waits until the first attempt to connect has ended.
    pub async fn settle(&self) {
        // The sender lives as long as the server.
        let _ = self.is_settled.subscribe().wait_for(|is_settled| *is_settled).await;
    }

    pub(super) fn set_settled(&self) {
        self.is_settled.send_replace(true);
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, McpState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn transport(&self) -> Option<Arc<dyn McpTransport>> {
        self.transport.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_transport(&self, transport: &Arc<dyn McpTransport>) {
        *self.transport.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(transport));
    }
}
