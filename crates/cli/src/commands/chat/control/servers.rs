//! MCP servers on request of the program: connected, connected again, switched on and off.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use annals_agent::mcp::McpServer;

use super::super::servers::{problems, say};
use super::incoming::ControlRequest;
use super::serve::{Reply, Server, respond};

impl Server {
    /// Connects the servers, once. Turns may start when those of the program are connected, and wait for the others.
    pub(super) fn connect(&self) {
        if self.facts.is_connecting.swap(true, Ordering::Relaxed) {
            return;
        }
        let is_loud = self.is_loud;
        let (inside, others): (Vec<_>, Vec<_>) =
            self.mcp.iter().cloned().partition(|server| server.origin().folder.is_none());
        for server in others {
            tokio::spawn(async move { connect_one(&server, is_loud).await });
        }
        let ready = Arc::clone(&self.ready);
        tokio::spawn(async move {
            for server in inside {
                connect_one(&server, is_loud).await;
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
            server.connect().await;
            problems(&server).iter().for_each(|problem| say(problem, is_loud));
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
async fn connect_one(server: &Arc<McpServer>, is_loud: bool) {
    server.connect_patiently().await;
    problems(server).iter().for_each(|problem| say(problem, is_loud));
}
