//! Tool calls before messages are joined: unanswered ones, those open at the end, results before their call.

use std::collections::HashSet;

use super::api::{ApiBlock, BlockKind, Filler, Role};
use super::entries::{Entry, EntryKind};
use super::omission::{OmissionLog, OmissionReason};
use super::rules::{ClientRules, OpenCallRule, PairingRule};
use crate::id::ToolUseId;

/// Drops unanswered calls, except those at the end that the client answers itself.
pub(super) fn drop_unanswered<'a>(
    entries: &mut Vec<Entry<'a>>,
    rules: &ClientRules,
    omissions: &mut OmissionLog,
) {
    let mut answered: HashSet<ToolUseId<'a>> = entries.iter().flat_map(Entry::results).collect();
    if rules.open_call == OpenCallRule::AnsweredWithError
        && let Some(end) = UnfinishedTurn::of(entries, &answered)
    {
        answered.extend(end.unanswered);
        answered.extend(&end.open);
        if !end.open.is_empty() {
            let index = entries[end.last].index;
            let blocks =
                end.open.into_iter().map(|call| ApiBlock::error_result(Filler::OpenCall, call)).collect();
            let answer = Entry { index, kind: EntryKind::Message, role: Role::User, response: None, blocks };
            entries.insert(end.last + 1, answer);
        }
    }
    entries.retain_mut(|entry| {
        let is_call =
            |block: &ApiBlock<'_>| matches!(block.kind, BlockKind::Call(_) | BlockKind::NamelessCall);
        if entry.kind != EntryKind::Message || !entry.blocks.iter().any(is_call) {
            return true;
        }
        let is_answered = |block: &ApiBlock<'a>| match block.kind {
            BlockKind::Call(call) => answered.contains(&call),
            _ => false,
        };
        match rules.pairing {
            PairingRule::CallsOnly => {
                let before = entry.blocks.len();
                entry.blocks.retain(|block| !is_call(block) || is_answered(block));
                if entry.blocks.len() < before {
                    omissions.note(entry.index, OmissionReason::UnansweredCall);
                }
                !entry.blocks.is_empty()
            }
            PairingRule::Repaired | PairingRule::MovedAndRepaired => {
                // One answer saves the whole line; the others are filled in later.
                let is_kept = entry.blocks.iter().any(is_answered);
                if !is_kept {
                    omissions.note(entry.index, OmissionReason::UnansweredCall);
                }
                is_kept
            }
        }
    });
}

/// A conversation that stopped in the middle of a turn.
struct UnfinishedTurn<'a> {
    /// The index of its last message.
    last: usize,
    /// The unanswered calls of its last response: the client answers them with an error.
    open: Vec<ToolUseId<'a>>,
    /// Other unanswered calls of the turn: they stay, and get a filler like any missing result.
    unanswered: Vec<ToolUseId<'a>>,
}

impl<'a> UnfinishedTurn<'a> {
    fn of(entries: &[Entry<'a>], answered: &HashSet<ToolUseId<'a>>) -> Option<Self> {
        let is_message = |entry: &Entry<'_>| matches!(entry.kind, EntryKind::Message | EntryKind::ApiError);
        let last = entries.iter().rposition(is_message)?;
        let is_turn = |entry: &&Entry<'_>| {
            !is_message(entry) || is_results_alone(entry) || entry.is_message_of(Role::Assistant)
        };
        let turn: Vec<_> = entries[..=last].iter().rev().take_while(is_turn).collect();
        let is_reply = |entry: &&Entry<'_>| entry.is_message_of(Role::Assistant);
        let response = turn.iter().copied().find(is_reply)?.response;
        // Its last response ends where another one or a prompt precedes it.
        let length = turn.iter().position(|entry| is_reply(entry) && entry.response != response);
        let length = length.unwrap_or(turn.len());
        let missing = |part: &[&Entry<'a>]| {
            let calls = part.iter().rev().flat_map(|entry| entry.calls());
            calls.filter(|call| !answered.contains(call)).collect::<Vec<_>>()
        };
        let open = missing(&turn[..length]);
        if open.is_empty() && entries[last].role == Role::Assistant {
            return None;
        }
        // Calls further up were passed over, not cut off, if the turn has any result; a plain reply at the end closes
        // what is above it.
        let is_closing = |entry: &&Entry<'a>| is_reply(entry) && entry.calls().next().is_none();
        let replies = turn.iter().take_while(|entry| is_reply(entry)).count();
        let closed = turn[..replies].iter().position(is_closing).unwrap_or(turn.len());
        let has_result = turn[..closed].iter().any(|entry| entry.is_message_of(Role::User));
        let unanswered = if has_result { missing(&turn[length.min(closed)..closed]) } else { Vec::new() };
        Some(Self { last, open, unanswered })
    }
}

fn is_results_alone(entry: &Entry<'_>) -> bool {
    entry.is_message_of(Role::User)
        && !entry.blocks.is_empty()
        && entry.blocks.iter().all(|block| matches!(block.kind, BlockKind::Result(_)))
}

/// Moves results that come just before their call after it, with the attachments that follow them.
pub(super) fn move_results_after_calls<'a>(entries: Vec<Entry<'a>>, rules: &ClientRules) -> Vec<Entry<'a>> {
    if rules.pairing != PairingRule::MovedAndRepaired {
        return entries;
    }
    let mut sorted: Vec<Entry<'a>> = Vec::with_capacity(entries.len());
    let mut waiting: Vec<Entry<'a>> = Vec::new();
    let mut made: HashSet<ToolUseId<'a>> = HashSet::new();
    let mut entries = entries.into_iter().peekable();
    while let Some(entry) = entries.next() {
        if !entry.is_message_of(Role::Assistant) {
            sorted.push(entry);
            continue;
        }
        let mut group = vec![entry];
        let response = group[0].response;
        while let Some(next) = entries.next_if(|next| {
            next.kind != EntryKind::Message || next.role == Role::Assistant && next.response == response
        }) {
            group.push(next);
        }
        // A call that was made before has its result where it is.
        let calls: HashSet<_> =
            group.iter().flat_map(Entry::calls).filter(|&call| made.insert(call)).collect();
        take_early_results(&mut sorted, &calls, &mut waiting);
        let end = group.iter().rposition(|entry| entry.kind == EntryKind::Message).map_or(0, |last| last + 1);
        let rest = group.split_off(end);
        sorted.append(&mut group);
        sorted.append(&mut waiting);
        sorted.extend(rest);
    }
    sorted
}

/// Takes from the end of `sorted` the results of these calls.
fn take_early_results<'a>(
    sorted: &mut Vec<Entry<'a>>,
    calls: &HashSet<ToolUseId<'a>>,
    waiting: &mut Vec<Entry<'a>>,
) {
    let is_result = |entry: &Entry<'_>| entry.kind == EntryKind::Message && entry.results().next().is_some();
    let start = sorted.iter().rposition(|entry| entry.kind == EntryKind::Message && !is_result(entry));
    let start = start.map_or(0, |before| before + 1);
    if calls.is_empty() || !sorted[start..].iter().flat_map(Entry::results).any(|call| calls.contains(&call))
    {
        return;
    }
    let mut moves = false;
    for entry in sorted.split_off(start) {
        if entry.kind == EntryKind::Message {
            moves = entry.results().any(|call| calls.contains(&call));
        }
        if moves { waiting.push(entry) } else { sorted.push(entry) }
    }
}
