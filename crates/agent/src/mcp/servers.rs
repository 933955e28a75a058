//! The servers of a conversation, together.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::connect::McpProcesses;
use super::resources::{ListResources, ReadResource};
use super::server::{McpServer, McpStatus};
use super::tool::McpTool;
use crate::commands::{Author, CustomCommand};
use crate::tools::Tool;

/// The servers of a conversation.
#[derive(Clone, Debug, Default)]
pub struct McpServers {
    servers: Arc<Vec<Arc<McpServer>>>,
    processes: McpProcesses,
}

impl McpServers {
    /// Creates the list. The processes end with [`Self::end_all`].
    pub fn new(servers: Vec<McpServer>, processes: McpProcesses) -> Self {
        Self { servers: Arc::new(servers.into_iter().map(Arc::new).collect()), processes }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<McpServer>> {
        self.servers.iter()
    }

    /// Returns the server of this name.
    pub fn named(&self, name: &str) -> Option<&Arc<McpServer>> {
        self.iter().find(|server| server.name() == name)
    }

    /// Tells the processes of servers, when they start, which session it is.
    pub fn set_session(&self, session: &str) {
        self.processes.set_session(session);
    }

    /// Waits until each server is connected or has failed.
    pub async fn settle(&self) {
        for server in self.iter() {
            server.settle().await;
        }
    }

    /// Waits until lists that have changed are read again.
    pub async fn wait_for_lists(&self) {
        for server in self.iter() {
            server.wait_for_lists().await;
        }
    }

    /// Ends all connections and processes, and returns when the processes are gone: after at most two seconds.
    pub fn end_all(&self) {
        self.iter().for_each(|server| server.disconnect());
        self.processes.end_all();
    }

    /// Returns whether a tool of this name comes from servers.
    pub fn is_tool(name: &str) -> bool {
        name.starts_with("mcp__") || [ListResources::NAME, ReadResource::NAME].contains(&name)
    }

    /// Returns the tools of all servers that are connected, sorted by name.
    pub fn tools<'t>(&self) -> Vec<Box<dyn Tool + 't>> {
        let (mut tools, mut has_resources) = (BTreeMap::new(), false);
        for server in self.iter() {
            let state = server.state();
            // A server that is gone keeps its tools: the next call connects it again.
            has_resources |= state.has_resources && state.status != McpStatus::Disabled;
            for tool in state.tools {
                // Two servers may have names that differ only in what the API does not accept.
                let name = tool.full_name.clone();
                tools.entry(name).or_insert_with(|| McpTool::new(Arc::clone(server), tool));
            }
        }
        let mut all: Vec<Box<dyn Tool + 't>> = Vec::new();
        if has_resources {
            all.push(Box::new(ListResources::new(self.clone())));
            all.push(Box::new(ReadResource::new(self.clone())));
        }
        all.extend(tools.into_values().map(|tool| Box::new(tool) as Box<dyn Tool + 't>));
        all
    }

    /// Returns what is wrong between servers: tools of one that have the names of another's, one line each.
    pub fn clashes(&self) -> Vec<String> {
        let (mut owners, mut clashes) = (BTreeMap::new(), Vec::new());
        for server in self.iter() {
            for tool in server.state().tools {
                let name = tool.full_name;
                let owner = owners.entry(name.clone()).or_insert_with(|| server.name().to_owned());
                if owner != server.name() {
                    clashes.push(format!(
                        "{name} of {} is ignored: {owner} has a tool with that name",
                        server.name()
                    ));
                }
            }
        }
        clashes
    }

    /// Returns the prompts of the servers as commands.
    pub fn commands(&self) -> Vec<CustomCommand> {
        let command = |prompt: &super::prompt::PromptDefinition| CustomCommand {
            about: prompt.about.clone(),
            hint: prompt.hint(),
            ..CustomCommand::new(&prompt.full_name, "", Author::Person)
        };
        let prompts = self.iter().flat_map(|server| server.state().prompts);
        prompts.map(|prompt| command(&prompt)).collect()
    }

    /// Fills in a prompt by the name of its command; `None` if no server has it. An error says why it failed.
    pub async fn prompt(&self, command: &str, arguments: &str) -> Option<Result<Vec<String>, String>> {
        for server in self.iter() {
            let found = server.state().prompts.into_iter().find(|prompt| prompt.full_name == command);
            if let Some(prompt) = found {
                return Some(server.fill_prompt(&prompt, arguments).await);
            }
        }
        None
    }

    /// Returns the instructions of the servers that are connected, by their names.
    pub fn instructions(&self) -> Vec<(String, String)> {
        let of = |server: &Arc<McpServer>| {
            let state = server.state();
            let is_connected = state.status == McpStatus::Connected;
            state.instructions.filter(|_| is_connected).map(|text| (server.name().to_owned(), text))
        };
        self.iter().filter_map(of).collect()
    }
}
