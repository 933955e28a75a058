//! What is said to a server: connecting, lists, calls, and what becomes of answers that are late.

use std::collections::HashSet;
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use annals_json::{ObjectWriter, Value};
use tokio::time::{Instant, sleep, timeout};

use super::content::ToolAnswer;
use super::inbox::{McpInbox, serve};
use super::message::{self, text};
use super::prompt::PromptDefinition;
use super::server::{McpError, McpServer, McpState, McpStatus, McpTransport};
use super::tool::ToolDefinition;

/// The version of the protocol that is offered.
const PROTOCOL: &str = "2025-11-25";
/// The most pages of a list.
const MAX_PAGES: usize = 100;
/// The longest instructions that are passed on, in characters.
const MAX_INSTRUCTIONS: usize = 4096;
/// How often a server is tried again that could not be reached at the start.
const MAX_RETRIES: u32 = 3;
/// The first pause before it is tried again; each is twice the one before.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

impl McpServer {
    /// Connects it and reads what it offers. What fails is its state.
    pub async fn connect(self: &Arc<Self>) {
        let _ = self.try_connect().await;
    }

    /// Connects it; if it cannot be reached, it is tried again in the background.
    pub async fn connect_patiently(self: &Arc<Self>) {
        let is_worth_retrying = |error: &McpError| error.is_passing() && self.origin.transport != "stdio";
        if self.try_connect().await.is_err_and(|error| is_worth_retrying(&error)) {
            let server = Arc::downgrade(self);
            tokio::spawn(async move {
                for attempt in 0..MAX_RETRIES {
                    sleep(FIRST_PAUSE * 2_u32.pow(attempt)).await;
                    let Some(server) = server.upgrade() else { return };
                    if !matches!(server.lock().status, McpStatus::Failed(_))
                        || server.try_connect().await.is_ok()
                    {
                        return;
                    }
                }
            });
        }
    }

    async fn try_connect(self: &Arc<Self>) -> Result<(), McpError> {
        let _only_one = self.connecting.lock().await;
        self.disconnect();
        let late = || self.late("initialize", self.limits.connect);
        let connected = timeout(self.limits.connect, self.handshake()).await.unwrap_or_else(|_| Err(late()));
        let error = connected.as_ref().err().cloned();
        let mut state = connected.unwrap_or_else(|error| McpState::failed(&error));
        {
            let mut known = self.lock();
            if known.status == McpStatus::Disabled {
                state = McpState { status: McpStatus::Disabled, ..McpState::default() };
            }
            *known = state.clone();
        }
        if state.status != McpStatus::Connected {
            self.disconnect();
        }
        self.set_settled();
        error.map_or(Ok(()), Err)
    }

    async fn handshake(self: &Arc<Self>) -> Result<McpState, McpError> {
        let (inbox, messages) = McpInbox::counting(&self.stale);
        let transport = self.connector.open(inbox).await?;
        self.set_transport(&transport);
        serve(self, messages, &transport);
        let is_program = self.origin.folder.is_none();
        let hello = self.request("initialize", |params| {
            params.string("protocolVersion", PROTOCOL).object("capabilities", |capabilities| {
                if !is_program {
                    capabilities.object("roots", |roots| {
                        roots.boolean("listChanged", true);
                    });
                    // As the original says, also where it can only decline: servers hide tools from others.
                    capabilities.object("elicitation", |kinds| {
                        kinds.object("form", |_| {}).object("url", |_| {});
                    });
                }
            });
            params.object("clientInfo", |client| {
                client.string("name", "annals").string("version", env!("CARGO_PKG_VERSION"));
            });
        });
        let hello = hello.await?;
        let hello = Value::parse(&hello).map_err(|_| McpError::Malformed("no JSON"))?;
        transport.begin(&text(hello, "protocolVersion").unwrap_or_else(|| PROTOCOL.to_owned()));
        // A notification has no result.
        transport.send(message::notification("notifications/initialized", |_| {})).await?;
        let capabilities = hello.get("capabilities");
        let can = |what: &str| capabilities.is_some_and(|known| known.get(what).is_some());
        let mut state = McpState {
            status: McpStatus::Connected,
            info: hello.get("serverInfo").map(|info| info.raw().to_vec()),
            instructions: text(hello, "instructions").and_then(|text| instructions(&text)),
            has_resources: can("resources"),
            ..McpState::default()
        };
        if is_program || can("tools") || capabilities.is_none() {
            self.read_tools(&mut state).await?;
        }
        if can("prompts") {
            self.read_prompts(&mut state).await?;
        }
        Ok(state)
    }

    /// Reads the tools. One bad tool costs that tool, and a bad list the tools.
    async fn read_tools(&self, state: &mut McpState) -> Result<(), McpError> {
        let (listed, problem) = self.pages("tools/list", "tools").await?;
        state.problems.extend(problem);
        let mut seen = HashSet::new();
        for tool in &listed {
            match ToolDefinition::read(self.name(), Value::from_checked(tool)) {
                Ok(tool) if seen.insert(tool.full_name.clone()) => state.tools.push(tool),
                Ok(tool) => state.problems.push(format!("{}: another tool has this name", tool.full_name)),
                Err(problem) => state.problems.push(problem),
            }
        }
        Ok(())
    }

    async fn read_prompts(&self, state: &mut McpState) -> Result<(), McpError> {
        let (listed, problem) = self.pages("prompts/list", "prompts").await?;
        state.problems.extend(problem);
        let read =
            listed.iter().map(|prompt| PromptDefinition::read(self.name(), Value::from_checked(prompt)));
        for prompt in read {
            match prompt {
                Ok(prompt) => state.prompts.push(prompt),
                Err(problem) => state.problems.push(problem),
            }
        }
        Ok(())
    }

    /// Reads all pages of a list. An error of the server is a problem; a lost connection is an error.
    pub(super) async fn pages(
        &self,
        method: &str,
        key: &str,
    ) -> Result<(Vec<Vec<u8>>, Option<String>), McpError> {
        let (mut items, mut cursor) = (Vec::new(), None);
        for _ in 0..MAX_PAGES {
            let page = self.request(method, |params| {
                params.string_if("cursor", cursor.as_deref());
            });
            let page = match page.await {
                Ok(page) => page,
                Err(McpError::Server(why)) => {
                    return Ok((items, Some(format!("{method}: {why}"))));
                }
                Err(error) => return Err(error),
            };
            let page = Value::parse(&page).map_err(|_| McpError::Malformed("no JSON"))?;
            let Some(listed) = page.get(key) else {
                return Ok((items, Some(format!("{method}: the answer has no {key}"))));
            };
            items.extend(listed.items().map(|item| item.raw().to_vec()));
            cursor = text(page, "nextCursor");
            if cursor.is_none() {
                return Ok((items, None));
            }
        }
        Ok((items, Some(format!("{method}: more than {MAX_PAGES} pages; the rest is ignored"))))
    }

    /// Reads the tools or the prompts again.
    pub(super) async fn refresh(&self, what: ListKind) {
        let mut read = McpState::default();
        let done = match what {
            ListKind::Tools => self.read_tools(&mut read).await,
            ListKind::Prompts => self.read_prompts(&mut read).await,
        };
        let mut state = self.lock();
        if done.is_err() || state.status != McpStatus::Connected {
            return;
        }
        match what {
            ListKind::Tools => state.tools = read.tools,
            ListKind::Prompts => state.prompts = read.prompts,
        }
        state.problems = read.problems;
    }

    /// Waits until lists that have changed are read again.
    pub(super) async fn wait_for_lists(&self) {
        let mut stale = self.stale.subscribe();
        // A server that does not answer keeps its old lists.
        let _ = timeout(self.limits.connect, stale.wait_for(|stale| *stale == 0)).await;
    }

    /// Calls a tool and returns the result of the server: JSON. A server that is gone is connected again.
    pub(super) async fn call_tool(
        self: &Arc<Self>,
        tool: &str,
        input: &[u8],
        tool_use: &str,
    ) -> Result<Vec<u8>, McpError> {
        let transport = self.live_transport().await?;
        let id = self.next_id();
        let message = message::request(id, "tools/call", |params| {
            params.string("name", tool).raw("arguments", input).object("_meta", |meta| {
                meta.string("claudecode/toolUseId", tool_use).number("progressToken", id);
            });
        });
        let mut request = CancelGuard::new(self, &transport, id);
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).insert(id, Instant::now());
        let began = Instant::now();
        let answer = {
            let mut answer = pin!(transport.send(message));
            loop {
                let told = self.last_progress(id).unwrap_or(began);
                let until = (began + self.limits.call).min(told + self.limits.idle);
                match timeout(until.saturating_duration_since(Instant::now()), answer.as_mut()).await {
                    Ok(answer) => break answer,
                    Err(_) if self.last_progress(id) > Some(told) => {}
                    Err(_) => break Err(self.late(&format!("the tool {tool:?}"), until - began)),
                }
            }
        };
        match &answer {
            Err(McpError::Late { .. }) => request.cancel("the call took too long"),
            _ => request.is_open = false,
        }
        message::result(&answer?)
    }

    /// Calls a tool for something else than the model, and returns its texts.
    pub(crate) async fn answer_of(
        self: &Arc<Self>,
        tool: &str,
        input: &[u8],
        tool_use: &str,
    ) -> Result<ToolAnswer, McpError> {
        ToolAnswer::read(&self.call_tool(tool, input, tool_use).await?)
    }

    fn last_progress(&self, id: u64) -> Option<Instant> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).get(&id).copied()
    }

    /// Returns the transport; a server that is gone is connected again first.
    pub(super) async fn live_transport(self: &Arc<Self>) -> Result<Arc<dyn McpTransport>, McpError> {
        let live = || self.transport().filter(|transport| transport.closed().is_none());
        if let Some(transport) = live() {
            return Ok(transport);
        }
        if self.lock().status == McpStatus::Disabled {
            return Err(McpError::Disabled);
        }
        self.try_connect().await?;
        live().ok_or_else(|| McpError::Closed(String::new()))
    }

    /// Sends a request and returns its result: JSON.
    pub(super) async fn request(
        &self,
        method: &str,
        fill: impl FnOnce(&mut ObjectWriter<'_>),
    ) -> Result<Vec<u8>, McpError> {
        let transport = self.transport().ok_or_else(|| McpError::Closed(String::new()))?;
        let message = message::request(self.next_id(), method, fill);
        let late = || self.late(method, self.limits.connect);
        let answer = timeout(self.limits.connect, transport.send(message)).await;
        message::result(&answer.unwrap_or_else(|_| Err(late()))?)
    }

    fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    fn late(&self, what: &str, after: Duration) -> McpError {
        McpError::Late { server: self.name().to_owned(), what: what.to_owned(), seconds: after.as_secs() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListKind {
    Tools,
    Prompts,
}

/// Tells the server that nobody waits for an answer any more.
struct CancelGuard<'s> {
    server: &'s McpServer,
    transport: &'s Arc<dyn McpTransport>,
    id: u64,
    is_open: bool,
}

impl<'s> CancelGuard<'s> {
    fn new(server: &'s McpServer, transport: &'s Arc<dyn McpTransport>, id: u64) -> Self {
        Self { server, transport, id, is_open: true }
    }

    fn cancel(&mut self, reason: &str) {
        if std::mem::take(&mut self.is_open) {
            self.transport.post(message::notification("notifications/cancelled", |params| {
                params.number("requestId", self.id).string("reason", reason);
            }));
        }
    }
}

impl Drop for CancelGuard<'_> {
    fn drop(&mut self) {
        self.cancel("the user interrupted the call");
        self.server.progress.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}

/// Returns instructions as the model sees them; `None` if there are none.
fn instructions(text: &str) -> Option<String> {
    let clean = super::tool::clean(text);
    let clean = clean.trim();
    match clean.char_indices().nth(MAX_INSTRUCTIONS) {
        Some((end, _)) => Some(format!("{}… [truncated]", &clean[..end])),
        None => Some(clean.to_owned()).filter(|clean| !clean.is_empty()),
    }
}
