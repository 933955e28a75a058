//! `todos_and_plans`: what is still open, and which plans there are.

use annals_index::recall::{OpenTodo, PlanFile};

use super::schema::{CURSOR, MAX_TOKENS, PROJECT};
use super::{Tool, ToolGroup};
use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::memory::{Memory, MemoryStore, ProjectScope, id_word, moment};
use crate::page::{Entry, continuation};

pub(super) const TOOL: Tool = Tool {
    name: "todos_and_plans",
    title: "Open todos and plans",
    description: "Todos and tasks that past sessions left open, and the plans they wrote. Use it when the user asks what is left, or wants to continue earlier work.",
    parameters: &[PROJECT, CURSOR, MAX_TOKENS],
    group: ToolGroup::Reading,
};

const TODO_BYTES: usize = 200;
const PLAN_BYTES: usize = 500;

pub(super) fn run<S: MemoryStore>(
    memory: &mut Memory<S>,
    arguments: &Arguments,
) -> Result<String, ToolError> {
    let (skipped, max_tokens) = (arguments.skipped()?, arguments.max_tokens()?);
    let scope = memory.scope(arguments)?;
    let (todos, plans) = find(memory, &scope)?;
    let heading = format!("{} open todos and {} plans in {}.", todos.len(), plans.len(), scope.label);
    let entries = entries(memory, &todos, &plans);
    let mut page = memory.page(&heading, max_tokens);
    let mut next = None;
    for (number, entry) in entries.iter().enumerate().skip(skipped) {
        if !page.push(entry) {
            next = Some(number);
            break;
        }
    }
    Ok(page.finish(&next.map(continuation).into_iter().collect::<Vec<_>>()))
}

/// Open todos and plans.
pub(crate) fn find<S: MemoryStore>(
    memory: &Memory<S>,
    scope: &ProjectScope,
) -> Result<(Vec<OpenTodo>, Vec<PlanFile>), ToolError> {
    let answers = memory.ask(|index, _| {
        let slugs = scope.slugs(index)?;
        Ok((index.open_todos(&slugs)?, index.plan_files(&slugs)?))
    })?;
    let (mut todos, mut plans) = (Vec::new(), Vec::new());
    for (more_todos, more_plans) in answers {
        todos.extend(more_todos);
        plans.extend(more_plans);
    }
    Ok((todos, plans))
}

/// One entry for the todos of a session, and one for each plan.
fn entries<S: MemoryStore>(memory: &mut Memory<S>, todos: &[OpenTodo], plans: &[PlanFile]) -> Vec<Entry> {
    let mut entries = Vec::new();
    for of_session in todos.chunk_by(|left, right| left.session == right.session) {
        let id = id_word(&of_session[0].session);
        let mut entry = Entry::new(format!("todos of annals show {id} · {}", moment(of_session[0].active)));
        for todo in of_session {
            entry =
                entry.quote(memory.cleaner.line(&format!("[{}] {}", todo.status, todo.content), TODO_BYTES));
        }
        entries.push(entry);
    }
    for plan in plans {
        let head = format!(
            "annals plans {} · of session {} · {}",
            id_word(&plan.name),
            id_word(&plan.session),
            moment(Some(plan.modified))
        );
        let text = plan.text().unwrap_or_default();
        let shown = memory.cleaner.part(text.trim_start(), 0, PLAN_BYTES);
        let tail = if shown.len() < text.trim_start().len() { "…" } else { "" };
        entries.push(Entry::new(head).quote(format!("{shown}{tail}")));
    }
    entries
}
