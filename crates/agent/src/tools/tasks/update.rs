//! TaskUpdate: changes or deletes a task.

use std::sync::Arc;

use annals_json::{Fields, Value};
use annals_store::todos::{TaskItem, TodoStatus};

use super::super::answer::object;
use super::super::input::Input;
use super::super::spec::{ParamType, SpecBuilder};
use super::super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};
use super::{TaskChange, Tasks, hook};
use crate::api::request::ToolSpec;
use crate::hooks::HookEvent;

const NAME: &str = "TaskUpdate";
const DELETED: &str = "deleted";
const STATUSES: &[&str] = &["pending", "in_progress", "completed", DELETED];
pub(super) const METADATA: &str = r#"{"type":"object","description":"Any other data; in an update, null removes a key","additionalProperties":true}"#;

/// Changes tasks.
pub struct TaskUpdate {
    tasks: Arc<Tasks>,
}

/// What an update did.
struct UpdateReport {
    fields: Vec<&'static str>,
    /// The status before and after.
    status: Option<(String, String)>,
}

impl TaskUpdate {
    /// The tool for these tasks.
    pub fn new(tasks: Arc<Tasks>) -> Self {
        Self { tasks }
    }

    async fn update(&self, input: &[u8], call: &CallContext<'_>) -> Result<Outcome, InputError> {
        let input = Input::scan(input)?;
        let (id, status) = (input.words("taskId")?, status(&input)?);
        if status.as_deref() == Some(TodoStatus::Completed.name()) {
            let open = self.tasks.read().into_iter().find(|task| task.id() == id);
            if let Some(task) = open.filter(|task| task.status() != TodoStatus::Completed)
                && let Err(why) = hook::tell(HookEvent::TaskCompleted, &task, call).await
            {
                return Ok(unchanged(&id, &why));
            }
        }
        let mut change = self.tasks.change();
        let Some(task) = change.read().into_iter().find(|task| task.id() == id) else {
            return Ok(unchanged(&id, "Task not found"));
        };
        let report = if status.as_deref() == Some(DELETED) {
            let before = task.status().name().to_owned();
            change.remove(&task)?;
            UpdateReport { fields: vec![DELETED], status: Some((before, DELETED.to_owned())) }
        } else {
            apply(task, &input, status.as_deref(), &mut change)?
        };
        let kept = object(|kept| {
            kept.boolean("success", true).string("taskId", &id).array("updatedFields", |list| {
                for field in &report.fields {
                    list.string(field);
                }
            });
            if let Some((from, to)) = &report.status {
                kept.object("statusChange", |change| {
                    change.string("from", from).string("to", to);
                });
            }
        });
        let said = match report.fields.is_empty() {
            true => format!("Task #{id} is unchanged"),
            false => format!("Updated task #{id}: {}", report.fields.join(", ")),
        };
        Ok(Outcome::text(said, kept))
    }
}

/// A task that was not changed, and why.
fn unchanged(id: &str, why: &str) -> Outcome {
    let kept = object(|kept| {
        kept.boolean("success", false).string("taskId", id).array("updatedFields", |_| {});
        kept.string("error", why);
    });
    Outcome::text(why, kept)
}

fn status(input: &Input<'_>) -> Result<Option<String>, InputError> {
    let status = input.text_if("status")?;
    match &status {
        Some(word) if !STATUSES.contains(&word.as_str()) => {
            Err(InputError(format!("The parameter `status` must be one of {}.", STATUSES.join(", "))))
        }
        _ => Ok(status),
    }
}

/// Applies an update to a task and writes it, and the tasks that it blocks or waits for.
fn apply(
    mut task: TaskItem,
    input: &Input<'_>,
    status: Option<&str>,
    change: &mut TaskChange<'_>,
) -> Result<UpdateReport, InputError> {
    let (mut fields, mut moved) = (Vec::new(), None);
    for key in ["subject", "description", "activeForm", "owner"] {
        let text = input.text_if(key)?.filter(|text| *text != task.text(key));
        if let Some(text) = text {
            task.set_text(key, &text);
            fields.push(key);
        }
    }
    if let Some(metadata) = input.value("metadata") {
        task.set("metadata", merged(task.value("metadata"), metadata));
        fields.push("metadata");
    }
    if let Some(word) = status.filter(|word| *word != task.status().name()) {
        moved = Some((task.status().name().to_owned(), word.to_owned()));
        task.set_text("status", word);
        fields.push("status");
    }
    for (parameter, own, of_other) in
        [("addBlocks", "blocks", "blockedBy"), ("addBlockedBy", "blockedBy", "blocks")]
    {
        let wanted = input.texts(parameter)?;
        let known = change.read();
        let wanted = wanted.into_iter().filter(|id| *id != task.id() && !task.list(own).contains(id));
        let wanted: Vec<String> = wanted.filter(|id| known.iter().any(|other| other.id() == *id)).collect();
        if wanted.is_empty() {
            continue;
        }
        let mut ids = task.list(own);
        for mut other in known.into_iter().filter(|other| wanted.contains(&other.id())) {
            ids.push(other.id());
            let mut back = other.list(of_other);
            back.push(task.id());
            other.set_list(of_other, &back);
            change.write(&other)?;
        }
        task.set_list(own, &ids);
        fields.push(own);
    }
    if !fields.is_empty() {
        change.write(&task)?;
    }
    Ok(UpdateReport { fields, status: moved })
}

/// Adds the fields of an object to another one; null removes one.
fn merged(old: Option<Value<'_>>, new: Value<'_>) -> Vec<u8> {
    let (old, new) = (old.and_then(Value::fields), new.fields());
    object(|merged| {
        let is_new = |key: &str| new.as_ref().is_some_and(|new| new.get(key).is_some());
        for field in old.iter().flat_map(|old| old.iter()).filter(|field| !is_new(&field.key.decode())) {
            merged.raw(&field.key.decode(), field.value.raw());
        }
        for field in new.iter().flat_map(|new| new.iter()).filter(|field| !field.value.is_null()) {
            merged.raw(&field.key.decode(), field.value.raw());
        }
    })
}

impl Tool for TaskUpdate {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new(NAME, "Changes or deletes a task of this session. Mark a task in_progress before you start it, and completed when all of it is done.")
            .required("taskId", ParamType::Text, "The id of the task")
            .optional("subject", ParamType::Text, "What to do")
            .optional("description", ParamType::Text, "Details")
            .optional("activeForm", ParamType::Text, "The subject while in progress")
            .optional("status", ParamType::Word(STATUSES), "The new status; deleted removes the task")
            .optional("addBlocks", ParamType::Texts, "Ids of tasks that this one blocks")
            .optional("addBlockedBy", ParamType::Texts, "Ids of tasks that block this one")
            .optional("owner", ParamType::Text, "Who works on it")
            .optional("metadata", ParamType::Schema(METADATA), "")
            .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Sequential
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        let input = Input::of(input);
        input.words("taskId")?;
        status(&input)?;
        Ok(ToolRequest::Inward(NAME))
    }

    fn run<'t>(&'t self, input: &'t [u8], call: &'t CallContext<'t>) -> ToolFuture<'t> {
        Box::pin(
            async move { self.update(input, call).await.unwrap_or_else(|error| Outcome::refused(error.0)) },
        )
    }
}
