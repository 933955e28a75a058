//! What the client puts behind a conversation that ends with the user, so that its next prompt can follow.

use super::api::{ApiBlock, Filler, Role};
use super::entries::{Entry, EntryKind};
use super::rules::{EndRule, Rules};

/// Adds the fillers that the end asks for.
pub(super) fn fill(entries: &mut Vec<Entry<'_>>, rules: &Rules) {
    let is_message = |entry: &Entry<'_>| matches!(entry.kind, EntryKind::Message | EntryKind::ApiError);
    let last = match rules.end {
        EndRule::ReplyToLastLine => entries.len().checked_sub(1),
        EndRule::ReplyAndGoOn | EndRule::ReplyToLastMessage => entries.iter().rposition(is_message),
    };
    let Some(last) = last.filter(|&last| entries[last].is_message_of(Role::User)) else { return };
    let index = entries[last].index;
    let filler = |role, filler| Entry {
        index,
        kind: EntryKind::Message,
        role,
        response: None,
        blocks: vec![ApiBlock::filler(filler)],
    };
    if rules.end == EndRule::ReplyAndGoOn && entries[last].results().next().is_some() {
        entries.push(filler(Role::User, Filler::GoOn));
    }
    entries.push(filler(Role::Assistant, Filler::NoResponse));
}
