//! Joins entries into messages: moves reminders up, joins prompts, and merges the records of a response.

use std::collections::HashMap;

use super::api::{ApiBlock, ApiMessage, BlockKind, Role};
use super::entries::{Entry, EntryKind};
use super::rules::{BlockOrderRule, ClientRules, JoinRule, PairingRule, SeamRule};
use crate::id::MessageId;

/// Moves reminders before the prompts that precede them, up to a reply or a tool result, as the client does.
pub(super) fn lift_reminders(entries: Vec<Entry<'_>>) -> Vec<Entry<'_>> {
    let mut lifted = Vec::with_capacity(entries.len());
    let mut waiting = Vec::new();
    for entry in entries.into_iter().rev() {
        if entry.kind == EntryKind::Reminder {
            waiting.push(entry);
            continue;
        }
        let stops = entry.role == Role::Assistant || entry.results().next().is_some();
        if stops && entry.kind != EntryKind::Notice {
            lifted.append(&mut waiting);
        }
        lifted.push(entry);
    }
    lifted.append(&mut waiting);
    lifted.reverse();
    lifted
}

/// Builds one message.
struct MessageBuilder<'a> {
    message: ApiMessage<'a>,
    /// Whether more than one line went into it.
    is_joined: bool,
    has_result: bool,
}

impl<'a> MessageBuilder<'a> {
    fn new(entry: Entry<'a>, has_result: bool) -> Self {
        Self { message: ApiMessage { role: entry.role, blocks: entry.blocks }, is_joined: false, has_result }
    }

    fn add(&mut self, entry: Entry<'a>, has_result: bool) {
        self.message.blocks.extend(entry.blocks);
        self.is_joined = true;
        self.has_result |= has_result;
    }

    /// Where a text follows a text, the first ends its line.
    fn end_line_before(&mut self, next: &Entry<'a>) {
        let is_text = |block: &ApiBlock<'_>| block.kind == BlockKind::Text;
        if let Some(last) = self.message.blocks.last_mut().filter(|block| is_text(block))
            && next.blocks.first().is_some_and(is_text)
        {
            last.end_line();
        }
    }

    fn finish(mut self, rules: &ClientRules) -> ApiMessage<'a> {
        let blocks = &mut self.message.blocks;
        match self.message.role {
            Role::User if self.has_result && (self.is_joined || rules.pairing == PairingRule::CallsOnly) => {
                blocks.sort_by_key(|block| !matches!(block.kind, BlockKind::Result(_)));
            }
            Role::Assistant if rules.order == BlockOrderRule::CallsLast => {
                blocks.sort_by_key(|block| matches!(block.kind, BlockKind::Call(_)));
            }
            Role::User | Role::Assistant => {}
        }
        self.message
    }
}

/// Joins entries into messages.
pub(super) fn join<'a>(entries: Vec<Entry<'a>>, rules: &ClientRules) -> Vec<ApiMessage<'a>> {
    let mut builders: Vec<MessageBuilder<'a>> = Vec::new();
    // The indexes of the replies since the last prompt: a backward search would be quadratic in a long run of tools.
    let mut replies: HashMap<Option<MessageId<'a>>, usize> = HashMap::new();
    for entry in entries {
        if entry.blocks.is_empty() || matches!(entry.kind, EntryKind::Notice | EntryKind::ApiError) {
            continue;
        }
        let has_result = entry.results().next().is_some();
        match entry.role {
            Role::User => match builders.last_mut().filter(|last| last.message.role == Role::User) {
                Some(last) => {
                    if rules.seam == SeamRule::LineBreak {
                        last.end_line_before(&entry);
                    }
                    last.add(entry, has_result);
                }
                None => builders.push(MessageBuilder::new(entry, has_result)),
            },
            Role::Assistant => {
                let is_prompted =
                    builders.last().is_some_and(|last| last.message.role == Role::User && !last.has_result);
                if is_prompted {
                    replies.clear();
                }
                if entry.kind == EntryKind::Filler {
                    builders.push(MessageBuilder::new(entry, has_result));
                    continue;
                }
                if let Some(&place) = replies.get(&entry.response) {
                    builders[place].add(entry, has_result);
                    continue;
                }
                if rules.join == JoinRule::OverResults {
                    replies.clear();
                }
                replies.insert(entry.response, builders.len());
                builders.push(MessageBuilder::new(entry, has_result));
            }
        }
    }
    builders.into_iter().map(|builder| builder.finish(rules)).collect()
}
