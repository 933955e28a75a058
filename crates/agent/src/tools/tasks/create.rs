//! TaskCreate: adds a task.

use std::sync::Arc;

use annals_json::Fields;
use annals_store::todos::TaskItem;

use super::super::answer::object;
use super::super::input::Input;
use super::super::spec::{ParamType, SpecBuilder};
use super::super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};
use super::update::METADATA;
use super::{Tasks, hook};
use crate::api::request::ToolSpec;
use crate::hooks::HookEvent;

const NAME: &str = "TaskCreate";

/// Adds a task.
pub struct TaskCreate {
    tasks: Arc<Tasks>,
}

impl TaskCreate {
    /// The tool for these tasks.
    pub fn new(tasks: Arc<Tasks>) -> Self {
        Self { tasks }
    }

    /// Adds a task, and takes it back if hooks object.
    async fn create(&self, input: &[u8], call: &CallContext<'_>) -> Result<Outcome, InputError> {
        let task = self.add(input)?;
        if let Err(why) = hook::tell(HookEvent::TaskCreated, &task, call).await {
            self.tasks.change().remove(&task)?;
            return Ok(Outcome::failed(why.clone(), &why));
        }
        let (id, subject) = (task.id(), task.text("subject"));
        let kept = object(|kept| {
            kept.object("task", |fields| {
                fields.string("id", &id).string("subject", &subject);
            });
        });
        Ok(Outcome::text(format!("Task #{id} was created: {subject}"), kept))
    }

    fn add(&self, input: &[u8]) -> Result<TaskItem, InputError> {
        let input = Input::scan(input)?;
        let (subject, description) = (input.words("subject")?, input.text("description")?);
        let mut change = self.tasks.change();
        let mut task = TaskItem::new(change.next_id(), &subject, &description);
        if let Some(form) = input.text_if("activeForm")? {
            task.set_text("activeForm", &form);
        }
        if let Some(metadata) = input.value("metadata") {
            task.set("metadata", metadata.raw().to_vec());
        }
        change.write(&task)?;
        Ok(task)
    }
}

impl Tool for TaskCreate {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new(
            NAME,
            "Adds a task to the list of this session, for work of several steps. It starts as pending.",
        )
        .required("subject", ParamType::Text, "What to do, such as: Run the tests")
        .required("description", ParamType::Text, "Details, and when it counts as done")
        .optional("activeForm", ParamType::Text, "The subject while in progress, such as: Running the tests")
        .optional("metadata", ParamType::Schema(METADATA), "")
        .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Sequential
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        let input = Input::of(input);
        input.words("subject")?;
        input.text("description")?;
        Ok(ToolRequest::Inward(NAME))
    }

    fn run<'t>(&'t self, input: &'t [u8], call: &'t CallContext<'t>) -> ToolFuture<'t> {
        Box::pin(
            async move { self.create(input, call).await.unwrap_or_else(|error| Outcome::refused(error.0)) },
        )
    }
}
