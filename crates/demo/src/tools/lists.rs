//! Lists of things to do: TodoWrite of the older clients, tasks of the newer ones.

use crate::era::Era;
use crate::json;
use crate::text::TextWriter;
use crate::turn::ToolCall;
use crate::words::WORDS;

/// One thing to do.
#[derive(Debug, Clone)]
pub(crate) struct Todo {
    pub(crate) content: String,
    pub(crate) active: String,
    pub(crate) status: &'static str,
}

/// Three to five items, the first `done` of them completed and the next one in progress.
pub(crate) fn todos(writer: &mut TextWriter, done: usize) -> Vec<Todo> {
    let count = writer.random.between(3, 5) as usize;
    (0..count)
        .map(|at| {
            let rest = writer.one("the {adj} {noun} in {area}");
            let [verb, ing, _] = *writer.random.pick(&WORDS.verbs);
            let status = match at.cmp(&done) {
                std::cmp::Ordering::Less => "completed",
                std::cmp::Ordering::Equal => "in_progress",
                std::cmp::Ordering::Greater => "pending",
            };
            Todo { content: format!("{verb} {rest}"), active: format!("{ing} {rest}"), status }
        })
        .collect()
}

/// The list as JSON, in the form of the age.
pub(crate) fn as_json(era: Era, todos: &[Todo]) -> Vec<u8> {
    json::array(|list| {
        for (at, todo) in todos.iter().enumerate() {
            list.object(|o| {
                o.string("content", &todo.content).string("status", todo.status);
                if era == Era::First {
                    o.string("priority", if at == 0 { "high" } else { "medium" })
                        .string("id", &(at + 1).to_string());
                } else {
                    o.string("activeForm", &todo.active);
                }
            });
        }
    })
}

/// Writes the list again.
pub(crate) fn todo_write(era: Era, old: &[Todo], new: &[Todo]) -> ToolCall {
    let list = as_json(era, new);
    let result = json::object(|o| {
        o.raw("oldTodos", &as_json(era, old)).raw("newTodos", &list);
    });
    let input = json::object(|o| {
        o.raw("todos", &list);
    });
    let content = json::string("Todos have been modified successfully.");
    ToolCall { name: "TodoWrite".into(), input, content, result, ..ToolCall::default() }
}

/// A task is made.
pub(crate) fn task_create(id: u64, todo: &Todo, description: &str) -> ToolCall {
    let input = json::object(|o| {
        o.string("subject", &todo.content)
            .string("description", description)
            .string("activeForm", &todo.active);
    });
    let result = json::object(|o| {
        o.object("task", |task| {
            task.string("id", &id.to_string()).string("subject", &todo.content);
        });
    });
    let content = json::string(&format!("Task #{id} created successfully: {}", todo.content));
    ToolCall { name: "TaskCreate".into(), input, content, result, ..ToolCall::default() }
}

/// A task changes its state.
pub(crate) fn task_update(id: u64, from: &str, to: &str) -> ToolCall {
    let input = json::object(|o| {
        o.string("taskId", &id.to_string()).string("status", to);
    });
    let result = json::object(|o| {
        o.boolean("success", true).string("taskId", &id.to_string()).raw("updatedFields", br#"["status"]"#);
        o.object("statusChange", |change| {
            change.string("from", from).string("to", to);
        });
    });
    let content = json::string(&format!("Updated task #{id} status"));
    ToolCall { name: "TaskUpdate".into(), input, content, result, ..ToolCall::default() }
}
