//! Whether servers answer: each is started, asked for what it offers, and ended again.

use std::sync::Arc;
use std::time::Duration;

use annals_agent::mcp::{
    ConfigConnector, McpLimits, McpOrigin, McpServer, McpServerConfig, McpServers, McpStatus, ServerKind,
};
use annals_json::Value;

use super::super::{runtime, sandbox, settings_here};
use super::launch::launch;
use super::{FoundServer, variable_of};
use crate::context::Context;
use crate::error::Fault;

/// What came of asking a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerHealth {
    /// `connected`, `needs-auth` or `failed`.
    pub(crate) status: &'static str,
    pub(crate) error: Option<String>,
    pub(crate) tools: Vec<String>,
    pub(crate) problems: Vec<String>,
}

impl ServerHealth {
    fn failed(why: String) -> Self {
        Self { status: "failed", error: Some(why), tools: Vec::new(), problems: Vec::new() }
    }
}

/// Asks servers, all at the same time, each within a time limit.
pub(crate) fn check(
    found: &[FoundServer],
    limit: Duration,
    context: &Context,
) -> Result<Vec<(FoundServer, ServerHealth)>, Fault> {
    let settings = settings_here(context);
    let cwd = context.current_dir.clone().unwrap_or_default();
    let confined = sandbox::of_keys(&settings.sandbox, context);
    let launch = launch(&settings, &cwd, confined, context)?;
    let (mut servers, mut checked, mut asked) = (Vec::new(), Vec::new(), Vec::new());
    for server in found {
        let variable = |name: &str| variable_of(&settings, context, server.scope, name);
        match McpServerConfig::read(&server.name, Value::from_checked(&server.definition), &variable) {
            Ok(McpServerConfig { kind: ServerKind::Sdk, .. }) => {
                let why = "it runs inside a program".to_owned();
                checked.push((server.clone(), ServerHealth::failed(why)));
            }
            Ok(config) => {
                let (transport, scope) = (config.kind.name(), server.scope);
                let origin = McpOrigin { transport, scope, source: scope, folder: Some(cwd.clone()) };
                let connector = ConfigConnector::new(&server.name, config.kind, launch.clone());
                let limits = McpLimits { connect: limit, ..McpLimits::default() };
                servers.push(McpServer::new(&server.name, origin, Box::new(connector), limits));
                asked.push(server);
            }
            Err(error) => checked.push((server.clone(), ServerHealth::failed(error.to_string()))),
        }
    }
    let servers = McpServers::new(servers, launch.processes);
    runtime::block_on(runtime::new()?, async {
        for server in servers.iter() {
            let server = Arc::clone(server);
            tokio::spawn(async move { server.connect().await });
        }
        servers.settle().await;
    });
    for (server, asked) in servers.iter().zip(asked) {
        let state = server.state();
        let health = match &state.status {
            McpStatus::Failed(why) => ServerHealth::failed(why.clone()),
            McpStatus::NeedsAuth(why) => {
                ServerHealth { status: state.status.name(), ..ServerHealth::failed(why.clone()) }
            }
            _ => ServerHealth {
                status: "connected",
                error: None,
                tools: state.tool_names().map(str::to_owned).collect(),
                problems: state.problems,
            },
        };
        checked.push((asked.clone(), health));
    }
    servers.end_all();
    Ok(checked)
}
