//! `file_history`: what was done to a file, and why.

use annals_index::recall::{FileCall, FileCallKind, Passage, PassageStart};
use annals_index::{Index, IndexError, MessageKind};

use super::passage_entry::speaker;
use super::schema::{CURSOR, MAX_TOKENS, PROJECT, Parameter};
use super::{Tool, ToolGroup};
use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::memory::{CopyFinder, Memory, MemoryStore, ProjectScope, moment, show_command};
use crate::page::{Entry, continuation};

pub(super) const TOOL: Tool = Tool {
    name: "file_history",
    title: "What was done to a file, and why",
    description: "The changes that past sessions made to a file, newest first: what was asked, what the assistant said before, and the change itself. Use it before you change code whose reasons are not obvious.",
    parameters: &[
        Parameter::required("path", "The path of the file, or the end of it such as src/main.rs"),
        Parameter::flag("reads", "Also calls that only read it"),
        PROJECT,
        CURSOR,
        MAX_TOKENS,
    ],
    group: ToolGroup::Reading,
};

/// How many calls are read for one result.
const MAX_CALLS: usize = 60;
const PROMPT_BYTES: usize = 200;
const REPLY_BYTES: usize = 240;
const CHANGE_BYTES: usize = 360;

/// A call with what was said before it.
struct ReasonedCall {
    call: FileCall,
    prompt: Option<String>,
    reply: Option<String>,
    change: Option<String>,
}

pub(super) fn run<S: MemoryStore>(
    memory: &mut Memory<S>,
    arguments: &Arguments,
) -> Result<String, ToolError> {
    let path = arguments.required("path")?;
    let path = path.trim_start_matches("./").to_owned();
    let kind = if arguments.is_set("reads") { FileCallKind::All } else { FileCallKind::Changes };
    let (skipped, max_tokens) = (arguments.skipped()?, arguments.max_tokens()?);
    let scope = memory.scope(arguments)?;
    let (mut total, mut calls) = find(memory, &path, kind, &scope, skipped)?;
    let mut label = scope.label.clone();
    if total == 0 && scope.name.is_some() {
        (total, calls) = find(memory, &path, kind, &ProjectScope::all(), skipped)?;
        label = format!("all projects (nothing in {})", scope.label);
    }
    let what = if kind == FileCallKind::All { "calls" } else { "changes" };
    let name = memory.cleaner.line(&path, 160);
    let mut page = memory.page(&format!("{total} {what} of {name:?} in {label}, newest first."), max_tokens);
    let mut shown = 0;
    for reasoned in &calls {
        if !page.push(&drawn(memory, reasoned)) {
            break;
        }
        shown += 1;
    }
    let next = Some(skipped + shown).filter(|next| *next < total && shown > 0);
    Ok(page.finish(&next.map(continuation).into_iter().collect::<Vec<_>>()))
}

fn find<S: MemoryStore>(
    memory: &Memory<S>,
    path: &str,
    kind: FileCallKind,
    scope: &ProjectScope,
    skipped: usize,
) -> Result<(usize, Vec<ReasonedCall>), ToolError> {
    let answers = memory.ask(|index, copies| {
        let calls = index.file_calls(path, kind, &scope.slugs(index)?)?;
        let total = calls.len();
        let calls = calls.into_iter().skip(skipped).take(MAX_CALLS);
        let calls = calls.map(|call| reasoned(index, call, copies)).collect::<Result<Vec<_>, _>>()?;
        Ok((total, calls))
    })?;
    let (mut total, mut calls) = (0, Vec::new());
    for (count, more) in answers {
        total += count;
        calls.extend(more);
    }
    calls.sort_by_key(|reasoned| std::cmp::Reverse(reasoned.call.millis));
    Ok((total, calls))
}

fn reasoned(index: &Index, call: FileCall, copies: &mut CopyFinder<'_>) -> Result<ReasonedCall, IndexError> {
    let nothing = |call| ReasonedCall { call, prompt: None, reply: None, change: None };
    let Some(file) = index.conversation(&call.session, call.agent.as_deref())? else {
        return Ok(nothing(call));
    };
    let (prompt, reply) = index.reason_before(&file, call.line)?;
    let passages = index.passages(&file, PassageStart::At { line: call.line, block: 0 }, 8)?;
    let is_call = |passage: &&Passage| {
        passage.line == call.line
            && passage.kind == MessageKind::ToolCall
            && passage.path.as_ref() == Some(&call.path)
    };
    let change = passages.iter().find(is_call).and_then(|passage| passage.text(&file, copies));
    let mut text = |passage: Option<Passage>| passage.and_then(|passage| passage.text(&file, copies));
    Ok(ReasonedCall { prompt: text(prompt), reply: text(reply), change, call })
}

fn drawn<S: MemoryStore>(memory: &mut Memory<S>, reasoned: &ReasonedCall) -> Entry {
    let call = &reasoned.call;
    let who = speaker(MessageKind::ToolCall, Some(&call.tool), false);
    let failed = if call.is_error { " · failed" } else { "" };
    let place = show_command(&call.session, call.agent.as_deref(), call.line);
    let mut entry = Entry::new(format!("{place} · {who} · {}{failed}", moment(call.millis)));
    let texts = [("asked: ", &reasoned.prompt, PROMPT_BYTES), ("said: ", &reasoned.reply, REPLY_BYTES)];
    for (label, text, most) in texts {
        if let Some(text) = text.as_ref().filter(|text| !text.trim().is_empty()) {
            entry = entry.quote(format!("{label}{}", memory.cleaner.line(text, most)));
        }
    }
    if let Some(change) = &reasoned.change {
        // The path is the first string of most calls, and known.
        let change = change.strip_prefix(call.path.as_str()).unwrap_or(change).trim_start_matches('\n');
        let shown = memory.cleaner.part(change, 0, CHANGE_BYTES);
        let tail = if shown.len() < change.len() { "…" } else { "" };
        entry = entry.quote(format!("input: {shown}{tail}"));
    }
    entry
}
