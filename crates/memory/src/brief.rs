//! Recent work of a project in a few lines, for the start of a session.

use annals_index::IndexError;

use crate::error::ToolError;
use crate::memory::{Memory, MemoryStore, ProjectScope, id_word, moment};
use crate::page::Entry;
use crate::tools::{open_work, session_head};

/// How many sessions are named.
const SESSIONS: usize = 5;
/// How many todos.
const TODOS: usize = 8;
const PROMPT_BYTES: usize = 160;

/// Describes recent work of the current project within a budget; `None` if there is none. The current session is left out.
pub fn brief<S: MemoryStore>(memory: &mut Memory<S>, max_tokens: usize) -> Result<Option<String>, ToolError> {
    let Some(folder) = memory.project.clone() else { return Ok(None) };
    let name = folder.to_string_lossy().into_owned();
    let scope = ProjectScope { label: String::new(), name: Some(name) };
    let own = memory.session.clone();
    let answers = memory.ask(|index, _| {
        let sessions = index.recent_sessions(&scope.slugs(index)?)?;
        let others = sessions.into_iter().filter(|recent| Some(&recent.session) != own.as_ref());
        let with_card = |recent: annals_index::recall::RecentSession| {
            Ok((index.session_card(&recent.session)?.unwrap_or_default(), recent))
        };
        others.take(SESSIONS).map(with_card).collect::<Result<Vec<_>, IndexError>>()
    })?;
    let mut sessions: Vec<_> = answers.into_iter().flatten().collect();
    sessions.sort_by_key(|(_, recent)| std::cmp::Reverse(recent.active));
    sessions.truncate(SESSIONS);
    if sessions.is_empty() {
        return Ok(None);
    }
    let (todos, _) = open_work(memory, &scope)?;
    let mut page = memory.page("Recent sessions in this project, from annals.", max_tokens);
    for (card, recent) in &sessions {
        let mut entry = session_head(memory, &recent.session, card, "");
        if let Some(last) = card.last_prompt.as_deref().filter(|last| Some(*last) != card.title()) {
            entry = entry.quote(format!("last asked: {}", memory.cleaner.line(last, PROMPT_BYTES)));
        }
        if !page.push(&entry) {
            break;
        }
    }
    for todo in todos.iter().take(TODOS) {
        let head = format!("open todo of session {} · {}", id_word(&todo.session), moment(todo.active));
        if !page.push(&Entry::new(head).quote(memory.cleaner.line(&todo.content, PROMPT_BYTES))) {
            break;
        }
    }
    Ok(Some(
        page.finish(&["annals show SESSION reads one; the tools of annals mcp serve search them".to_owned()]),
    ))
}
