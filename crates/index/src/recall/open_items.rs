//! What is still to be done, and the plans.

use rusqlite::Row;

use super::projects::ProjectSlugs;
use crate::error::IndexError;
use crate::open::Index;
use crate::search::read_part;

/// So much of a plan is read.
const MAX_PLAN_BYTES: u64 = 64 * 1024;

/// A todo or a task that is not completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenTodo {
    pub session: String,
    /// The folder of the project; empty if the session is gone.
    pub slug: String,
    /// What is to be done.
    pub content: String,
    /// `pending`, `in_progress` or another word of the client.
    pub status: String,
    /// When the session was last active, in milliseconds since 1970.
    pub active: Option<i64>,
}

/// A plan and a session that names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanFile {
    pub name: String,
    pub session: String,
    /// The folder of the project.
    pub slug: String,
    /// When the file was written, in milliseconds since 1970.
    pub modified: i64,
    pub bytes: u64,
    pub path: std::path::PathBuf,
}

impl PlanFile {
    /// The beginning of its text; `None` if it cannot be read.
    pub fn text(&self) -> Option<String> {
        let bytes = read_part(&self.path, 0, MAX_PLAN_BYTES)?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

const TODOS: &str = "SELECT files.session, coalesce(owner.slug, files.slug), content, status,
        (SELECT CAST(value AS INTEGER) FROM facts WHERE file = owner.id AND kind = 15)
    FROM todo_items JOIN files ON files.id = todo_items.file
        LEFT JOIN files AS owner ON owner.session = files.session AND owner.role = 0 AND owner.state = 0
    WHERE status <> 'completed' AND files.state = 0
    ORDER BY 5 DESC, files.session, files.path, line, todo_items.offset";

const PLANS: &str =
    "SELECT replace(replace(plan.path, 'plans/', ''), '.md', '') AS name, owner.session, owner.slug,
        plan.modified / 1000000, plan.bytes, plan.path
    FROM files AS plan JOIN facts ON facts.kind = 5
        AND facts.value = replace(replace(plan.path, 'plans/', ''), '.md', '')
        JOIN files AS owner ON owner.id = facts.file AND owner.role = 0
    WHERE plan.role = 4 AND plan.state = 0
    GROUP BY plan.path, owner.session ORDER BY 4 DESC, 1";

impl Index {
    /// Todos and tasks that are not completed, those of the session that was active last first.
    pub fn open_todos(&self, projects: &ProjectSlugs) -> Result<Vec<OpenTodo>, IndexError> {
        let mut statement = self.connection.prepare_cached(TODOS)?;
        let todo = |row: &Row<'_>| {
            Ok(OpenTodo {
                session: row.get(0)?,
                slug: row.get(1)?,
                content: row.get(2)?,
                status: row.get(3)?,
                active: row.get(4)?,
            })
        };
        let mut todos = statement.query_map([], todo)?.collect::<Result<Vec<_>, _>>()?;
        todos.retain(|todo| projects.has(&todo.slug));
        todos.dedup();
        Ok(todos)
    }

    /// The plans that sessions name, the newest first.
    pub fn plan_files(&self, projects: &ProjectSlugs) -> Result<Vec<PlanFile>, IndexError> {
        let mut statement = self.connection.prepare_cached(PLANS)?;
        let plan = |row: &Row<'_>| {
            Ok(PlanFile {
                name: row.get(0)?,
                session: row.get(1)?,
                slug: row.get(2)?,
                modified: row.get(3)?,
                bytes: row.get::<_, i64>(4)? as u64,
                path: self.config.path().join(row.get::<_, String>(5)?),
            })
        };
        let mut plans = statement.query_map([], plan)?.collect::<Result<Vec<_>, _>>()?;
        plans.retain(|plan| projects.has(&plan.slug));
        Ok(plans)
    }
}
