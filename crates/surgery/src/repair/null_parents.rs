//! A line without a parent in the midst of a conversation, which cuts off what came before it.

use annals_transcript::loss::losses;
use annals_transcript::record::{Record, RecordKind, SystemKind};
use annals_transcript::resume::{Client, branch, resume};
use annals_transcript::transcript::{NodeIndex, Parent};
use annals_transcript::turn::{Speaker, prompt_text};

use super::mend::{Found, View};
use super::place::{Place, place};

pub(super) fn find(view: &View<'_, '_>) -> Found {
    let mut found = Found::default();
    // One at a time: what stands before the cut may be cut again.
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
        found.leave(key, line, "left as it is: the person began anew with the same prompt");
        return found;
    }
    match place(view, index) {
        Place::Behind(parent, evidence) => {
            let why = format!("null-parent: it follows line {}: {}", view.line(parent), evidence.words());
            let step = view.hang(index, Some(&view.uuid(parent)));
            found.add(key, line, why, step.map(|step| vec![step]));
        }
        Place::First => {}
        Place::Ambiguous => {
            found.leave(key, line, "left as it is: by time it follows another line than by its place");
        }
    }
    found
}

/// The uppermost of the progress lines that a line hangs from, which clients pass over; else the line itself.
fn above_progress(view: &View<'_, '_>, from: NodeIndex) -> NodeIndex {
    let mut top = from;
    // A parent stands before its child here, so that a circle ends the walk.
    while let Some(parent) = view.graph.parent(top).filter(|&parent| parent < top)
        && view.node(parent).kind == RecordKind::Progress
    {
        top = parent;
    }
    top
}

/// Whether an earlier line without a parent has the same prompt: then a person went back to the start.
fn is_sent_again(view: &View<'_, '_>, index: NodeIndex) -> bool {
    let prompt = |index: NodeIndex| match view.transcript.record(index) {
        Record::User(user) if Speaker::of(&user).opens_turn() => Some(prompt_text(&user)),
        _ => None,
    };
    let Some(text) = prompt(index) else { return false };
    let is_root = |&index: &NodeIndex| view.is_main(index) && view.node(index).parent.id().is_none();
    (0..index).filter(is_root).any(|earlier| prompt(earlier).as_ref() == Some(&text))
}
