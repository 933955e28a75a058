//! A record without a parent in the middle of a conversation hides what came before it: finds its parent.

use annals_transcript::loss::losses;
use annals_transcript::record::{Record, RecordKind, SystemKind};
use annals_transcript::resume::{Client, branch, resume};
use annals_transcript::transcript::{NodeIndex, Parent};
use annals_transcript::turn::{Speaker, prompt_text};

use super::fix::{RepairFindings, RepairView};
use super::position::{Position, position_of};

pub(super) fn find(view: &RepairView<'_, '_>) -> RepairFindings {
    let mut found = RepairFindings::default();
    // One at a time: the history before the cut may have another cut.
    let Some(first) = branch(view.transcript, view.graph, Client::NEWEST).first().copied() else {
        return found;
    };
    let index = above_progress(view, first);
    let node = view.node(index);
    let starts_anew = matches!(node.parent, Parent::Null | Parent::Absent) && view.is_main(first);
    let by_compaction = node.is_compact_summary || node.system == Some(SystemKind::CompactBoundary);
    if !starts_anew || by_compaction {
        return found;
    }
    let resumed = resume(view.transcript, Client::NEWEST);
    if !losses(view.transcript, view.graph, &resumed).iter().any(|&lost| lost < index) {
        return found;
    }
    let (line, key) = (view.line(index), view.uuid(index));
    if is_sent_again(view, index) {
        found.skip(key, line, "left as it is: the user started over with the same prompt");
        return found;
    }
    match position_of(view, index) {
        Position::After(parent, evidence) => {
            let why = format!("null-parent: it follows line {}: {}", view.line(parent), evidence.text());
            let step = view.set_parent(index, Some(&view.uuid(parent)));
            found.add(key, line, why, step.map(|step| vec![step]));
        }
        Position::First => {}
        Position::Ambiguous => {
            found.skip(key, line, "left as it is: time and position in the file disagree");
        }
    }
    found
}

/// The topmost progress record above a record, which clients skip; else the record itself.
fn above_progress(view: &RepairView<'_, '_>, from: NodeIndex) -> NodeIndex {
    let mut top = from;
    // The parent must come first in the file, so that a cycle ends the loop.
    while let Some(parent) = view.graph.parent(top).filter(|&parent| parent < top)
        && view.node(parent).kind == RecordKind::Progress
    {
        top = parent;
    }
    top
}

/// Whether an earlier record without a parent has the same prompt: then the user went back to the start.
fn is_sent_again(view: &RepairView<'_, '_>, index: NodeIndex) -> bool {
    let prompt = |index: NodeIndex| match view.transcript.record(index) {
        Record::User(user) if Speaker::of(&user).opens_turn() => Some(prompt_text(&user)),
        _ => None,
    };
    let Some(text) = prompt(index) else { return false };
    let is_root = |&index: &NodeIndex| view.is_main(index) && view.node(index).parent.id().is_none();
    NodeIndex::FIRST.until(index).filter(is_root).any(|earlier| prompt(earlier).as_ref() == Some(&text))
}
