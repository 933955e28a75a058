//! Drops empty content: white space, empty blocks, thinking without a reply.

use std::collections::HashSet;

use super::api::{ApiBlock, ApiMessage, BlockKind, BlockOrigin, Filler, Role};
use super::entries::{Entry, EntryKind};
use super::omission::{OmissionLog, OmissionReason};
use super::rules::{ClientRules, EmptyRule};

/// Drops empty entries, before they are joined.
pub(super) fn drop_lines(entries: &mut Vec<Entry<'_>>, rules: &ClientRules, omissions: &mut OmissionLog) {
    if rules.empty == EmptyRule::Replies {
        return entries.retain(|entry| entry.kind != EntryKind::Message || is_anything(entry, omissions));
    }
    if rules.empty == EmptyRule::LinesThinkingAndBlocks {
        entries.iter_mut().for_each(drop_empty_blocks);
    }
    entries.retain_mut(|entry| match (entry.kind, entry.role) {
        (EntryKind::Message, Role::User) => is_anything(entry, omissions),
        (EntryKind::Message, Role::Assistant) if entry.blocks.is_empty() => {
            entry.blocks.push(ApiBlock::filler(Filler::NoContent));
            true
        }
        (EntryKind::Message, Role::Assistant) if is_blank(&entry.blocks) => {
            omissions.note(entry.index, OmissionReason::BlankReply);
            false
        }
        _ => true,
    });
    drop_thinking(entries, rules, omissions);
}

fn is_anything(entry: &Entry<'_>, omissions: &mut OmissionLog) -> bool {
    if entry.blocks.is_empty() {
        omissions.note(entry.index, OmissionReason::Empty);
    }
    !entry.blocks.is_empty()
}

fn is_blank(blocks: &[ApiBlock<'_>]) -> bool {
    blocks.iter().all(|block| matches!(block.kind, BlockKind::Empty | BlockKind::Blank))
}

/// Drops single empty texts; a prompt that has nothing else keeps its place.
fn drop_empty_blocks(entry: &mut Entry<'_>) {
    if entry.kind != EntryKind::Message || entry.blocks.is_empty() {
        return;
    }
    let is_prompt = entry.role == Role::User;
    let has_more = entry.blocks.iter().any(|block| block.kind != BlockKind::Empty);
    if has_more {
        entry.blocks.retain(|block| block.kind != BlockKind::Empty);
    } else if is_prompt {
        entry.blocks = vec![ApiBlock::filler(Filler::NoContent)];
    }
}

/// Drops thinking whose response has nothing else on any line.
fn drop_thinking(entries: &mut Vec<Entry<'_>>, rules: &ClientRules, omissions: &mut OmissionLog) {
    let is_thinking = |blocks: &[ApiBlock<'_>]| {
        let beside = |kind: BlockKind<'_>| match rules.empty {
            EmptyRule::LinesThinkingAndBlocks => kind == BlockKind::Blank,
            EmptyRule::Replies | EmptyRule::LinesAndThinking => false,
        };
        blocks.iter().all(|block| block.kind == BlockKind::Thinking || beside(block.kind))
    };
    let replies = entries.iter().filter(|entry| entry.is_message_of(Role::Assistant));
    let said: HashSet<_> =
        replies.filter(|entry| !is_thinking(&entry.blocks)).filter_map(|entry| entry.response).collect();
    entries.retain(|entry| {
        let is_kept = !entry.is_message_of(Role::Assistant)
            || !is_thinking(&entry.blocks)
            || entry.response.is_some_and(|response| said.contains(&response));
        if !is_kept {
            omissions.note(entry.index, OmissionReason::ThinkingAlone);
        }
        is_kept
    });
}

/// Drops whole replies of white space, where the client looks at them only after joining.
pub(super) fn drop_messages(
    messages: &mut Vec<ApiMessage<'_>>,
    rules: &ClientRules,
    omissions: &mut OmissionLog,
) {
    if rules.empty != EmptyRule::Replies {
        return;
    }
    messages.retain(|message| {
        let is_kept = message.role == Role::User || !is_blank(&message.blocks);
        if !is_kept {
            for block in &message.blocks {
                if let BlockOrigin::Record(index) = block.origin {
                    omissions.note(index, OmissionReason::BlankReply);
                }
            }
        }
        is_kept
    });
}
