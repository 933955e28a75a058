//! `before_compaction`: the conversation that a compaction replaced by a summary.

use annals_index::recall::{Passage, PassageStart};

use super::passage_entry::{is_conversation, passage_head};
use super::schema::{CURSOR, MAX_TOKENS, Parameter};
use super::{Tool, ToolGroup};
use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::memory::{Memory, MemoryStore, id_word};
use crate::page::{Entry, continuation};

pub(super) const TOOL: Tool = Tool {
    name: "before_compaction",
    title: "Read what a compaction replaced",
    description: "After a compaction only a summary of the conversation is left. This returns the last messages before it, word for word: exact names, numbers, errors and decisions. The cursor reads further back.",
    parameters: &[
        Parameter::text("session", "The session id (default: this session, else the newest of the project)"),
        Parameter::number("which", "1 is the last compaction (default), 2 the one before"),
        CURSOR,
        MAX_TOKENS,
    ],
    group: ToolGroup::Reading,
};

/// How many passages are looked at for one result.
const MAX_PASSAGES: usize = 200;
const MESSAGE_BYTES: usize = 500;

pub(super) fn run<S: MemoryStore>(
    memory: &mut Memory<S>,
    arguments: &Arguments,
) -> Result<String, ToolError> {
    let session =
        memory.session_named(&arguments.text("session")?.unwrap_or_else(|| "current".to_owned()))?;
    let which = arguments.number("which")?.unwrap_or(1).max(1) as usize;
    let (cursor, max_tokens) = (arguments.number("cursor")?, arguments.max_tokens()?);
    let answers = memory.ask(|index, copies| {
        let Some(file) = index.conversation(&session, None)? else { return Ok(None) };
        let boundaries = file.compactions(copies)?;
        let Some(boundary) = boundaries.len().checked_sub(which).and_then(|at| boundaries.get(at)).copied()
        else {
            return Ok(Some((boundaries.len(), 0, Vec::new())));
        };
        let before = cursor.unwrap_or(boundary).min(boundary);
        let passages = index.passages(&file, PassageStart::Before { line: before }, MAX_PASSAGES)?;
        let passages = passages.into_iter().filter(is_conversation);
        let read: Vec<(Passage, Option<String>)> =
            passages.map(|passage| (passage.clone(), passage.text(&file, copies))).collect();
        Ok(Some((boundaries.len(), boundary, read)))
    })?;
    let Some((count, boundary, passages)) = answers.into_iter().flatten().next() else {
        return Err(ToolError::NotFound("the session is not in the index yet".to_owned()));
    };
    let id = id_word(&session);
    if boundary == 0 {
        return Ok(match count {
            0 => format!("Session {id} was never compacted: nothing is missing."),
            count => format!("Session {id} was compacted {count} times: `which` can be at most {count}."),
        });
    }
    let heading = format!(
        "Session {id} was compacted at line {boundary} ({count} in all). The messages before that, oldest first. Quote with: annals show {id} --around LINE"
    );
    let mut page = memory.page(&heading, max_tokens);
    // The nearest to the compaction are chosen, and shown in their order.
    let (mut room, mut chosen) = (page.room(), Vec::new());
    for (passage, text) in passages.iter().rev() {
        let quote = memory.cleaner.part(text.as_deref().unwrap_or("(the file is gone)"), 0, MESSAGE_BYTES);
        let cut = if quote.len() < text.as_ref().map_or(0, String::len) { " · cut" } else { "" };
        let entry = Entry::new(format!("{}{cut}", passage_head(passage))).quote(quote);
        let size =
            entry.head.len() + 16 + entry.quotes[0].len() + 2 * (1 + entry.quotes[0].matches('\n').count());
        if size > room && !chosen.is_empty() {
            break;
        }
        room = room.saturating_sub(size);
        chosen.push((passage.line, entry));
    }
    let first = chosen.last().map(|(line, _)| *line);
    for (_, entry) in chosen.iter().rev() {
        page.push(entry);
    }
    let is_more = first
        .is_some_and(|first| passages.first().is_some_and(|(passage, _)| passage.line < first))
        || passages.len() == MAX_PASSAGES;
    let next = first.filter(|_| is_more).map(|first| continuation(first).replacen("more", "further back", 1));
    Ok(page.finish(&next.into_iter().collect::<Vec<_>>()))
}
