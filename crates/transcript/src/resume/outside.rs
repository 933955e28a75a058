//! Why lines are outside the conversation altogether: another branch, a sub-agent, a compaction, a damaged line.

use super::left_out::{Ledger, Reason};
use super::lines::{Lines, Link, Standpoint};
use crate::record::RecordKind;
use crate::transcript::NodeIndex;

/// How a line is related to the conversation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Unknown,
    InHistory,
    BeforeHistory,
    Beside,
    Apart,
}

/// Notes every record that is not part of the history, with the reason.
pub(super) fn note(lines: &Lines<'_, '_>, before: &[NodeIndex], history: &[NodeIndex], ledger: &mut Ledger) {
    let places = places(lines, before, history);
    let last = history.iter().copied().max().unwrap_or(0);
    for (index, node) in lines.transcript.nodes().iter().enumerate() {
        if !node.is_chain() {
            continue;
        }
        let reason = match (lines.standpoint(index), places[index]) {
            (_, Place::InHistory) => continue,
            (Standpoint::Unread, _) => Reason::Unread,
            _ if node.kind == RecordKind::Progress => Reason::Progress,
            (Standpoint::Replaced, _) => Reason::Replaced,
            (_, Place::BeforeHistory) => Reason::BeforeCompaction,
            _ if node.is_sidechain => Reason::Sidechain,
            (Standpoint::Dropped, _) => Reason::DroppedByCompaction,
            (_, Place::Beside) if index > last && !lines.is_message(index) => Reason::BehindLastMessage,
            (_, Place::Beside) => Reason::OtherBranch,
            _ => Reason::NotConnected,
        };
        ledger.note(index, reason);
    }
}

fn places(lines: &Lines<'_, '_>, before: &[NodeIndex], history: &[NodeIndex]) -> Vec<Place> {
    let mut places = vec![Place::Unknown; lines.transcript.nodes().len()];
    for &index in before {
        places[index] = Place::BeforeHistory;
    }
    for &index in history {
        places[index] = Place::InHistory;
    }
    let mut path = Vec::new();
    for &start in &lines.known {
        let mut at = start;
        // Each line is settled once, and a circle ends where it meets itself.
        let end = loop {
            match places[at] {
                Place::Unknown => {}
                Place::Apart => break Place::Apart,
                // What hangs from the hidden part and is older than what hides it is hidden too.
                Place::BeforeHistory if Some(&start) < history.first() => break Place::BeforeHistory,
                Place::InHistory | Place::BeforeHistory | Place::Beside => break Place::Beside,
            }
            places[at] = Place::Apart;
            path.push(at);
            match lines.link(at) {
                Link::To(parent) => at = parent,
                Link::Start | Link::Missing => break Place::Apart,
            }
        };
        for index in path.drain(..) {
            places[index] = end;
        }
    }
    places
}
