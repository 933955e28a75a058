//! TaskStop: ends a command or a sub-agent in the background.

use std::sync::Arc;

use annals_json::Fields;

use super::super::answer::{at_once, object};
use super::super::bash::Shells;
use super::super::input::Input;
use super::super::spec::{ParamType, SpecBuilder};
use super::super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};
use super::{BackgroundAgents, BackgroundTasks, task_id};
use crate::api::request::ToolSpec;

/// The name of the tool.
pub(super) const NAME: &str = "TaskStop";
const KEYS: [&str; 2] = ["task_id", "shell_id"];

/// Ends a task in the background.
pub struct TaskStop {
    tasks: BackgroundTasks,
}

impl TaskStop {
    /// The tool for these commands and sub-agents.
    pub fn new(shells: Arc<Shells>, agents: Arc<BackgroundAgents>) -> Self {
        Self { tasks: BackgroundTasks { shells, agents } }
    }

    fn stop(&self, input: &[u8]) -> Result<Outcome, InputError> {
        let task = self.tasks.named(&Input::scan(input)?, KEYS)?;
        let status = task.status();
        if status != "running" {
            let id = task.id();
            return Err(InputError(format!(
                "The task {id} is not running, so it cannot be stopped ({status})."
            )));
        }
        task.stop();
        let message = format!("Stopped task: {} ({})", task.id(), task.command());
        let kept = object(|kept| {
            kept.string("message", &message).string("task_id", task.id());
            kept.string("task_type", task.kind()).string("command", task.command());
        });
        Ok(Outcome::text(message, kept))
    }
}

impl Tool for TaskStop {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new(NAME, "Stops a background command or agent, with everything that it started.")
            .required(KEYS[0], ParamType::Text, "The id that Bash or Agent gave")
            .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Sequential
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        task_id(&Input::of(input), KEYS)?;
        Ok(ToolRequest::Inward(NAME))
    }

    fn run<'t>(&'t self, input: &'t [u8], _: &'t CallContext<'t>) -> ToolFuture<'t> {
        at_once(move || self.stop(input))
    }
}
