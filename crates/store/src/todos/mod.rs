//! Todo lists and tasks: `todos/<session>-agent-<agent>.json` and their successor, `tasks/<session>/<n>.json`.

mod item;
mod task_folder;
mod write;

use annals_json::{Fields, Items, Text, Value, ValueKind};

use crate::json_file::JsonFile;
use crate::key::{AgentKey, SessionKey};
use crate::layout::FileRole;
use crate::parallel;
use crate::problem::FileProblem;
use crate::scan::Discovery;
use annals_transcript::view::views;

pub use item::{FieldFault, ItemError, TodoItem, TodoStatus};
pub use task_folder::{TaskFolder, TaskItem};
pub use write::{list_bytes, write};

views! {
    /// One item of a todo list.
    Todo {
        /// The task.
        content: Text<'a> = "content";
        /// `pending`, `in_progress`, `completed`.
        status: Text<'a> = "status";
        /// `high`, `medium`, `low`; early versions only.
        priority: Text<'a> = "priority";
        /// The same in the present tense.
        active_form: Text<'a> = "activeForm";
        /// Its id; early versions only.
        id: Text<'a> = "id";
    }

    /// An entry of a task list: a file `tasks/<session>/<n>.json`.
    Task {
        /// Its number.
        id: Text<'a> = "id";
        /// The task.
        subject: Text<'a> = "subject";
        /// More about it.
        description: Text<'a> = "description";
        /// The same in the present tense.
        active_form: Text<'a> = "activeForm";
        /// `pending`, `in_progress`, `completed`.
        status: Text<'a> = "status";
        /// The tasks that wait for it.
        blocks: Items<'a> = "blocks";
        /// The tasks that it waits for.
        blocked_by: Items<'a> = "blockedBy";
        /// The agent that has it.
        owner: Text<'a> = "owner";
        /// Any other data.
        metadata: Fields<'a> = "metadata";
    }
}

/// A todo list's file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TodoList {
    /// The session that keeps the list.
    pub session: SessionKey,
    /// The agent; the main one has the session's name.
    pub agent: AgentKey,
    /// The list as it is on the disk; `items` reads it.
    pub file: JsonFile,
}

impl TodoList {
    /// The items, in order, and the problems with the rest.
    pub fn items(&self) -> (Vec<Todo<'_>>, Vec<FileProblem>) {
        let list = match self.file.value() {
            Ok(value) if value.kind() == ValueKind::Array => value,
            Ok(_) => return (Vec::new(), vec![self.file.wrong_shape("a list")]),
            Err(problem) => return (Vec::new(), vec![problem]),
        };
        let total = list.items().count();
        let items: Vec<_> = list.items().filter_map(Value::fields).map(Todo::new).collect();
        let problems =
            if items.len() < total { vec![self.file.wrong_shape("a list of objects")] } else { vec![] };
        (items, problems)
    }

    /// Whether it is the list of the session's main agent.
    pub fn is_main(&self) -> bool {
        self.agent.as_str() == self.session.as_str()
    }
}

/// A task and where it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskFile {
    /// The session, or the name of a team's list.
    pub session: SessionKey,
    /// The number, from the file's name.
    pub id: String,
    /// The task as it is on the disk.
    pub file: JsonFile,
}

impl TaskFile {
    /// The task, or the problem with it.
    pub fn task(&self) -> Result<Task<'_>, FileProblem> {
        self.file.object().map(Task::new)
    }
}

/// All todo lists, by path; files that cannot be read are problems.
pub fn todo_lists(discovery: &Discovery) -> (Vec<TodoList>, Vec<FileProblem>) {
    let files: Vec<_> = discovery.todos().collect();
    let read = parallel::map(&files, |found| JsonFile::read(&found.path).map_err(|error| error.problem()));
    let mut lists = Vec::new();
    let mut problems = Vec::new();
    for (found, file) in files.iter().zip(read) {
        match (&found.role, file) {
            (FileRole::Todos { session, agent }, Ok(file)) => {
                lists.push(TodoList { session: session.clone(), agent: agent.clone(), file });
            }
            (_, Ok(_)) => {}
            (_, Err(problem)) => problems.push(problem),
        }
    }
    (lists, problems)
}

/// All tasks, by session and then by number; files that cannot be read are problems.
pub fn tasks(discovery: &Discovery) -> (Vec<TaskFile>, Vec<FileProblem>) {
    let files: Vec<_> = discovery.tasks().collect();
    let read = parallel::map(&files, |found| JsonFile::read(&found.path).map_err(|error| error.problem()));
    let mut tasks = Vec::new();
    let mut problems = Vec::new();
    for (found, file) in files.iter().zip(read) {
        match (&found.role, file) {
            (FileRole::Task { session, id }, Ok(file)) => {
                tasks.push(TaskFile { session: session.clone(), id: id.clone(), file });
            }
            (_, Ok(_)) => {}
            (_, Err(problem)) => problems.push(problem),
        }
    }
    let order =
        |task: &TaskFile| (task.session.clone(), task.id.parse::<u64>().unwrap_or(u64::MAX), task.id.clone());
    tasks.sort_by_cached_key(order);
    (tasks, problems)
}
