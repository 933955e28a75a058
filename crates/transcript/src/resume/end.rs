//! The filler after a conversation that ends with the user, so that the next prompt can follow.

use super::api::{ApiBlock, BlockBody, Filler, Role};
use super::entries::{Entry, EntryKind};
use super::rules::{ClientRules, EndRule};

/// Adds fillers at the end.
pub(super) fn fill(entries: &mut Vec<Entry<'_>>, rules: &ClientRules) {
    let is_message = |entry: &Entry<'_>| matches!(entry.kind, EntryKind::Message | EntryKind::ApiError);
    let last = match rules.end {
        EndRule::AfterLastLine => entries.len().checked_sub(1),
        EndRule::GoOnAndReply | EndRule::AfterLastMessage => entries.iter().rposition(is_message),
    };
    let Some(last) = last.filter(|&last| entries[last].is_message_of(Role::User)) else { return };
    if rules.end == EndRule::AfterLastMessage && ends_with_local_commands(&entries[..=last]) {
        return;
    }
    let index = entries[last].index;
    let filler = |role, filler| Entry {
        index,
        kind: EntryKind::Filler,
        role,
        response: None,
        blocks: vec![ApiBlock::filler(filler)],
    };
    let is_cut_off = entries[last].results().next().is_some()
        || entries[last..].iter().any(|entry| entry.kind == EntryKind::Reminder);
    if rules.end == EndRule::GoOnAndReply && is_cut_off {
        entries.push(filler(Role::User, Filler::GoOn));
    }
    // Attachments behind the last message belong to it; slash commands come after.
    let command = entries[last + 1..].iter().position(|entry| entry.kind == EntryKind::LocalCommand);
    let place = command.map_or(entries.len(), |at| last + 1 + at);
    entries.insert(place, filler(Role::Assistant, Filler::NoResponse));
}

/// Whether it ends with slash commands after the caveat of the client, which need no reply.
fn ends_with_local_commands(entries: &[Entry<'_>]) -> bool {
    let starts_with = |entry: &Entry<'_>, words: &str| matches!(entry.blocks.first(), Some(ApiBlock { body: BlockBody::Text(text), .. }) if text.raw().starts_with(words.as_bytes()));
    let is_command =
        |entry: &&Entry<'_>| starts_with(entry, "<command-name>") || starts_with(entry, "<local-command-std");
    let mut before =
        entries.iter().rev().filter(|entry| entry.kind == EntryKind::Message).skip_while(is_command);
    before.next().is_some_and(|entry| starts_with(entry, "<local-command-caveat>"))
}
