//! How the handlers of settings are reached: commands, addresses, models.
//!
//! | module | owns |
//! |---|---|
//! | `command` | programs of the person: their input, environment, outputs and end |
//! | `http` | addresses that the input is posted to |
//! | `prompt` | questions to a model |
//! | `status_line` | the command whose output is shown below the prompt |
//!
//! They come from the person: they run without approval, but without keys, and they end with the conversation.

mod command;
mod http;
mod prompt;
mod status_line;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use crate::hooks::{
    FailurePolicy, HandlerConfig, HookCall, HookDefinition, HookFuture, HookHandler, HookOrigin, HookReply,
    Hooks, RegisteredHook,
};
use crate::tools::bash::Shells;
use command::CommandHook;
use http::HttpHook;
use prompt::PromptHook;
pub use prompt::{Judge, JudgeFuture};
pub use status_line::run_status_line;

/// What handlers share.
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
}

/// Registers handlers.
pub fn register(hooks: &Hooks, definitions: &[HookDefinition], context: &Arc<HandlerContext>) {
    for (number, definition) in definitions.iter().enumerate() {
        let HookDefinition { event, matcher, condition, timeout, config } = definition.clone();
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
            HandlerConfig::Unsupported(why) => Arc::new(UnsupportedHook(why)),
        };
        let (on_failure, origin) = (FailurePolicy::Ask, HookOrigin::Settings);
        hooks.register(RegisteredHook { event, matcher, condition, timeout, on_failure, origin, handler });
    }
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
