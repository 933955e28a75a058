//! The first line of a turn in `stream-json`: model, tools, settings.

use annals_agent::api::transport::Transport;
use annals_agent::commands::{CustomCommand, Invoker};
use annals_agent::mcp::McpServers;
use annals_agent::plugin::Plugin;
use annals_json::ObjectWriter;
use annals_store::session::WRITTEN_FORM;
use annals_store::source::new_uuid;

use super::ChatAgent;
use super::access::key_source;
use super::custom::BUILT_IN;
use super::servers::SkippedServer;
use super::setup::Setup;
use crate::context::Context;
use crate::source::SystemSource;

/// What does not change between turns.
#[derive(Clone, Debug)]
pub(super) struct InitFacts {
    cwd: String,
    key_source: &'static str,
    kinds: Vec<String>,
    is_trusted: bool,
    style: String,
    skipped: Vec<SkippedServer>,
    plugins: Vec<Plugin>,
}

impl InitFacts {
    pub(super) fn new(setup: &Setup, kinds: &[String], context: &Context) -> Self {
        Self {
            cwd: setup.cwd.to_string_lossy().into_owned(),
            key_source: key_source(setup, context),
            kinds: kinds.to_vec(),
            is_trusted: setup.is_trusted(),
            style: setup.style_name().to_owned(),
            skipped: Vec::new(),
            plugins: Vec::new(),
        }
    }

    /// Adds the plugins.
    pub(super) fn with_plugins(self, plugins: &[Plugin]) -> Self {
        Self { plugins: plugins.to_vec(), ..self }
    }

    /// Adds servers whose definitions cannot be used.
    pub(super) fn with_skipped(self, skipped: &[SkippedServer]) -> Self {
        Self { skipped: skipped.to_vec(), ..self }
    }

    /// Writes the frame.
    pub(super) fn write<T: Transport>(&self, object: &mut ObjectWriter<'_>, agent: &ChatAgent<'_, T>) {
        object.string("type", "system").string("subtype", "init").string("cwd", &self.cwd);
        object.string("session_id", agent.conversation.session());
        object.array("tools", |list| {
            for name in tool_names(agent) {
                list.string(&name);
            }
        });
        object.array("mcp_servers", |list| servers(list, &agent.mcp));
        if !self.skipped.is_empty() {
            object.array("mcp_server_errors", |list| {
                for server in &self.skipped {
                    list.object(|entry| {
                        entry.string("name", &server.name).string("type", server.kind);
                        entry.string("message", &server.message);
                    });
                }
            });
        }
        object.string("model", &agent.turn_config.model);
        object.string("permissionMode", agent.policy.mode.name()).array("slash_commands", |list| {
            for command in agent.custom.iter().filter(|command| command.invoker != Invoker::Model) {
                list.string(&command.name);
            }
            for command in agent.mcp.commands() {
                list.string(&command.name);
            }
            for name in BUILT_IN.iter().filter(|name| is_headless(name)) {
                list.string(name);
            }
        });
        object.string("apiKeySource", self.key_source);
        object.string("claude_code_version", WRITTEN_FORM).string("output_style", &self.style);
        object.array("agents", |list| {
            for kind in &self.kinds {
                list.string(kind);
            }
        });
        object.array("skills", |list| {
            // Those that the person can name, as in the original.
            let is_named =
                |command: &&CustomCommand| command.folder.is_some() && command.invoker != Invoker::Model;
            for skill in agent.custom.iter().filter(is_named) {
                list.string(&skill.name);
            }
        });
        object.array("plugins", |list| {
            for plugin in &self.plugins {
                list.object(|entry| {
                    entry.string("name", &plugin.name).string("path", &plugin.root.to_string_lossy());
                    entry.string("source", &plugin.source).string_if("version", plugin.version.as_deref());
                });
            }
        });
        object.boolean("trusted", self.is_trusted).string("uuid", &new_uuid(&SystemSource));
    }
}

/// Returns whether a program can use a built-in command.
fn is_headless(name: &str) -> bool {
    matches!(name, "compact" | "context" | "cost" | "model")
}

fn tool_names<T: Transport>(agent: &ChatAgent<'_, T>) -> Vec<String> {
    let names = agent.tools.iter().map(|tool| tool.spec().name);
    let mut names: Vec<String> = names
        .filter(|name| !McpServers::is_tool(name))
        .map(|name| if name == "Agent" { "Task".to_owned() } else { name })
        .collect();
    names.extend(agent.mcp.tools().iter().map(|tool| tool.spec().name));
    names
}

fn servers(list: &mut annals_json::ArrayWriter<'_>, mcp: &McpServers) {
    for server in mcp.iter() {
        list.object(|entry| {
            entry.string("name", server.name()).string("status", server.state().status.name());
            entry.string("source", server.origin().source);
        });
    }
}
