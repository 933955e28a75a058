//! Opens the transport that a definition asks for.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::config::{RemoteServer, ServerKind};
use super::event_stream::EventStreamTransport;
use super::headers_helper::all_headers;
use super::http::{HttpEndpoint, HttpTransport, McpHttp};
use super::inbox::McpInbox;
use super::oauth::{BearerSource, TokenFile};
use super::process::ProcessTransport;
use super::server::{ConnectFuture, McpConnector, McpError, McpTransport};
use crate::tools::bash::HelperSandbox;
use crate::tools::bash::group::ProcessGroups;

/// The processes of servers; all copies are the same. They end with the last copy.
#[derive(Clone, Default)]
pub struct McpProcesses {
    pub(super) groups: Arc<ProcessGroups>,
    started: Arc<AtomicU64>,
    session: Arc<Mutex<Option<String>>>,
}

impl fmt::Debug for McpProcesses {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("McpProcesses").finish_non_exhaustive()
    }
}

impl McpProcesses {
    /// Ends all processes, and returns when they are gone.
    pub fn end_all(&self) {
        self.groups.end_all();
    }

    /// Returns the id of the session that they are started for, once it is known.
    pub(super) fn session(&self) -> Option<String> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_session(&self, session: &str) {
        *self.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(session.to_owned());
    }

    fn next_number(&self) -> u64 {
        self.started.fetch_add(1, Ordering::Relaxed)
    }
}

/// What every server of a conversation is started with.
#[derive(Clone)]
pub struct McpLaunch {
    /// The environment of processes, without keys.
    pub environment: Vec<(OsString, OsString)>,
    /// The folder that they start in.
    pub folder: PathBuf,
    /// A mark that is unique to this run.
    pub mark: String,
    /// Where processes are noted.
    pub processes: McpProcesses,
    /// How servers are reached over HTTP.
    pub http: McpHttp,
    /// The sandbox of processes; `None` if there is none.
    pub sandbox: Option<HelperSandbox>,
    /// The tokens of servers that the user has signed in to.
    pub tokens: Option<TokenFile>,
}

/// Connects to a server by its definition.
pub struct ConfigConnector {
    name: String,
    kind: ServerKind,
    launch: McpLaunch,
}

impl ConfigConnector {
    /// Creates a connector; it opens nothing yet.
    pub fn new(name: &str, kind: ServerKind, launch: McpLaunch) -> Self {
        Self { name: name.to_owned(), kind, launch }
    }

    fn mark(&self) -> String {
        format!("{}-mcp-{}", self.launch.mark, self.launch.processes.next_number())
    }

    /// Returns the address with its headers. A header of the definition is as good as a sign-in.
    async fn endpoint(&self, remote: &RemoteServer) -> Result<HttpEndpoint, McpError> {
        let launch = &self.launch;
        let headers = all_headers(&self.name, remote, launch, self.mark()).await?;
        let has_own = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"));
        let tokens = launch.tokens.clone().filter(|_| !has_own);
        let bearer = tokens.map(|tokens| {
            BearerSource::new(tokens, &self.name, remote.comparable_url(), launch.http.clone())
        });
        HttpEndpoint::new(&launch.http, (&self.name, &remote.url), &headers, bearer)
    }
}

impl McpConnector for ConfigConnector {
    fn open<'c>(&'c self, inbox: McpInbox) -> ConnectFuture<'c> {
        Box::pin(async move {
            let transport: Arc<dyn McpTransport> = match &self.kind {
                ServerKind::Stdio { command, args, env } => {
                    let program = (command.as_str(), args.as_slice(), env.as_slice());
                    Arc::new(ProcessTransport::start(program, &self.launch, self.mark(), inbox)?)
                }
                ServerKind::Http(remote) => Arc::new(HttpTransport::new(self.endpoint(remote).await?, inbox)),
                ServerKind::Sse(remote) => {
                    Arc::new(EventStreamTransport::open(self.endpoint(remote).await?, inbox).await?)
                }
                ServerKind::Sdk => {
                    let why = "it runs inside an SDK program, which must be the one driving this session"
                        .to_owned();
                    return Err(McpError::Unreachable(why));
                }
            };
            Ok(transport)
        })
    }
}
