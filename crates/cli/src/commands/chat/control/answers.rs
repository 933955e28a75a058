//! What requests of the program are answered with: the session's offer, its context, its servers.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use annals_agent::api::model::{Model, ThinkingKind};
use annals_agent::commands::CustomCommand;
use annals_agent::mcp::{McpServers, McpStatus};
use annals_agent::subagent::AgentDefinition;
use annals_json::{ArrayWriter, ObjectWriter};
use annals_store::DataDir;
use annals_store::session::WRITTEN_FORM;

use super::serve::Reply;
use super::view::SessionState;

/// Built-in commands that a program can use, with what they do and their arguments.
const COMMANDS: [(&str, &str, &str); 4] = [
    ("compact", "Summarize the conversation so far", "[focus]"),
    ("context", "Show how full the context window is", ""),
    ("cost", "Show what the session has cost", ""),
    ("model", "Show the model", ""),
];

/// What does not change while the session runs.
#[derive(Debug)]
pub(super) struct ServerFacts {
    pub(super) custom: Vec<CustomCommand>,
    pub(super) kinds: Vec<AgentDefinition>,
    /// Short names of models and what they mean.
    pub(super) models: Vec<(String, String)>,
    pub(super) default_model: String,
    pub(super) key_source: &'static str,
    /// The answer to `get_settings`.
    pub(super) settings: Vec<u8>,
    /// The name of the output style.
    pub(super) style: String,
    /// Whether the session was started without permission checks.
    pub(super) is_bypass: bool,
    pub(super) home: Option<PathBuf>,
    pub(super) data: DataDir,
    pub(super) is_connecting: AtomicBool,
}

/// Writes the answer to `initialize`.
pub(super) fn initialize(answer: &mut ObjectWriter<'_>, facts: &ServerFacts, state: &SessionState) {
    answer.array("commands", |list| {
        for command in &facts.custom {
            list.object(|entry| {
                entry.string("name", &command.name).string("description", &command.about);
                entry.string("argumentHint", command.hint.as_deref().unwrap_or_default());
            });
        }
        for (name, about, hint) in COMMANDS {
            list.object(|entry| {
                entry.string("name", name).string("description", about).string("argumentHint", hint);
                entry.boolean("builtin", true);
            });
        }
    });
    answer.array("agents", |list| {
        for kind in &facts.kinds {
            list.object(|entry| {
                entry.string("name", &kind.name).string("description", &kind.about);
            });
        }
    });
    answer.string("output_style", &facts.style).array("available_output_styles", |list| {
        list.string(&facts.style);
    });
    answer.array("models", |list| models(list, facts));
    answer.object("account", |account| {
        account.string("apiKeySource", facts.key_source).string("apiProvider", "firstParty");
    });
    answer.number("pid", std::process::id()).string("claude_code_version", WRITTEN_FORM);
    answer.string("current_permission_mode", state.mode.name()).boolean("hook_on_failure_supported", true);
    answer.string("session_state", if state.is_running { "running" } else { "idle" });
}

fn models(list: &mut ArrayWriter<'_>, facts: &ServerFacts) {
    for (name, full) in &facts.models {
        let model = Model::of(full);
        let is_adaptive =
            matches!(model.thinking, ThinkingKind::Either | ThinkingKind::Adaptive | ThinkingKind::Always);
        list.object(|entry| {
            entry.string("value", name).string("resolvedModel", full).string("displayName", full);
            entry.string("description", "").boolean("supportsEffort", model.takes_effort());
            entry.array("supportedEffortLevels", |levels| {
                for level in ["low", "medium", "high", "xhigh", "max"].iter().filter(|_| model.takes_effort())
                {
                    levels.string(level);
                }
            });
            entry.boolean("supportsAdaptiveThinking", is_adaptive);
            entry.boolean("supportsThinkingOff", model.thinking != ThinkingKind::Always);
        });
    }
}

/// Returns the answer to `get_context_usage`.
pub(super) fn context_usage(state: &SessionState) -> Reply {
    let used = &state.context;
    let window = Model::of(&state.model).window;
    let free = window.saturating_sub(used.total);
    Reply::object(|answer| {
        answer.array("categories", |list| {
            let all = [
                ("system_prompt", "System prompt", used.system, "used"),
                ("tools", "System tools", used.tools, "used"),
                ("messages", "Messages", used.messages, "used"),
                ("free", "Free space", free, "free"),
            ];
            for (id, name, tokens, kind) in all {
                list.object(|entry| {
                    entry.string("id", id).string("name", name).number("tokens", tokens);
                    entry.string("color", "inactive").string("kind", kind);
                });
            }
        });
        answer.number("totalTokens", used.total).number("maxTokens", window).number("rawMaxTokens", window);
        answer.number("percentage", (used.total * 100).checked_div(window).unwrap_or(0));
        answer.string("model", &state.model).boolean("isAutoCompactEnabled", true).array("gridRows", |_| {});
        answer.array("memoryFiles", |_| {}).array("mcpTools", |_| {}).array("agents", |_| {});
    })
}

/// Writes the answer to `mcp_status`.
pub(super) fn mcp_status(answer: &mut ObjectWriter<'_>, mcp: &McpServers) {
    answer.array("mcpServers", |list| {
        for server in mcp.iter() {
            let state = server.state();
            list.object(|entry| {
                entry.string("name", server.name()).string("status", state.status.name());
                if let Some(info) = &state.info {
                    entry.raw("serverInfo", info);
                }
                entry.string_if("error", state.status.failure());
                let origin = server.origin();
                entry.string("transport", origin.transport).string("scope", origin.scope);
                entry.string("source", origin.source);
                if state.status != McpStatus::Connected {
                    return;
                }
                entry.array("tools", |list| {
                    for (name, hints) in state.tool_hints() {
                        list.object(|tool| {
                            tool.string("name", name).raw("annotations", hints);
                        });
                    }
                });
            });
        }
    });
}
