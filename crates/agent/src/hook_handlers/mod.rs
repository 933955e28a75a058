//! How the handlers of settings are reached: commands, addresses, models.
//!
//! | module | owns |
//! |---|---|
//! | `command` | programs of the person: their input, environment, outputs and end |
//! | `http` | addresses that the input is posted to |
//! | `prompt` | questions to a model |
//! | `server_tool` | tools of MCP servers |
//! | `status_line` | the command whose output is shown below the prompt |
//!
//! They come from the person: they run without approval, but without keys, and they end with the conversation.

mod command;
mod http;
mod prompt;
mod server_tool;
mod status_line;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::hooks::{
    FailurePolicy, HandlerConfig, HookCall, HookDefinition, HookEvent, HookFuture, HookHandler, HookMatcher,
    HookOrigin, HookOwner, HookReply, Hooks, RegisteredHook,
};
use crate::mcp::McpServers;
use crate::tools::bash::Shells;
use command::CommandHook;
use http::HttpHook;
use prompt::PromptHook;
pub use prompt::{Judge, JudgeFuture};
use server_tool::ServerToolHook;
pub use status_line::run_status_line;

/// What handlers share.
#[derive(Clone)]
pub struct HandlerContext {
    /// The shells of the session, whose environment commands have and with which they end.
    pub shells: Arc<Shells>,
    /// The folder in which the session started.
    pub project: PathBuf,
    /// Variables that commands have besides those of the shells.
    pub variables: Vec<(String, String)>,
    /// The folder for files that set variables of later commands; `None` if the session is not stored.
    pub session_env: Option<PathBuf>,
    /// The variables of the person: headers name those that they contain.
    pub environment: Vec<(OsString, OsString)>,
    /// Asks a model.
    pub judge: Option<Arc<dyn Judge>>,
    /// The MCP servers, whose tools can be handlers.
    pub servers: McpServers,
    /// The folder of the plugin that brings the handlers.
    pub plugin: Option<PathBuf>,
}

/// Registers handlers. `first` numbers them, behind those that are registered already.
pub fn register(
    hooks: &Hooks,
    (definitions, first): (&[HookDefinition], usize),
    context: &Arc<HandlerContext>,
) {
    for (number, definition) in definitions.iter().enumerate() {
        let definition = HookDefinition { is_once: false, ..definition.clone() };
        hooks.register(registered(definition, first + number, hooks, context));
    }
}

/// Registers handlers that wait until their owner is used. `first` numbers them.
pub fn register_for(
    hooks: &Hooks,
    owner: &HookOwner,
    (definitions, first): (&[HookDefinition], usize),
    context: &Arc<HandlerContext>,
) {
    for (number, definition) in definitions.iter().enumerate() {
        let mut definition = definition.clone();
        if matches!(owner, HookOwner::Agent(_)) {
            definition.is_once = false;
            // What ends inside of it is the sub-agent.
            if definition.event == HookEvent::Stop {
                (definition.event, definition.matcher) = (HookEvent::SubagentStop, HookMatcher::All);
            }
        }
        let hook = registered(definition, first + number, hooks, context);
        hooks.register_for(owner.clone(), hook);
    }
}

fn registered(
    definition: HookDefinition,
    number: usize,
    hooks: &Hooks,
    context: &Arc<HandlerContext>,
) -> RegisteredHook {
    let HookDefinition { event, matcher, condition, timeout, is_once, config } = definition;
    let handler: Arc<dyn HookHandler> = match config {
        HandlerConfig::Command { command, arguments, shell, mode } => {
            let late = hooks.late().clone();
            let context = Arc::clone(context);
            Arc::new(CommandHook { command, arguments, shell, mode, number, timeout, context, late })
        }
        HandlerConfig::Http { url, headers, variables } => {
            Arc::new(HttpHook::new(url, headers, &variables, &context.environment))
        }
        HandlerConfig::Prompt { prompt, model } => {
            Arc::new(PromptHook { prompt, model, judge: context.judge.clone() })
        }
        HandlerConfig::McpTool { server, tool, input } => {
            Arc::new(ServerToolHook::new(server, tool, input, context.servers.clone()))
        }
        HandlerConfig::Unsupported(why) => Arc::new(UnsupportedHook(why)),
    };
    let (on_failure, origin) = (FailurePolicy::Ask, HookOrigin::Settings);
    let once = is_once.then(|| AtomicBool::new(false));
    RegisteredHook { event, matcher, condition, timeout, on_failure, origin, once, handler }
}

/// A handler that cannot be run.
struct UnsupportedHook(String);

impl HookHandler for UnsupportedHook {
    fn name(&self) -> &str {
        "unsupported"
    }

    fn run<'h>(&'h self, _: HookCall<'h>) -> HookFuture<'h> {
        Box::pin(async move { Ok(HookReply::not_started(self.0.clone())) })
    }
}
