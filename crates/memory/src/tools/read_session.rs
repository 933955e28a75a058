//! `read_session`: reads a conversation from its beginning, around a line or a record, or from a cursor on.

use annals_index::recall::{ConversationFile, Passage, PassageStart};
use annals_index::search::SessionCard;

use super::passage_entry::{is_conversation, passage_head};
use super::schema::{CURSOR, MAX_TOKENS, Parameter};
use super::search::session_head;
use super::{Tool, ToolGroup};
use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::memory::{Memory, MemoryStore, id_word};
use crate::page::{Entry, continuation};

pub(super) const TOOL: Tool = Tool {
    name: "read_session",
    title: "Read a past session",
    description: "Reads a past conversation: from its beginning, or around a line or record that search_sessions gave. Long messages are cut; the cursor in their head reads on.",
    parameters: &[
        Parameter::required(
            "session",
            "Its id or the beginning of it; \"current\", or \"last\" for the newest other one",
        ),
        Parameter::text("around", "A line number or the uuid of a record"),
        Parameter::text("agent", "The id of one of its sub-agents"),
        Parameter::number("before", "How many messages before that line (default 2)"),
        Parameter::flag("all", "Also show thinking, reminders and notices"),
        CURSOR,
        MAX_TOKENS,
    ],
    group: ToolGroup::Reading,
};

const DEFAULT_BEFORE: u64 = 2;
const MAX_BEFORE: u64 = 50;
/// How many passages are looked at for one result.
const MAX_PASSAGES: usize = 400;
/// How many bytes of a message are shown, unless the result begins with it.
const MESSAGE_BYTES: usize = 500;

/// Where to go on reading: line, block, and byte of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ReadCursor {
    line: u64,
    block: u32,
    offset: usize,
}

impl ReadCursor {
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let cursor = Self {
            line: parts.next()?.parse().ok()?,
            block: parts.next()?.parse().ok()?,
            offset: parts.next()?.parse().ok()?,
        };
        parts.next().is_none().then_some(cursor)
    }
}

impl std::fmt::Display for ReadCursor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}.{}.{}", self.line, self.block, self.offset)
    }
}

/// What was read: passages and their texts.
pub(super) struct ReadPassages {
    pub(super) file: ConversationFile,
    pub(super) card: SessionCard,
    pub(super) passages: Vec<(Passage, Option<String>)>,
}

pub(super) fn run<S: MemoryStore>(
    memory: &mut Memory<S>,
    arguments: &Arguments,
) -> Result<String, ToolError> {
    let session = memory.session_named(&arguments.required("session")?)?;
    let agent = arguments.text("agent")?.map(|agent| agent.trim_start_matches("agent-").to_owned());
    let around = arguments.text("around")?;
    let cursor = match arguments.text("cursor")? {
        Some(text) => Some(
            ReadCursor::parse(&text)
                .ok_or_else(|| ToolError::Argument(format!("{text:?} is not a cursor of this tool")))?,
        ),
        None => None,
    };
    let before = arguments.number("before")?.unwrap_or(DEFAULT_BEFORE).min(MAX_BEFORE) as usize;
    let (is_all, max_tokens) = (arguments.is_set("all"), arguments.max_tokens()?);
    let is_shown =
        |passage: &Passage, focus: u64| is_all || passage.line == focus || is_conversation(passage);
    let answers = memory.ask(|index, copies| {
        let Some(file) = index.conversation(&session, agent.as_deref())? else { return Ok(None) };
        let focus = match (&cursor, &around) {
            (Some(cursor), _) => Some(cursor.line),
            (None, Some(place)) => match place.parse().ok().filter(|_| place.len() < 8) {
                Some(line) => Some(line),
                None => index.line_of_record(&file, place)?,
            },
            (None, None) => Some(1),
        };
        let Some(focus) = focus else { return Ok(Some(None)) };
        let mut passages = Vec::new();
        if cursor.is_none() && around.is_some() {
            passages = index.passages(&file, PassageStart::Before { line: focus }, MAX_PASSAGES)?;
            passages.retain(|passage| is_shown(passage, focus));
            passages.drain(..passages.len().saturating_sub(before));
        }
        let block = cursor.map_or(0, |cursor| cursor.block);
        passages.extend(index.passages(&file, PassageStart::At { line: focus, block }, MAX_PASSAGES)?);
        passages.retain(|passage| is_shown(passage, focus));
        // No more is read than can be shown.
        let mut room = max_tokens * 4;
        let mut read = Vec::new();
        for passage in passages {
            let text = passage.text(&file, copies);
            room = room.saturating_sub(text.as_ref().map_or(0, |text| text.len().min(MESSAGE_BYTES)) + 40);
            read.push((passage, text));
            if room == 0 {
                break;
            }
        }
        let card = index.session_card(&session)?.unwrap_or_default();
        Ok(Some(Some((ReadPassages { file, card, passages: read }, focus))))
    })?;
    let found = answers.into_iter().flatten().max_by_key(Option::is_some);
    let Some(found) = found else {
        return Err(ToolError::NotFound("the session has no such sub-agent".to_owned()));
    };
    let Some((found, focus)) = found else {
        return Err(ToolError::NotFound("the session has no such record; give a line number".to_owned()));
    };
    Ok(draw(memory, &found, focus, cursor, max_tokens))
}

fn draw<S: MemoryStore>(
    memory: &mut Memory<S>,
    found: &ReadPassages,
    focus: u64,
    cursor: Option<ReadCursor>,
    max_tokens: usize,
) -> String {
    let agent = found.file.agent.as_deref().map(|agent| format!(", sub-agent {}", id_word(agent)));
    let heading = format!(
        "Session {}{}, {} lines. Quote a message with: annals show {} --around LINE",
        id_word(&found.file.session),
        agent.unwrap_or_default(),
        found.file.lines,
        found
            .file
            .agent
            .as_deref()
            .map_or_else(|| id_word(&found.file.session), |agent| format!("agent-{}", id_word(agent))),
    );
    let mut page = memory.page(&heading, max_tokens);
    if cursor.is_none() {
        page.push(&session_head(memory, &found.file.session, &found.card, ""));
    }
    let mut next = None;
    for (number, (passage, text)) in found.passages.iter().enumerate() {
        let offset = cursor
            .filter(|cursor| number == 0 && cursor.line == passage.line)
            .map_or(0, |cursor| cursor.offset);
        // What was asked for may fill half of the result, or all of it if it is read on.
        let most = match (offset > 0, passage.line == focus) {
            (true, _) => page.room().saturating_sub(300),
            (false, true) => MESSAGE_BYTES.max(page.room() / 2),
            _ => MESSAGE_BYTES,
        };
        let most = without_bars(text.as_deref().unwrap_or_default(), offset, most);
        let mut head = passage_head(passage);
        let quote = match text {
            Some(text) => {
                if text.len() > offset + most {
                    let rest = ReadCursor { line: passage.line, block: passage.block, offset: offset + most };
                    head.push_str(&format!(" · cut; the rest: cursor \"{rest}\""));
                }
                memory.cleaner.part(text, offset, most)
            }
            None => "(the file is gone)".to_owned(),
        };
        if !page.push(&Entry::new(head).quote(quote)) {
            next = Some(ReadCursor { line: passage.line, block: passage.block, offset: 0 });
            break;
        }
    }
    if found.passages.is_empty() {
        return page.finish(&["nothing there: the conversation has ended".to_owned()]);
    }
    let after = found.passages.last().filter(|(passage, _)| passage.line < found.file.lines);
    let next = next.or_else(|| {
        after.map(|(passage, _)| ReadCursor { line: passage.line, block: passage.block + 1, offset: 0 })
    });
    page.finish(&next.map(continuation).into_iter().collect::<Vec<_>>())
}

/// How many bytes of a text fit, if each of its lines gets a bar.
fn without_bars(text: &str, offset: usize, most: usize) -> usize {
    let offset = text.floor_char_boundary(offset.min(text.len()));
    let end = text.ceil_char_boundary((offset + most).min(text.len()));
    let bars = 2 * text[offset..end].bytes().filter(|byte| *byte == b'\n').count();
    let fit = most.saturating_sub(bars).max(most / 3);
    text.ceil_char_boundary((offset + fit).min(text.len())).saturating_sub(offset).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_read_as_they_are_written() {
        let cursor = ReadCursor { line: 42, block: 1, offset: 500 };
        assert_eq!(ReadCursor::parse(&cursor.to_string()), Some(cursor));
        for wrong in ["", "42", "1.2", "1.2.3.4", "a.b.c", "-1.0.0"] {
            assert_eq!(ReadCursor::parse(wrong), None, "{wrong}");
        }
    }
}
