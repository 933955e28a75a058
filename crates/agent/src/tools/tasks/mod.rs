//! TaskCreate, TaskUpdate, TaskGet and TaskList: the tasks of a session, each in its own file, as newer clients keep them.

mod create;
mod get;
mod hook;
mod list;
mod update;

use std::sync::{Mutex, MutexGuard, PoisonError};

use annals_json::ArrayWriter;
use annals_store::todos::{TaskFolder, TaskItem, TodoStatus};

use super::InputError;
pub use create::TaskCreate;
pub use get::TaskGet;
pub use list::TaskList;
pub use update::TaskUpdate;

/// The tasks of a session, shared by its tools.
pub struct Tasks {
    /// Where they are stored; `None` if the session is not stored.
    folder: Option<TaskFolder>,
    /// What is there if nothing is stored; otherwise it guards the folder.
    unstored: Mutex<UnstoredTasks>,
}

#[derive(Default)]
struct UnstoredTasks {
    items: Vec<TaskItem>,
    /// The largest id that was given.
    last: u64,
}

impl Tasks {
    /// The tasks in this folder, or in memory.
    pub fn new(folder: Option<TaskFolder>) -> Self {
        Self { folder, unstored: Mutex::default() }
    }

    /// Begins a change; others wait until it is dropped.
    fn change(&self) -> TaskChange<'_> {
        let unstored = self.unstored.lock().unwrap_or_else(PoisonError::into_inner);
        TaskChange { folder: self.folder.as_ref(), unstored }
    }

    fn read(&self) -> Vec<TaskItem> {
        self.change().read()
    }
}

struct TaskChange<'t> {
    folder: Option<&'t TaskFolder>,
    unstored: MutexGuard<'t, UnstoredTasks>,
}

impl TaskChange<'_> {
    fn read(&self) -> Vec<TaskItem> {
        self.folder.map_or_else(|| self.unstored.items.clone(), TaskFolder::read)
    }

    fn next_id(&mut self) -> u64 {
        match self.folder {
            Some(folder) => folder.next_id(),
            None => {
                self.unstored.last += 1;
                self.unstored.last
            }
        }
    }

    fn write(&mut self, task: &TaskItem) -> Result<(), InputError> {
        match self.folder {
            Some(folder) => folder.write(task).map_err(|error| not_saved(&error.to_string())),
            None => {
                let items = &mut self.unstored.items;
                match items.iter_mut().find(|known| known.id() == task.id()) {
                    Some(known) => known.clone_from(task),
                    None => items.push(task.clone()),
                }
                Ok(())
            }
        }
    }

    /// Removes a task, also from the lists of the others.
    fn remove(&mut self, task: &TaskItem) -> Result<(), InputError> {
        let id = task.id();
        for mut other in self.read() {
            let before = other.clone();
            for key in ["blocks", "blockedBy"] {
                let mut ids = other.list(key);
                if ids.contains(&id) {
                    ids.retain(|known| *known != id);
                    other.set_list(key, &ids);
                }
            }
            if other != before && other.id() != id {
                self.write(&other)?;
            }
        }
        match self.folder {
            Some(folder) => folder.remove(task).map_err(|error| not_saved(&error.to_string())),
            None => {
                self.unstored.items.retain(|known| known.id() != id);
                Ok(())
            }
        }
    }
}

fn not_saved(error: &str) -> InputError {
    InputError(format!("The task could not be saved: {error}"))
}

/// Returns the tasks that one waits for and that are not done.
fn open_blockers(task: &TaskItem, all: &[TaskItem]) -> Vec<String> {
    let is_done =
        |id: &String| all.iter().any(|other| other.id() == *id && other.status() == TodoStatus::Completed);
    task.list("blockedBy").into_iter().filter(|id| !is_done(id)).collect()
}

/// Returns ids as the model reads them.
fn numbers(ids: &[String]) -> String {
    ids.iter().map(|id| format!("#{id}")).collect::<Vec<_>>().join(", ")
}

fn write_ids(list: &mut ArrayWriter<'_>, ids: &[String]) {
    for id in ids {
        list.string(id);
    }
}
