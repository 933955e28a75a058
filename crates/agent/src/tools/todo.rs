//! TodoWrite: the list of what is to be done, replaced as a whole. Its owner keeps it.

use std::sync::{Arc, Mutex, PoisonError};

use annals_json::{Fields, write_string};
use annals_store::todos::TodoItem;

use super::answer::{at_once, object};
use super::input::Input;
use super::spec::{Holds, Spec};
use super::{Asked, InputError, Order, Outcome, Running, Scene, Tool};
use crate::api::request::ToolSpec;

const SCHEMA: &str = r#"{"type":"array","description":"The whole list, in its order","items":{"type":"object","properties":{"content":{"type":"string","minLength":1,"description":"What is to be done: Run the tests"},"status":{"type":"string","enum":["pending","in_progress","completed"]},"activeForm":{"type":"string","minLength":1,"description":"The same while it is being done: Running the tests"}},"required":["content","status","activeForm"],"additionalProperties":false}}"#;

/// Told of the new list, before the model is answered.
pub trait TodoKeeper: Send + Sync {
    /// Keeps the list; where this fails, the model is told.
    fn keep(&self, items: &[TodoItem]) -> Result<(), String>;
}

/// Nothing is kept but in memory.
impl TodoKeeper for () {
    fn keep(&self, _: &[TodoItem]) -> Result<(), String> {
        Ok(())
    }
}

/// The list of a session.
pub struct Todos {
    items: Mutex<Vec<TodoItem>>,
    keeper: Box<dyn TodoKeeper>,
}

impl Todos {
    /// A list that begins like this: that of a session which is resumed, or nothing.
    pub fn new(items: Vec<TodoItem>, keeper: Box<dyn TodoKeeper>) -> Self {
        Self { items: Mutex::new(items), keeper }
    }

    /// The list as it is.
    pub fn items(&self) -> Vec<TodoItem> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Writes the list.
pub struct TodoWrite {
    todos: Arc<Todos>,
}

impl TodoWrite {
    /// This list.
    pub fn new(todos: Arc<Todos>) -> Self {
        Self { todos }
    }

    fn write(&self, input: &[u8]) -> Result<Outcome, InputError> {
        let new = read(&Input::scan(input)?)?;
        let mut items = self.todos.items.lock().unwrap_or_else(PoisonError::into_inner);
        self.todos
            .keeper
            .keep(&new)
            .map_err(|error| InputError(format!("The list could not be kept: {error}")))?;
        let old = std::mem::replace(&mut *items, new);
        let kept = object(|kept| {
            kept.raw("oldTodos", &json(&old)).raw("newTodos", &json(&items));
        });
        let open =
            items.iter().filter(|item| item.status != annals_store::todos::TodoStatus::Completed).count();
        Ok(Outcome::text(format!("The list was written: {} items, {open} of them open.", items.len()), kept))
    }
}

fn read(input: &Input<'_>) -> Result<Vec<TodoItem>, InputError> {
    input.list("todos")?;
    let list = input.value("todos").map(|value| value.raw()).unwrap_or(b"[]");
    TodoItem::list(list).map_err(|error| InputError(format!("The list cannot be used: {error}.")))
}

/// The items as the session keeps them, and nothing besides.
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
        Spec::new(
            "TodoWrite",
            "Writes the list of what is to be done in this session; the user sees it. Use it for work of three steps and more. Each call gives the whole list. One item is in_progress at a time, and an item is completed as soon as it is done.",
        )
        .needs("todos", Holds::Schema(SCHEMA), "")
        .build()
    }

    fn order(&self) -> Order {
        Order::InTurn
    }

    fn call(&self, input: &Fields<'_>) -> Result<Asked, InputError> {
        read(&Input::of(input))?;
        Ok(Asked::Inward("TodoWrite"))
    }

    fn run<'t>(&'t self, input: &'t [u8], _: &'t Scene<'t>) -> Running<'t> {
        at_once(move || self.write(input))
    }
}
