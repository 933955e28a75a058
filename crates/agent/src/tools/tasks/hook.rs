//! Tells hooks of tasks; they can object.

use std::path::Path;

use annals_store::todos::TaskItem;

use crate::hooks::{HookCall, HookEvent, run};
use crate::protocol::ToolProgress;
use crate::tools::CallContext;

/// Tells hooks of a task; an error is what they object.
pub(super) async fn tell(event: HookEvent, task: &TaskItem, call: &CallContext<'_>) -> Result<(), String> {
    let Some(parent) = call.parent.filter(|parent| parent.hooks.has(event)) else { return Ok(()) };
    let input = parent.hook_scope.input(event, |input| {
        input.string("task_id", &task.id()).string("task_subject", &task.text("subject"));
        input.string("task_description", &task.text("description"));
    });
    let chosen = parent.hooks.chosen(event, "", |_| false);
    let cwd = Path::new(&parent.hook_scope.cwd);
    let told = HookCall { event, input: &input, value: "", tool_use: Some(call.tool_use), cwd };
    let outcome = run(&chosen, told).await;
    for message in outcome.messages {
        (call.tell)(ToolProgress::HookMessage(message));
    }
    let replies = outcome.reports.iter().filter_map(|done| done.result.as_ref().ok());
    for (model, usage) in replies.flat_map(|reply| &reply.usage) {
        (call.tell)(ToolProgress::Usage { model: model.clone(), usage: usage.clone() });
    }
    match outcome.blocks.last() {
        Some(why) => Err(format!("{} hook feedback:\n{why}", event.name())),
        None => Ok(()),
    }
}
