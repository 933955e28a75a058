//! MCP servers that run inside the program: connected, connected again, switched on and off.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use annals_agent::mcp::{McpServer, McpStatus};

use super::answers;
use super::incoming::ControlRequest;
use super::serve::{Reply, Server, respond};
use crate::stderr;

impl Server {
    /// Connects the servers of the program, once; then turns may start.
    pub(super) fn connect(&self) {
        if self.mcp.iter().next().is_none() {
            self.ready.send_replace(true);
        }
        if *self.ready.borrow() || self.facts.is_connecting.swap(true, Ordering::Relaxed) {
            return;
        }
        let (mcp, ready, is_loud) = (self.mcp.clone(), Arc::clone(&self.ready), self.is_loud);
        tokio::spawn(async move {
            for server in mcp.iter() {
                connect_one(server, is_loud).await;
            }
            ready.send_replace(true);
        });
    }

    pub(super) fn with_server(
        &self,
        request: &ControlRequest,
        run: fn(&Self, &ControlRequest, &Arc<McpServer>) -> Reply,
    ) -> Reply {
        let Some(name) = request.text("serverName") else { return Reply::missing("serverName") };
        match self.mcp.named(&name) {
            Some(server) => run(self, request, server),
            None => Reply::Refused(format!("Server not found: {name}"), None),
        }
    }

    pub(super) fn reconnect(&self, request: &ControlRequest, server: &Arc<McpServer>) -> Reply {
        let (channel, server, is_loud) = (self.channel.clone(), Arc::clone(server), self.is_loud);
        let request = ControlRequest { id: request.id.clone(), subtype: String::new(), body: Vec::new() };
        tokio::spawn(async move {
            connect_one(&server, is_loud).await;
            respond(&channel, &request, Reply::object(|_| {}));
        });
        Reply::Later
    }

    pub(super) fn toggle(&self, request: &ControlRequest, server: &Arc<McpServer>) -> Reply {
        let enabled = request.get("enabled").and_then(|enabled| enabled.value().boolean());
        let Some(is_enabled) = enabled else { return Reply::missing("enabled") };
        server.set_enabled(is_enabled);
        if is_enabled { self.reconnect(request, server) } else { Reply::object(|_| {}) }
    }
}

/// Connects a server, and says what is wrong with it.
async fn connect_one(server: &McpServer, is_loud: bool) {
    let late = tokio::time::timeout(answers::CONNECT_TIMEOUT, server.connect()).await.is_err();
    let state = server.state();
    let failure = match &state.status {
        _ if late => Some("it did not answer in time".to_owned()),
        McpStatus::Failed(why) => Some(why.clone()),
        _ => None,
    };
    let problems = failure.into_iter().chain(state.problems);
    for problem in problems.filter(|_| is_loud) {
        stderr::say(format_args!("annals: MCP server {}: {problem}", server.name()));
    }
}
