//! TodoWrite: replaces the to-do list of a session.

use std::sync::{Arc, Mutex, PoisonError};

use annals_json::{Fields, write_string};
use annals_store::todos::TodoItem;

use super::answer::{at_once, object};
use super::input::Input;
use super::spec::{ParamType, SpecBuilder};
use super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};
use crate::api::request::ToolSpec;

const SCHEMA: &str = r#"{"type":"array","description":"The whole list, in order","items":{"type":"object","properties":{"content":{"type":"string","minLength":1,"description":"What to do, such as: Run the tests"},"status":{"type":"string","enum":["pending","in_progress","completed"]},"activeForm":{"type":"string","minLength":1,"description":"The same while in progress, such as: Running the tests"}},"required":["content","status","activeForm"],"additionalProperties":false}}"#;

/// Stores the list.
pub trait TodoStore: Send + Sync {
    /// Called with the new list before the model is answered. An error is sent to the model.
    fn keep(&self, items: &[TodoItem]) -> Result<(), String>;
}

/// Keeps the list in memory only.
impl TodoStore for () {
    fn keep(&self, _: &[TodoItem]) -> Result<(), String> {
        Ok(())
    }
}

/// The to-do list of a session.
pub struct Todos {
    items: Mutex<Vec<TodoItem>>,
    store: Box<dyn TodoStore>,
}

impl Todos {
    /// A list with these items: those of a resumed session, or none.
    pub fn new(items: Vec<TodoItem>, store: Box<dyn TodoStore>) -> Self {
        Self { items: Mutex::new(items), store }
    }

    /// The current items.
    pub fn items(&self) -> Vec<TodoItem> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Replaces the to-do list.
pub struct TodoWrite {
    todos: Arc<Todos>,
}

impl TodoWrite {
    /// The tool for this list.
    pub fn new(todos: Arc<Todos>) -> Self {
        Self { todos }
    }

    fn write(&self, input: &[u8]) -> Result<Outcome, InputError> {
        let new = read(&Input::scan(input)?)?;
        let mut items = self.todos.items.lock().unwrap_or_else(PoisonError::into_inner);
        self.todos
            .store
            .keep(&new)
            .map_err(|error| InputError(format!("The list could not be saved: {error}")))?;
        let old = std::mem::replace(&mut *items, new);
        let kept = object(|kept| {
            kept.raw("oldTodos", &json(&old)).raw("newTodos", &json(&items));
        });
        let open =
            items.iter().filter(|item| item.status != annals_store::todos::TodoStatus::Completed).count();
        Ok(Outcome::text(format!("The list was saved: {} items, {open} of them open.", items.len()), kept))
    }
}

fn read(input: &Input<'_>) -> Result<Vec<TodoItem>, InputError> {
    input.list("todos")?;
    let list = input.value("todos").map(|value| value.raw()).unwrap_or(b"[]");
    TodoItem::list(list).map_err(|error| InputError(format!("The list cannot be used: {error}.")))
}

/// The items as JSON, as the session stores them.
fn json(items: &[TodoItem]) -> Vec<u8> {
    let mut out = vec![b'['];
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        out.extend(object(|fields| {
            fields.string("content", &item.content).string("status", item.status.name());
            if let Some(active) = &item.active_form {
                write_string(fields.key("activeForm"), active);
            }
        }));
    }
    out.push(b']');
    out
}

impl Tool for TodoWrite {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new(
            "TodoWrite",
            "Writes the todo list of this session, which the user sees. Use it for work of three or more steps. Each call gives the whole list. Only one item is in_progress at a time; mark each completed as soon as it is done.",
        )
        .required("todos", ParamType::Schema(SCHEMA), "")
        .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Sequential
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        read(&Input::of(input))?;
        Ok(ToolRequest::Inward("TodoWrite"))
    }

    fn run<'t>(&'t self, input: &'t [u8], _: &'t CallContext<'t>) -> ToolFuture<'t> {
        at_once(move || self.write(input))
    }
}
