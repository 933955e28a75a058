//! TaskList: shows all tasks.

use std::sync::Arc;

use annals_json::Fields;

use super::super::answer::{at_once, object};
use super::super::input::Input;
use super::super::spec::SpecBuilder;
use super::super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};
use super::{Tasks, numbers, open_blockers, write_ids};
use crate::api::request::ToolSpec;

const NAME: &str = "TaskList";

/// Shows all tasks.
pub struct TaskList {
    tasks: Arc<Tasks>,
}

impl TaskList {
    /// The tool for these tasks.
    pub fn new(tasks: Arc<Tasks>) -> Self {
        Self { tasks }
    }

    fn show(&self, input: &[u8]) -> Result<Outcome, InputError> {
        Input::scan(input)?;
        let tasks = self.tasks.read();
        let mut lines = Vec::new();
        let kept = object(|kept| {
            kept.array("tasks", |list| {
                for task in &tasks {
                    let (id, subject, owner) = (task.id(), task.text("subject"), task.text("owner"));
                    let (status, blockers) = (task.status().name(), open_blockers(task, &tasks));
                    list.object(|fields| {
                        fields.string("id", &id).string("subject", &subject).string("status", status);
                        fields.string_if("owner", Some(owner.as_str()).filter(|owner| !owner.is_empty()));
                        fields.array("blockedBy", |list| write_ids(list, &blockers));
                    });
                    let mut line = format!("#{id} [{status}] {subject}");
                    if !owner.is_empty() {
                        line.push_str(&format!(" ({owner})"));
                    }
                    if !blockers.is_empty() {
                        line.push_str(&format!(" [blocked by {}]", numbers(&blockers)));
                    }
                    lines.push(line);
                }
            });
        });
        let shown = if lines.is_empty() { "There are no tasks.".to_owned() } else { lines.join("\n") };
        Ok(Outcome::text(shown, kept))
    }
}

impl Tool for TaskList {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new(NAME, "Lists the tasks of this session with their status and what blocks them.")
            .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Parallel
    }

    fn call(&self, _: &Fields<'_>) -> Result<ToolRequest, InputError> {
        Ok(ToolRequest::Inward(NAME))
    }

    fn run<'t>(&'t self, input: &'t [u8], _: &'t CallContext<'t>) -> ToolFuture<'t> {
        at_once(move || self.show(input))
    }
}
