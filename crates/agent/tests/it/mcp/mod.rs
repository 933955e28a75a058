//! MCP servers: a scripted process and a scripted HTTP server, each for the rule that its test names.

mod headers_helper;
mod http;
mod oauth;
mod process;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use annals_agent::mcp::{
    ConfigConnector, McpHttp, McpLaunch, McpLimits, McpOrigin, McpProcesses, McpServer, McpServers,
    ServerKind, TokenFile,
};
use annals_agent::tools::{CallContext, Outcome, Tool, ToolContent};
use annals_store::DataDir;

/// Nothing here takes as long as this, unless it hangs.
const HANGS: Duration = Duration::from_secs(60);

fn http_settings() -> McpHttp {
    McpHttp { proxy: None, trusted: Vec::new(), user_agent: "annals-test/1".to_owned() }
}

/// One server, in a list of its own.
fn servers(kind: ServerKind, limits: McpLimits, folder: PathBuf) -> (McpServers, Arc<McpServer>) {
    let processes = McpProcesses::default();
    let launch = McpLaunch {
        sandbox: None,
        tokens: Some(TokenFile::new(&DataDir::new(folder.join("data")))),
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        folder: folder.clone(),
        mark: format!("test-{}-{}", std::process::id(), folder.display()),
        processes: processes.clone(),
        http: http_settings(),
    };
    let transport = kind.name();
    let origin = McpOrigin { transport, scope: "user", source: "user", folder: Some(folder) };
    let connector = ConfigConnector::new("srv", kind, launch);
    let server = McpServer::new("srv", origin, Box::new(connector), limits);
    let servers = McpServers::new(vec![server], processes);
    let server = Arc::clone(servers.named("srv").unwrap());
    (servers, server)
}

/// The tool of this name.
fn tool(servers: &McpServers, name: &str) -> Box<dyn Tool> {
    let tools = servers.tools();
    let names: Vec<String> = tools.iter().map(|tool| tool.spec().name).collect();
    let found = tools.into_iter().find(|tool| tool.spec().name == name);
    found.unwrap_or_else(|| panic!("no {name} in {names:?}"))
}

/// Calls a tool.
async fn call(servers: &McpServers, name: &str, input: &str) -> Outcome {
    let tool = tool(servers, name);
    let context = CallContext { tool_use: "toolu_1", tell: &|_| {}, agreed: None, parent: None };
    let called = tokio::time::timeout(HANGS, tool.run(input.as_bytes(), &context)).await;
    called.expect("the call hangs")
}

fn text(outcome: &Outcome) -> String {
    match &outcome.shown {
        ToolContent::Text(text) => text.clone(),
        ToolContent::Blocks(blocks) => blocks
            .iter()
            .map(|block| String::from_utf8_lossy(block).into_owned())
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

/// Waits until something holds.
async fn until(mut holds: impl FnMut() -> bool) {
    let waited = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(HANGS, waited).await.expect("it never holds");
}
