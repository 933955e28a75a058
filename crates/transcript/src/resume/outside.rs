//! Why records are outside the conversation: another branch, a sub-agent, a compaction, a damaged line.

use super::lines::{ClientLines, LineStatus, ParentLink};
use super::omission::{OmissionLog, OmissionReason};
use crate::record::RecordKind;
use crate::transcript::{NodeIndex, NodeMap};

/// How a record is related to the conversation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Unknown,
    InHistory,
    BeforeHistory,
    Beside,
    Apart,
}

/// Notes every record that is not part of the history, with the reason.
pub(super) fn note(
    lines: &ClientLines<'_, '_>,
    before: &[NodeIndex],
    history: &[NodeIndex],
    omissions: &mut OmissionLog,
) {
    let relations = relations(lines, before, history);
    let last = history.iter().copied().max().unwrap_or(NodeIndex::FIRST);
    for (index, node) in lines.transcript.indexed_nodes() {
        if !node.is_chain() {
            continue;
        }
        let reason = match (lines.status(index), relations[index]) {
            (_, Relation::InHistory) => continue,
            (LineStatus::Unread, _) => OmissionReason::Unread,
            _ if node.kind == RecordKind::Progress => OmissionReason::Progress,
            (LineStatus::Replaced, _) => OmissionReason::Replaced,
            (_, Relation::BeforeHistory) => OmissionReason::BeforeCompaction,
            _ if node.is_sidechain => OmissionReason::Sidechain,
            (LineStatus::Dropped, _) => OmissionReason::DroppedByCompaction,
            (_, Relation::Beside) if index > last && !lines.is_message(index) => {
                OmissionReason::BehindLastMessage
            }
            (_, Relation::Beside) => OmissionReason::OtherBranch,
            _ => OmissionReason::NotConnected,
        };
        omissions.note(index, reason);
    }
}

fn relations(lines: &ClientLines<'_, '_>, before: &[NodeIndex], history: &[NodeIndex]) -> NodeMap<Relation> {
    let mut relations = NodeMap::new(lines.transcript, Relation::Unknown);
    for &index in before {
        relations[index] = Relation::BeforeHistory;
    }
    for &index in history {
        relations[index] = Relation::InHistory;
    }
    let mut path = Vec::new();
    for &start in &lines.known {
        let mut at = start;
        // Each record is visited once, so cycles end.
        let end = loop {
            match relations[at] {
                Relation::Unknown => {}
                Relation::Apart => break Relation::Apart,
                // A descendant of the hidden part that is older than the compaction is hidden too.
                Relation::BeforeHistory if Some(&start) < history.first() => break Relation::BeforeHistory,
                Relation::InHistory | Relation::BeforeHistory | Relation::Beside => break Relation::Beside,
            }
            relations[at] = Relation::Apart;
            path.push(at);
            match lines.link(at) {
                ParentLink::To(parent) => at = parent,
                ParentLink::Start | ParentLink::Missing => break Relation::Apart,
            }
        };
        for index in path.drain(..) {
            relations[index] = end;
        }
    }
    relations
}
