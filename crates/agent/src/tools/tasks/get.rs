//! TaskGet: shows one task.

use std::sync::Arc;

use annals_json::Fields;

use super::super::answer::{at_once, object};
use super::super::input::Input;
use super::super::spec::{ParamType, SpecBuilder};
use super::super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};
use super::{Tasks, numbers, write_ids};
use crate::api::request::ToolSpec;

const NAME: &str = "TaskGet";

/// Shows a task.
pub struct TaskGet {
    tasks: Arc<Tasks>,
}

impl TaskGet {
    /// The tool for these tasks.
    pub fn new(tasks: Arc<Tasks>) -> Self {
        Self { tasks }
    }

    fn show(&self, input: &[u8]) -> Result<Outcome, InputError> {
        let id = Input::scan(input)?.words("taskId")?;
        let Some(task) = self.tasks.read().into_iter().find(|task| task.id() == id) else {
            return Ok(Outcome::text("Task not found", br#"{"task":null}"#.to_vec()));
        };
        let (subject, description) = (task.text("subject"), task.text("description"));
        let (blocks, blocked_by) = (task.list("blocks"), task.list("blockedBy"));
        let kept = object(|kept| {
            kept.object("task", |fields| {
                fields.string("id", &id).string("subject", &subject).string("description", &description);
                fields.string("status", task.status().name());
                for (key, ids) in [("blocks", &blocks), ("blockedBy", &blocked_by)] {
                    fields.array(key, |list| write_ids(list, ids));
                }
            });
        });
        let mut shown =
            format!("Task #{id}: {subject}\nStatus: {}\nDescription: {description}", task.status().name());
        for (name, ids) in [("Blocked by", &blocked_by), ("Blocks", &blocks)] {
            if !ids.is_empty() {
                shown.push_str(&format!("\n{name}: {}", numbers(ids)));
            }
        }
        Ok(Outcome::text(shown, kept))
    }
}

impl Tool for TaskGet {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new(NAME, "Shows a task of this session with its description and what blocks it.")
            .required("taskId", ParamType::Text, "The id of the task")
            .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Parallel
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        Input::of(input).words("taskId")?;
        Ok(ToolRequest::Inward(NAME))
    }

    fn run<'t>(&'t self, input: &'t [u8], _: &'t CallContext<'t>) -> ToolFuture<'t> {
        at_once(move || self.show(input))
    }
}
